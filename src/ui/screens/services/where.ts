import { whyKeptAway } from '../../../api/cluster-taints.ts';
import { unmetDemands, withoutDeployment } from '../../../api/unmet-demands.ts';
import type { Tone } from '../../parts/state-badge.tsx';
import {
  hubTarget,
  keyOf,
  serviceKey,
  type Cluster,
  type ClusterDeployment,
  type MultiClusterService,
  type ServiceSet,
} from './service-kinds.ts';

/** One service on one cluster, or why it is not there. */
export interface WhereRow {
  readonly id: string;
  /** The ClusterDeployment, as namespace/name; `/` for the hub itself. */
  readonly target: string;
  readonly member: Cluster | undefined;
  /** The release, as namespace/name. Empty where nothing is wanted. */
  readonly release: string;
  readonly template: string;
  readonly version: string;
  readonly state: { readonly tone: Tone; readonly word: string };
  readonly isOutranked: boolean;
  /** What is the matter, or why it is not here. */
  readonly why: string;
}

export interface WhereFacts {
  readonly deployments: readonly ClusterDeployment[];
  readonly sets: readonly ServiceSet[];
  readonly members: ReadonlyMap<string, Cluster>;
  /** Members without a ClusterDeployment. */
  readonly strays?: readonly Cluster[];
}

type MatchingCluster = NonNullable<NonNullable<MultiClusterService['status']>['matchingClusters']>[number];

const tones: Readonly<Record<string, Tone>> = {
  Deployed: 'good',
  Provisioning: 'info',
  Pending: 'info',
  Failed: 'bad',
  Deleting: 'warn',
  Deleted: 'idle',
};

/** Every cluster there is: what a service is on it, or why it is not. Those that have it first. */
export function whereRows(mcs: MultiClusterService, { deployments, sets, members, strays = [] }: WhereFacts): readonly WhereRow[] {
  const key = keyOf(mcs);
  const own = new Map<string, ServiceSet[]>();
  for (const set of sets) {
    if (set.spec.multiClusterService !== key) continue;
    const target = set.spec.cluster === '' ? hubTarget : `${set.metadata.namespace}/${set.spec.cluster}`;
    own.set(target, [...(own.get(target) ?? []), set]);
  }
  const matches = new Map(
    (mcs.status?.matchingClusters ?? []).map(one => [one.kind === 'SveltosCluster' ? hubTarget : `${one.namespace}/${one.name}`, one]),
  );
  const deploymentByTarget = new Map(deployments.map(one => [keyOf(one), one]));
  const targets = new Set([...own.keys(), ...matches.keys(), ...deploymentByTarget.keys()]);
  const present = [...targets].flatMap(target => {
    const about = { target, member: members.get(target), match: matches.get(target) };
    const services = (own.get(target) ?? []).flatMap(set => rowsOfSet(set, about));
    return services.length > 0 ? services : [absentRow(mcs, deploymentByTarget.get(target), about)];
  });
  return [...present, ...strays.map(strayRow)];
}

const nothing = { release: '', template: '', version: '', isOutranked: false } as const;
const notHere = { tone: 'idle', word: 'Not here' } as const;

const strayRow = (member: Cluster): WhereRow => {
  const name = member.metadata.name ?? '';
  return { ...nothing, id: name, target: '', member, state: notHere, why: withoutDeployment };
};

interface TargetFacts {
  readonly target: string;
  readonly member: Cluster | undefined;
  readonly match: MatchingCluster | undefined;
}

function rowsOfSet({ spec, status, metadata }: ServiceSet, { target, member, match }: TargetFacts): WhereRow[] {
  return (spec.services ?? []).map(service => {
    const release = serviceKey(service);
    const state = status?.services?.find(one => serviceKey(one) === release);
    const word = state?.state ?? 'Pending';
    const failure = state?.failureMessage ?? '';
    // What Sveltos says of a release that somebody else manages.
    const isOutranked = word === 'Failed' && failure.startsWith('ClusterSummary ');
    return {
      id: `${target} ${metadata.name} ${release}`,
      target,
      member,
      release,
      template: service.template,
      version: state?.version ?? service.version ?? '',
      state: isOutranked ? { tone: 'idle', word: 'Outranked' } : { tone: tones[word] ?? 'idle', word },
      isOutranked,
      why: failure || (word === 'Deployed' ? '' : (match?.message ?? '')),
    };
  });
}

function absentRow(mcs: MultiClusterService, deployment: ClusterDeployment | undefined, { target, member, match }: TargetFacts): WhereRow {
  const row = { ...nothing, id: target, target, member };
  if (match) return { ...row, state: { tone: 'info', word: 'Waiting' }, why: match.message ?? 'Nothing is wanted there yet' };
  return { ...row, state: notHere, why: whyNot(mcs, deployment, member) };
}

/** Why a cluster is not one of those that a service goes to. */
export function whyNot(
  { metadata: { namespace }, spec }: MultiClusterService,
  deployment: ClusterDeployment | undefined,
  member: Cluster | undefined,
): string {
  if (!deployment) return 'its ClusterDeployment is gone';
  const { labels = {}, deletionTimestamp } = deployment.metadata;
  if (deletionTimestamp !== undefined) return 'the cluster is being removed';
  if (namespace !== undefined && namespace !== deployment.metadata.namespace)
    return `it is in namespace ${deployment.metadata.namespace}, and the service is for ${namespace} alone`;
  const selector = spec.clusterSelector ?? {};
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return 'the service selects no clusters: its selector is empty';
  const unmet = unmetDemands(selector, labels);
  if (unmet.length > 0) return unmet.join(', ');
  return whyKeptAway(member, false) ?? 'it matches, and the hub has not looked at it yet';
}
