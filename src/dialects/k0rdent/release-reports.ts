import type { PlannedRelease, Work } from '../../api/work.ts';
import { workAnnotationsOfSet, type CompiledWorks } from './compile-works.ts';
import type { ReleaseReport, SetService } from './kinds/service-set.ts';
import { managedBy, type StatesInput } from './service-states.ts';
import { serviceKey } from './validate-services.ts';

type ReportsInput = Pick<StatesInput, 'set' | 'present' | 'rival' | 'clusterKind'> & { readonly compiled: Pick<CompiledWorks, 'spared'> };

const actions: Record<PlannedRelease['action'], ReleaseReport['action']> = {
  None: 'No Action',
  Install: 'Install',
  Upgrade: 'Upgrade',
  UpdateValues: 'Update Values',
  Conflict: 'Conflict',
};

/** What a set that only plans would do to each of its releases, as a ClusterReport of Sveltos says it. What is not known yet is left out. */
export function releaseReports(input: ReportsInput): ReleaseReport[] {
  const { set, present, compiled } = input;
  const listed = (set.spec.services ?? []).flatMap(service => {
    const work = present.get(serviceKey(service));
    return work && service.helmAction !== 'Uninstall' ? reportOf(service, work, input) : [];
  });
  return [...listed, ...compiled.spared.map(work => deletionOf(work))];
}

function reportOf(service: SetService, work: Work, input: ReportsInput): ReleaseReport[] {
  const { planned, observedGeneration } = work.status ?? {};
  if (!planned || observedGeneration !== work.metadata.generation) return [];
  return [
    {
      releaseName: service.name,
      releaseNamespace: service.namespace,
      ...(service.version !== undefined && { chartVersion: service.version }),
      action: actions[planned.action],
      message: messageOf(planned, work, input),
    },
  ];
}

function messageOf({ action, chart, present, claim }: PlannedRelease, work: Work, input: ReportsInput): string {
  if (action === 'Conflict') return managedBy(claim, input);
  const what = chart === undefined ? 'The objects' : `Chart ${chart}`;
  const takenOver = claim && `; the release would be taken over from ${ownerOf(claim.work, input)}, priority ${claim.priority}`;
  return `${sentence()}${takenOver ?? ''}`;

  function sentence(): string {
    if (action === 'Install') return `${what} would be installed`;
    if (action === 'None') return `${what} ${chart === undefined ? 'are' : 'is'} there as it would be`;
    if (action === 'Upgrade' && present !== undefined)
      return `Current version: ${JSON.stringify(present)}. Would move to version: ${JSON.stringify(chart)}`;
    return `Objects would change: ${countsOf(work)}`;
  }
}

function countsOf({ status }: Work): string {
  const words = { Create: 'to create', Change: 'to change', Delete: 'to delete' } as const;
  const counts = Object.entries(words).map(
    ([action, text]) => [status?.plan?.filter(one => one.action === action).length ?? 0, text] as const,
  );
  return counts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${count} ${text}`)
    .join(', ');
}

const ownerOf = (work: string, { rival }: ReportsInput): string =>
  rival(work)?.metadata.annotations?.[workAnnotationsOfSet.owner] ?? `Work ${work}`;

function deletionOf({ spec, status }: Work): ReleaseReport {
  const { name, namespace } = spec.release;
  const chart = status?.delivered?.chart;
  return {
    releaseName: name,
    releaseNamespace: namespace,
    action: 'Delete',
    message: `${chart === undefined ? 'The objects' : `Chart ${chart}`} would go, unless another owner wants the release`,
  };
}
