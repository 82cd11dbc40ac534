import type { Cluster } from '../../../api/cluster.ts';
import { apiVersionOf } from '../../../api/object.ts';
import type { Work } from '../../../api/work.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { OwnWrites } from '../../../runtime/own-writes.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/render-text.ts';
import type { FreezeDesk } from '../freezes/freeze-desk.ts';
import { starterGroups } from '../freezes/starter-groups.ts';
import type { GateDesk } from '../gates/gate-desk.ts';
import { runScope, type ScopeFacts } from '../inputs/run-scope.ts';
import type { ClusterRun } from '../kinds/cluster-run.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import { namedTest } from '../infrastructure/select-clusters.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import { hubClusters } from '../providers/hub-clusters.ts';
import { pageAddress } from '../web/page-address.ts';
import { clusterStateOf, isInFlight, type GrantedCluster } from './cluster-grant.ts';
import { factsOfClusters, factsOfPhase, factsOfRun, factsOfWave, type RunWithStatus } from './run-facts.ts';
import { obeyed } from './run-orders.ts';
import type { RunPlaces } from './run-places.ts';
import type { GateQuestion, RunInput } from './run-step.ts';
import { illnessOf, meantOf, seeCluster, seeIllness, whyRunKeptAway } from './see-clusters.ts';

export interface GatherDeps {
  readonly runs: Informer<WorkflowRun>;
  readonly clusterRuns: Pick<OwnWrites<ClusterRun>, 'by'>;
  /** With `clusterIndexes`. */
  readonly clusters: Informer<Cluster>;
  /** With `workIndexes`. */
  readonly works: Informer<Work>;
  readonly gates: GateDesk;
  readonly freezes: FreezeDesk;
  readonly places: RunPlaces;
  /** Where people find the hub. */
  serverUrl?(): string;
}

export interface Gathering {
  readonly run: RunWithStatus;
  readonly secrets: ReadonlyMap<string, string>;
  /** How many clusters may be busy that are not those of other runs. */
  readonly hubRoom: number;
  readonly answer: RunInput['answer'];
  readonly now: Date;
  readonly jumpMs: number;
}

/** The ClusterRuns of a run, by the id of their cluster. */
export const clusterRunsOf = (
  clusterRuns: Pick<OwnWrites<ClusterRun>, 'by'>,
  { metadata }: RunWithStatus,
): ReadonlyMap<string, GrantedCluster> => new Map(clusterRuns.by('runUid', metadata.uid ?? '').map(one => [one.spec.cluster.id, one]));

