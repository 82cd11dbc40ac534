import { withConditions, type Condition, type ConditionReport } from '../../api/conditions.ts';
import { compareTexts } from '../../util/compare-texts.ts';
import { timestamp } from '../../util/timestamp.ts';
import { fitClusters, maxClusterBytes } from './fit-clusters.ts';
import { hubItself } from './cluster-of.ts';
import type { MatchingCluster, MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { UpgradePaths } from './kinds/service-spec.ts';

type McsStatus = NonNullable<MultiClusterService['status']>;

export const mcsConditions = {
  references: 'ServicesReferencesValidation',
  serviceDependencies: 'ServicesDependencyValidation',
  dependencies: 'MultiClusterServiceDependencyValidation',
  dependenciesReady: 'MultiClusterServiceDependencyReady',
  clusters: 'ClusterInReadyState',
  ready: 'Ready',
} as const;

/** The checks, in the order in which they are made. The first that fails ends them. */
const checks = [mcsConditions.references, mcsConditions.serviceDependencies, mcsConditions.dependencies] as const;
export type Check = (typeof checks)[number];

/** How one cluster is. */
export interface TargetReport {
  /** Undefined: the cluster of the hub. */
  readonly cluster: { readonly namespace: string; readonly name: string } | undefined;
  readonly isRegional: boolean;
  readonly deployed: boolean;
  /** Whether its ServiceSet has found the cluster. */
  readonly isListed: boolean;
  /** What it waits for, when it does. */
  readonly blocked?: string | undefined;
  /** Why it has no ServiceSet as it should be. */
  readonly error?: string | undefined;
  /** Why its services are not those of this owner. */
  readonly outranked?: string | undefined;
  /** Why it does not have what the owner says now, while that is rolled out. */
  readonly behind?: { readonly reason: string; readonly message: string } | undefined;
}

export interface McsReport {
  readonly mcs: MultiClusterService;
  /** The check that failed, and how. */
  readonly fault?: { readonly check: Check; readonly message: string };
  /** Absent when a check failed: what was known stays. */
  readonly targets?: readonly TargetReport[];
  readonly upgradePaths?: UpgradePaths;
  readonly now: Date;
}

const succeeded = (type: string, message = ''): ConditionReport => ({ type, status: 'True', reason: 'Succeeded', message });
const failed = (type: string, message: string): ConditionReport => ({ type, status: 'False', reason: 'Failed', message });

export function mcsStatus({ mcs, fault, targets, upgradePaths, now }: McsReport): McsStatus {
  const { generation } = mcs.metadata;
  const before = mcs.status ?? {};
  const reports: ConditionReport[] = [];
  for (const check of checks) {
    if (fault?.check === check) {
      reports.push(failed(check, fault.message));
      break;
    }
    reports.push(succeeded(check));
  }
  const problems = fault ? [fault.message] : [];
  if (targets) reports.push(dependenciesReady(targets));
  let conditions = withConditions(before.conditions, reports, { now, generation });
  if (targets) {
    const ready = targets.filter(one => one.deployed).length;
    const count = `${ready}/${targets.length}`;
    if (ready < targets.length) problems.push(`${count} Clusters are ready.`);
    const report = ready === targets.length ? succeeded(mcsConditions.clusters, count) : failed(mcsConditions.clusters, count);
    conditions = withConditions(conditions, [report], { now });
  }
  const ready = problems.length === 0 ? succeeded(mcsConditions.ready, 'Object is ready') : failed(mcsConditions.ready, joined(problems));
  return {
    ...before,
    conditions: withConditions(conditions, [ready], { now }) as Condition[],
    ...(generation !== undefined && { observedGeneration: generation }),
    ...(upgradePaths && { servicesUpgradePaths: upgradePaths }),
    ...(targets && {
      matchingClusters: matchingClusters(targets, {
        before: before.matchingClusters ?? [],
        limit: mcs.spec.rollout ? besideRollout : maxClusterBytes,
        now,
      }),
    }),
  };
}

const joined = (messages: readonly string[]): string => messages.join('. ');

function dependenciesReady(targets: readonly TargetReport[]): ConditionReport {
  const blocked = targets.filter(one => one.blocked !== undefined).length;
  if (blocked === 0) return succeeded(mcsConditions.dependenciesReady);
  return {
    type: mcsConditions.dependenciesReady,
    status: 'False',
    reason: 'MultiClusterServiceDependencyNotReady',
    message: `waiting for MultiClusterService dependencies to be ready on ${blocked} matching cluster(s)`,
  };
}

/** The state of a rollout lists all clusters as well, in about half the space. */
const besideRollout = maxClusterBytes * 0.6;

/** Entries that say the same as before are the same objects: making and comparing thousands of them is most of what a report costs. */
function matchingClusters(
  targets: readonly TargetReport[],
  { before, limit, now }: { before: readonly MatchingCluster[]; limit: number; now: Date },
): MatchingCluster[] {
  const olds = before.toSorted(byCluster);
  const entries: MatchingCluster[] = [];
  let next = 0;
  for (const target of targets.filter(isTold).sort((a, b) => byCluster(refOf(a), refOf(b)))) {
    const { deployed, isRegional } = target;
    const ref = refOf(target);
    while (next < olds.length && byCluster(olds[next]!, ref) < 0) next++;
    const old = next < olds.length && byCluster(olds[next]!, ref) === 0 ? olds[next] : undefined;
    const reasons = why(target);
    const lastTransitionTime = old?.deployed === deployed && old.lastTransitionTime ? old.lastTransitionTime : timestamp(now);
    const isSaid =
      old?.lastTransitionTime === lastTransitionTime &&
      old.deployed === deployed &&
      old.regional === isRegional &&
      old.apiVersion === (ref.apiVersion ?? deploymentType.apiVersion) &&
      old.reason === reasons.reason &&
      old.message === reasons.message &&
      old.outranked === reasons.outranked;
    entries.push(isSaid && old ? old : { ...deploymentType, ...ref, regional: isRegional, deployed, lastTransitionTime, ...reasons });
  }
  return [...fitClusters(entries, limit)];
}

const isTold = ({ isListed, blocked, error, behind }: TargetReport): boolean =>
  isListed || blocked !== undefined || error !== undefined || behind !== undefined;

const deploymentType = { apiVersion: 'k0rdent.mirantis.com/v1beta1', kind: 'ClusterDeployment' } as const;

/** What names a cluster. Without a type it is a ClusterDeployment: one object less for each of thousands. */
type ClusterRef = Pick<MatchingCluster, 'apiVersion' | 'kind' | 'namespace' | 'name'>;

const refOf = ({ cluster }: TargetReport): ClusterRef => cluster ?? hubItself;

function byCluster(a: ClusterRef, b: ClusterRef): number {
  return (
    compareTexts(a.kind ?? deploymentType.kind, b.kind ?? deploymentType.kind) ||
    compareTexts(a.namespace ?? '', b.namespace ?? '') ||
    compareTexts(a.name ?? '', b.name ?? '')
  );
}

const nothing = {} as const;

function why({ blocked, error, outranked, behind }: TargetReport): Pick<MatchingCluster, 'reason' | 'message' | 'outranked'> {
  if (blocked !== undefined) return { reason: 'MultiClusterServiceDependencyNotReady', message: blocked };
  if (error !== undefined) return { reason: 'Failed', message: error };
  if (behind !== undefined) return behind;
  if (outranked !== undefined) return { reason: 'Outranked', message: outranked, outranked: true };
  return nothing;
}
