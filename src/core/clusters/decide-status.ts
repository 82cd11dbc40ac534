import { clusterConditions, clusterFaults, clusterReasons, type Cluster } from '../../api/cluster.ts';
import { courses, findCondition, withReadiness, type ConditionReport, type Course } from '../../api/conditions.ts';
import { jsonEqual } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import { clusterId } from './cluster-id.ts';
import { decideConditions } from './decide-conditions.ts';
import { decideLoad } from './decide-load.ts';
import type { MemberLoad } from './member-load.ts';
import { regionLabel, type NodeSummary } from './summarize-nodes.ts';
import type { Standing } from './standing.ts';

export type ClusterStatus = NonNullable<Cluster['status']>;

/** What is known of a member from asking and watching it; what is undefined is not known yet. */
export interface Observation {
  readonly standing?: Standing | undefined;
  readonly uid?: string | undefined;
  readonly version?: string | undefined;
  readonly platform?: string | undefined;
  readonly provider?: string | undefined;
  readonly agentVersion?: string | undefined;
  readonly hasDuplicateAgent?: boolean | undefined;
  readonly nodeSummary?: NodeSummary | undefined;
  readonly load?: MemberLoad | undefined;
  readonly apiResources?: ClusterStatus['apiResources'] | undefined;
}

const duplicateAgent: ConditionReport = {
  type: clusterFaults.duplicateAgent,
  status: 'True',
  reason: clusterReasons.sameIdentityTwice,
  message:
    'Two agents with the identity of the cluster want its tunnel; end one of them, or import the other cluster under a name of its own',
};

/** The status of a Cluster after what was observed. Fields that other controllers write are not in it. */
export function decideStatus(cluster: Cluster, observed: Observation, now: Date): ClusterStatus {
  const before = cluster.status;
  const lastSeen = decideLastSeen(cluster, observed.standing, now);
  const mine = new Set<string>([...Object.values(clusterConditions), ...courses]);
  if (observed.hasDuplicateAgent) mine.add(clusterFaults.duplicateAgent);
  const allocatable = observed.nodeSummary?.allocatable ?? before?.allocatable;
  const isWritten = lastSeen !== before?.lastSeen || !jsonEqual(allocatable, before?.allocatable);
  // A hub that has just started knows nothing yet, and a member that is lost cannot be asked: what was last seen stays.
  const known = {
    uid: observed.uid ?? before?.uid,
    version: observed.version ?? before?.version,
    platform: observed.platform ?? before?.platform,
    provider: observed.provider ?? before?.provider,
    agentVersion: observed.agentVersion ?? before?.agentVersion,
    nodes: observed.nodeSummary?.nodes ?? before?.nodes,
    capacity: observed.nodeSummary?.capacity ?? before?.capacity,
    allocatable,
    ...decideLoad(before, { load: observed.load, allocatable, isWritten }),
    regions: decideRegions(cluster, observed.nodeSummary),
    apiResources: observed.apiResources ?? before?.apiResources,
    lastSeen,
  };
  const reports = decideConditions(cluster, observed.standing);
  return {
    id: clusterId(cluster),
    ...(Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) as ClusterStatus),
    conditions: withReadiness(
      before?.conditions?.filter(one => mine.has(one.type)),
      [...reports, ...(observed.hasDuplicateAgent ? [duplicateAgent] : [])],
      {
        course: courseOf(reports),
        now,
        generation: cluster.metadata.generation,
      },
    ),
    ...(cluster.metadata.generation !== undefined && { observedGeneration: cluster.metadata.generation }),
  };
}

/** What a person must mend; everything else is tried again and again. */
const needsPerson: readonly string[] = [clusterReasons.credentialMissing, clusterReasons.credentialRefused];

function courseOf(reports: readonly ConditionReport[]): Course | undefined {
  const ready = reports.find(({ type }) => type === clusterConditions.ready);
  if (!ready || ready.status === 'True') return undefined;
  return needsPerson.includes(ready.reason) ? 'Stalled' : 'Reconciling';
}

/** What people say of the cluster; otherwise what its nodes say. */
function decideRegions({ metadata, status }: Cluster, nodes: NodeSummary | undefined): string[] | undefined {
  const said = metadata.labels?.[regionLabel];
  if (said) return [said];
  if (!nodes) return status?.regions;
  return nodes.regions.length > 0 ? nodes.regions : undefined;
}

/** From what lives in the hub, nothing is learned by hearing of it often. */
const lastSeenPeriodMs = { Direct: 300_000, Tunnel: 300_000, Sandbox: 3_600_000, Local: 3_600_000 } as const;

/** The exact time when a member is lost or returns; otherwise brought up to date now and then. */
function decideLastSeen(cluster: Cluster, standing: Standing | undefined, now: Date): string | undefined {
  const before = cluster.status?.lastSeen;
  if (standing?.seenAt === undefined) return before;

  const seen = timestamp(new Date(standing.seenAt));
  const wasFine = findCondition(cluster, clusterConditions.ready)?.status === 'True';
  const isFine = standing.answer.kind === 'ready';
  if (before === undefined || wasFine !== isFine) return latest(before, seen);
  const ageMs = now.getTime() - Date.parse(before);
  return isFine && ageMs >= lastSeenPeriodMs[cluster.spec.connection.mode] ? latest(before, seen) : before;
}

function latest(a: string | undefined, b: string): string {
  return a !== undefined && Date.parse(a) > Date.parse(b) ? a : b;
}

/** When to look again although nothing happens: a member that is fine has its `lastSeen` brought up to date. */
export function lookAgainMs(cluster: Cluster, status: ClusterStatus, now: Date): number | undefined {
  if (status.lastSeen === undefined || findCondition({ status }, clusterConditions.ready)?.status !== 'True') return undefined;
  return Math.max(1000, Date.parse(status.lastSeen) + lastSeenPeriodMs[cluster.spec.connection.mode] - now.getTime());
}
