import type { Cluster } from '../../../api/cluster.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import type { MultiClusterService } from '../kinds/multi-cluster-service.ts';
import { ServiceSet } from '../kinds/service-set.ts';
import type { ServiceSpec } from '../kinds/service-spec.ts';
import { byMultiClusterService, hubTarget, planSet, targetOf, targetOfSet } from '../owned-sets.ts';
import { placementSight } from '../placement-sight.ts';
import { selectClusters } from '../select-clusters.ts';
import { keyOf } from '../../../runtime/key.ts';
import type { HubSnapshot } from './hub-snapshot.ts';
import type { OwnerKind, OwnerObject } from './owners.ts';

/** What an owner would have on one cluster. */
export interface WantedSet {
  readonly target: string;
  readonly deployment: ClusterDeployment | undefined;
  /** Without services when the owner would leave the cluster. */
  readonly set: ServiceSet;
  /** What keeps services from being as they should. */
  readonly faults: readonly string[];
}

/** The ServiceSets that an owner would have if nothing waited for anything. */
export function wantedSets(owner: OwnerObject, kind: OwnerKind, snapshot: HubSnapshot): WantedSet[] {
  const find = (target: string) => snapshot.deployments.find(one => keyOf(one) === target);
  if (kind === ServiceSet) {
    const set = owner as ServiceSet;
    return [{ target: targetOfSet(set), deployment: find(targetOfSet(set)), set, faults: [] }];
  }
  if (kind === ClusterDeployment) {
    const deployment = owner as ClusterDeployment;
    return plan(deployment, undefined, deployment.spec.serviceSpec ?? {}, snapshot);
  }
  const mcs = owner as MultiClusterService;
  const isSelfManaged = mcs.metadata.namespace === undefined && mcs.spec.serviceSpec?.provider?.selfManagement === true;
  const targets = [...(isSelfManaged ? [undefined] : []), ...selectClusters(mcs, snapshot.deployments, placementSight(snapshot))];
  const wanted = targets.flatMap(deployment => plan(deployment, mcs, mcs.spec.serviceSpec ?? {}, snapshot));
  const reached = new Set(targets.map(targetOf));
  const left = snapshot.sets.by(byMultiClusterService, keyOf(mcs)).filter(set => !reached.has(targetOfSet(set)));
  if (mcs.spec.keepServicesOnSelectorMismatch) return wanted;
  return [
    ...wanted,
    ...left.map(set => ({
      target: targetOfSet(set),
      deployment: find(targetOfSet(set)),
      set: { ...set, spec: { ...set.spec, services: [] } },
      faults: [],
    })),
  ];
}

function plan(
  deployment: ClusterDeployment | undefined,
  multiClusterService: MultiClusterService | undefined,
  serviceSpec: ServiceSpec,
  { known, sets }: HubSnapshot,
): WantedSet[] {
  const { set: present, wanted, next } = planSet({ deployment, multiClusterService, serviceSpec, known, sets, isPreview: true });
  const found = wanted ?? present;
  if (!found || found.metadata.deletionTimestamp !== undefined) return [];
  const set = present ? { ...found, metadata: present.metadata } : found;
  return [{ target: targetOf(deployment), deployment, set, faults: [...next.errors, ...next.blocked.map(({ message }) => message)] }];
}

/** What people call a target. */
export const nameOfTarget = (target: string, member: Cluster | undefined): string =>
  member?.metadata.name ?? (target === hubTarget ? 'the hub itself' : target);
