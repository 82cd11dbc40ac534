import type { Work } from '../../../api/work.ts';
import { kinds } from '../../data/kinds.ts';
import { useLists } from '../../data/use-list.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { Empty } from '../../parts/notes.tsx';
import { SmallTable } from '../../parts/small-table.tsx';
import { StateBadge, type Tone } from '../../parts/state-badge.tsx';
import { droverName, hubTarget, isPlanOnly, keyOf, type Cluster, type MultiClusterService, type ServiceSet } from './service-kinds.ts';

const tones: Readonly<Record<string, Tone>> = {
  Install: 'good',
  Create: 'good',
  Upgrade: 'info',
  Change: 'info',
  'Update Values': 'info',
  Delete: 'bad',
  Conflict: 'warn',
};
const shownClusters = 30;
const ownerAnnotation = 'drover.io/owner';

/** What a delivery would do, of a service that only plans: release by release, then object by object. */
export function PlanTab({
  mcs,
  sets,
  members,
}: {
  mcs: MultiClusterService;
  sets: readonly ServiceSet[];
  members: ReadonlyMap<string, Cluster>;
}) {
  const own = sets.filter(({ spec }) => spec.multiClusterService === keyOf(mcs));
  const reports = own.flatMap(set => (set.status?.releaseReports ?? []).map(report => ({ cluster: targetOf(set), ...report })));
  const ids = isPlanOnly(mcs) ? own.flatMap(set => members.get(targetOf(set))?.status?.id ?? []).slice(0, shownClusters) : [];
  const lists = useLists<Work>(ids.map(namespace => ({ kind: kinds.work, namespace })));
  const objects = lists
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => metadata.annotations?.[ownerAnnotation]?.endsWith(` ${keyOf(mcs)}`))
    .flatMap(({ status }) => (status?.plan ?? []).map(one => ({ cluster: status?.cluster ?? '', ...one })))
    .filter(one => one.action !== 'Keep');
  if (!isPlanOnly(mcs))
    return (
      <div className="stack">
        <Empty title="It delivers what it says" command={`drover diff ${droverName(mcs)} -f changed.yaml`}>
          The command shows, object by object and cluster by cluster, what a changed file would do before it is applied. A service whose
          provider.config.syncMode is DryRun changes nothing, and its plan stands here.
        </Empty>
      </div>
    );
  return (
    <div className="stack">
      <h2>Releases</h2>
      {reports.length === 0 && <p className="muted">No cluster has said yet what would happen.</p>}
      {reports.length > 0 && (
        <SmallTable
          name="What would happen to releases"
          heads={['Cluster', 'Release', 'Would', 'Version', 'About']}
          rows={reports.map(one => [
            one.cluster,
            `${one.releaseNamespace}/${one.releaseName}`,
            <StateBadge key="action" tone={tones[one.action] ?? 'idle'} word={one.action} />,
            one.chartVersion ?? '–',
            one.message,
          ])}
        />
      )}
      <h2>Objects</h2>
      {objects.length === 0 && <p className="muted">No object would change.</p>}
      {objects.length > 0 && (
        <SmallTable
          name="What would happen to objects"
          heads={['Cluster', 'Would', 'Kind', 'Name']}
          rows={objects.map(one => [
            one.cluster,
            <StateBadge key="action" tone={tones[one.action] ?? 'idle'} word={one.action} />,
            one.kind,
            one.namespace === undefined ? one.name : `${one.namespace}/${one.name}`,
          ])}
        />
      )}
      <CommandLine command={`drover diff ${droverName(mcs)}`} />
    </div>
  );
}

const targetOf = ({ metadata, spec }: ServiceSet): string => (spec.cluster === '' ? hubTarget : `${metadata.namespace}/${spec.cluster}`);
