import type { Cluster } from '../../../api/cluster.ts';
import type { Work } from '../../../api/work.ts';
import { changesOf, knownFirst, type Trigger } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import type { FreezeDesk } from '../freezes/freeze-desk.ts';
import type { GateDesk } from '../gates/gate-desk.ts';
import type { ApprovalRequest } from '../kinds/approval-request.ts';
import type { ClusterRun } from '../kinds/cluster-run.ts';
import { isTerminal, type WorkflowRun } from '../kinds/workflow-run.ts';
import { deliveryAnnotations } from '../names.ts';
import { grantStatus } from './cluster-grant.ts';
import { throttled } from './throttle.ts';

export interface RunTriggerDeps {
  readonly runs: Informer<WorkflowRun>;
  readonly clusterRuns: Informer<ClusterRun>;
  readonly clusters: Informer<Cluster>;
  readonly works: Informer<Work>;
  readonly requests: Informer<ApprovalRequest>;
  readonly gates: GateDesk;
  readonly freezes: FreezeDesk;
  readonly signal: AbortSignal;
}

const maxDelayMs = 500;
const clusterDelayMs = 50;

/** How long what happens to clusters of a run is gathered: the more there are, the longer. */
export const gatherMs = (run: WorkflowRun | undefined): number => Math.min(maxDelayMs, (run?.status?.resolvedClusters?.length ?? 0) / 2);

/** Whatever may change what is to be decided about a run. */
export function runTriggers({ runs, clusterRuns, clusters, works, requests, gates, freezes, signal }: RunTriggerDeps): Trigger[] {
  const attentive = () => runs.list().filter(looksAtClusters).map(keyOf);
  const runsOfPart = ({ metadata, spec }: ClusterRun) => [`${metadata.namespace}/${spec.runRef.name}`];
  const runsOfWork = ({ metadata }: Work): Key[] => {
    const part = clusterRuns.get(metadata.annotations?.[deliveryAnnotations.clusterRun] ?? '');
    return part ? runsOfPart(part) : [];
  };
  return [
    changesOf(runs, undefined, ({ spec, metadata }) => [spec, metadata.annotations, metadata.deletionTimestamp]),
    throttled(changesOf(clusterRuns, runsOfPart, factsOfPart), key => gatherMs(runs.get(key)), signal),
    throttled(changesOf(clusters, attentive, factsOfCluster), () => clusterDelayMs, signal),
    throttled(changesOf(works, runsOfWork, healthOf), () => clusterDelayMs, signal),
    heard(add => freezes.onChange(() => attentive().forEach(add)), freezes.synced),
    heard(add => gates.onChange(add)),
    knownFirst(requests),
  ];
}

/** Whether it matters to a run what becomes of clusters: also after its end, when some are to catch up. */
const looksAtClusters = ({ status }: WorkflowRun): boolean =>
  !isTerminal(status?.phase) || (status?.phase === 'Succeeded' && status.clusters?.succeeded !== status.clusters?.total);

const factsOfPart = (part: ClusterRun) => [
  part.spec,
  grantStatus(part),
  part.status?.outputs,
  part.status?.soak?.illSince,
  part.status?.soak?.isCertain,
];

const factsOfCluster = ({ metadata, spec, status }: Cluster) => [
  spec.taints,
  metadata.labels,
  metadata.annotations,
  metadata.deletionTimestamp,
  status?.conditions?.map(one => [one.type, one.status]),
];

const healthOf = ({ status }: Work) => status?.conditions?.map(one => [one.type, one.status]);

function heard(subscribe: (add: (key: Key) => void) => Disposable, synced = Promise.resolve()): Trigger {
  return { synced, start: subscribe };
}