/** Everything that is known about a run now. */
export function gatherInput(deps: GatherDeps, { run: before, secrets, hubRoom, answer, now, jumpMs }: Gathering): RunInput {
  const run = withAnswer(before, answer);
  const { runs, clusterRuns, clusters, works, gates, freezes, places, serverUrl } = deps;
  const { metadata, spec, status = {} } = run;
  const { namespace = '', name = '', uid = '', annotations = {} } = metadata;
  const { snapshot } = status;
  const present = clusterRunsOf(clusterRuns, run);
  const ordered = new Map([...present, ...obeyed(status.engine?.orders ?? [], present)]);
  const names = new Map(status.resolvedClusters?.map(one => [one.id, one.name]));
  /** Before they are resolved, all that there are. */
  const ids = () => clusters.list().map(clusterId);
  const labelsOf = (id: string) => clusters.by('id', id)[0]?.metadata.labels ?? {};
  const nameOf = (id: string) => names.get(id) ?? clusters.by('id', id)[0]?.metadata.name ?? id;
  const resolved = (id: string) => ({ id, name: nameOf(id), labels: labelsOf(id) });
  const triggeredBy = annotations[deliveryAnnotations.triggeredBy];
  const scopeFor = (more: ScopeFacts): ExpressionScope =>
    snapshot ? runScope(snapshot, { ...factsOfRun(run), secrets, ...more }) : () => undefined;
  const plainScope = scopeFor({});
  let meant: ReadonlySet<string> | undefined;

  return {
    namespace,
    name,
    generation: metadata.generation ?? 0,
    createdAt: new Date(metadata.creationTimestamp ?? now),
    mode: spec.mode ?? 'Apply',
    state: spec.state ?? 'Run',
    ...(triggeredBy !== undefined && { triggeredBy }),
    ...(serverUrl && { url: pageAddress(serverUrl(), { apiVersion: apiVersionOf(WorkflowRun), kind: WorkflowRun.kind, metadata }) }),
    skipGates: spec.skipGates ?? [],
    ...(spec.previewRef && { previewHash: previewHash(spec.previewRef) }),
    before: before.status,
    clusterRuns: present,
    seeCluster: id => seeCluster(clusters, id, { isSelected: () => isSelected(id), isKeptAway: () => isKeptAway(id) }),
    seeLatecomers,
    seeIllness: id => illnessOf(present.get(id)) ?? (snapshot ? seeIllness(works, snapshot, id) : undefined),
    freeze: () =>
      freezes.freezeFor(
        {
          namespace,
          workflow: spec.workflowRef.name,
          groups: starterGroups(annotations),
          ...(snapshot && { environment: snapshot.environment.name, environmentType: snapshot.environment.type }),
        },
        now,
      ),
    hubRoom: Math.max(0, hubRoom - [...ordered.values()].filter(isInFlight).length),
    ...placeOf(run),
    lookAt,
    holds: (expression, wave, phase) => evaluateCondition(expression, scopeFor(placed(wave?.name, phase))),
    render: (values, wave, phase) => {
      const ids = wave?.clusters ?? status.resolvedClusters?.map(one => one.id) ?? [];
      const isOfClusters = Object.values(values).some(value => value.includes('k8s'));
      const said = isOfClusters ? factsOfClusters(ids.map(id => present.get(id))) : {};
      const scope = scopeFor({ ...placed(wave?.name, phase), ...said });
      return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, renderText(value, scope)]));
    },
    answer,
    now,
    jumpMs,
  };

  /** Who goes first depends on what the run is made of, which may have been found out just now. */
  function placeOf(known: RunWithStatus) {
    places.note(known);
    return places.factsFor(known);
  }

  function placed(wave: string | undefined, phase: string): ScopeFacts {
    return { ...factsOfWave(run, wave), ...factsOfPhase(run, phase) };
  }

  function isSelected(id: string): boolean {
    if (!snapshot) return true;
    // All at once: it is asked of every cluster.
    meant ??= new Set(meantOf(snapshot, plainScope, (names.size > 0 ? [...names.keys()] : ids()).map(resolved)).map(one => one.id));
    return meant.has(id);
  }

  function isKeptAway(id: string): boolean {
    const hasBegun = present.get(id)?.spec.grant !== undefined;
    return !hasBegun && snapshot !== undefined && whyRunKeptAway(deps, snapshot, id) !== undefined;
  }

  /** Of a provider other than the hub, those that it has brought here. A run that names its clusters has none. */
  function seeLatecomers() {
    if (!snapshot || (spec.clusters?.only ?? []).length > 0) return [];
    const { name: provider, type } = snapshot.provider;
    const isTheirs = ({ labels }: ResolvedCluster) => type === 'Drover' || labels[deliveryLabels.provider] === provider;
    const isExcluded = namedTest(spec.clusters?.exclude ?? []);
    const late = hubClusters(clusters).filter(one => !names.has(one.id) && isTheirs(one) && !isExcluded(one));
    return meantOf(snapshot, plainScope, late).filter(one => !isKeptAway(one.id));
  }

  function previewHash(ref: string): string | null {
    const preview = runs.get(`${namespace}/${ref}`);
    return preview?.spec.mode === 'Preview' ? (preview.status?.planHash ?? null) : null;
  }

  function lookAt({ gate, place, wave, state, step }: GateQuestion) {
    const facts: ScopeFacts = {
      ...placed(wave?.name, step?.phase ?? ''),
      ...(step && { step: { name: step.name, type: step.type } }),
    };
    const takesPart = (id: string) =>
      !['Deferred', 'Skipped', 'Failed', 'TimedOut'].includes(clusterStateOf(ordered.get(id) ?? { spec: {} }));
    return gates.look({
      run: { namespace, name, uid },
      gate,
      place,
      wave: wave?.name ?? '',
      clusters: (wave?.clusters ?? []).filter(takesPart).map(id => ({ id, name: names.get(id) ?? id })),
      scope: scopeFor(facts),
      scopeOf: ({ id }) => scopeFor({ ...facts, cluster: resolved(id) }),
      about: { workflow: spec.workflowRef.name, service: snapshot?.service, infrastructure: snapshot?.infrastructure.name },
      state,
      startedBy: triggeredBy,
      now,
    });
  }
}

function withAnswer(run: RunWithStatus, answer: RunInput['answer']): RunWithStatus {
  return answer && 'snapshot' in answer ? { ...run, status: { ...run.status, snapshot: answer.snapshot } } : run;
}
