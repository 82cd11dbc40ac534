import type { Cluster } from '../../api/cluster.ts';
import { changesOf, knownFirst, type Trigger } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import type { AccessGrants } from './access-grants.ts';
import { clusterDeploymentsOf } from './cluster-of.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import type { Credential, Management } from './kinds/management.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { dependenciesOf } from './mcs-dependencies.ts';
import { byMultiClusterService, byTarget, hubTarget, targetOfSet } from './owned-sets.ts';
import { changedShares } from './rollout-share.ts';
import { isInReach, matchClusters } from './select-clusters.ts';
import type { K0rdentSettings } from './settings.ts';

export interface TargetTriggersDeps {
  readonly multiClusterServices: Informer<MultiClusterService>;
  readonly deployments: Informer<ClusterDeployment>;
  /** With `clusterDeploymentIndex`. */
  readonly clusters: Informer<Cluster>;
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly templates: Informer<ServiceTemplate>;
  readonly chains: Informer<ServiceTemplateChain>;
  readonly credentials: Informer<Credential>;
  readonly managements: Informer<Management>;
  readonly grants: Pick<AccessGrants, 'changes'>;
  readonly settings: Pick<K0rdentSettings, 'isOutrankedSatisfied' | 'changes'>;
}

/** Names a MultiClusterService on one cluster. */
const targetKey = (name: string, target: string): Key => `${name} ${target}`;

export function splitTargetKey(key: Key): { readonly name: string; readonly target: string } {
  const space = key.indexOf(' ');
  return { name: key.slice(0, space), target: key.slice(space + 1) };
}

/** The cluster of the hub is none of a namespace. */
export const isSelfManaged = ({ metadata, spec }: MultiClusterService): boolean =>
  metadata.namespace === undefined && spec.serviceSpec?.provider?.selfManagement === true;

/** MultiClusterServices that need this one first. */
export function dependentsOf(all: Informer<MultiClusterService>, key: Key): MultiClusterService[] {
  return all.list().filter(mcs => dependenciesOf(mcs).includes(key));
}

/** MultiClusterServices with a service of this template or chain. Any template of a chain may be a step of an upgrade. */
export function usersOf(all: Informer<MultiClusterService>, field: 'template' | 'templateChain', name: string): MultiClusterService[] {
  return all
    .list()
    .filter(({ spec }) => spec.serviceSpec?.services?.some(one => one[field] === name || one.templateChain !== undefined) === true);
}

/** What decides about its clusters. How it is does not. */
export const decisiveFacts = ({ metadata, spec }: MultiClusterService): unknown => [
  metadata.uid,
  metadata.deletionTimestamp,
  metadata.finalizers ?? [],
  spec,
];

/** What asks for a look at a MultiClusterService on a cluster. Only what concerns all its clusters asks for all of them. */
export function mcsTargetTriggers(deps: TargetTriggersDeps): Trigger[] {
  const { multiClusterServices, deployments, clusters, sets, templates, chains, credentials, managements, grants, settings } = deps;
  const everywhere = () => multiClusterServices.list().flatMap(one => allOf(one));
  return [
    changesOf(
      multiClusterServices,
      mcs => [mcs, ...dependentsOf(multiClusterServices, keyOf(mcs))].flatMap(one => allOf(one)),
      decisiveFacts,
    ),
    rolloutDecisions(),
    changesOf(sets, ofSet),
    // How a ClusterDeployment is does not matter here, only which it is.
    changesOf(deployments, ofDeployment, ({ metadata, spec }) => [metadata.labels ?? {}, metadata.deletionTimestamp, spec.credential]),
    changesOf(clusters, ofCluster, ({ metadata, spec }) => [clusterDeploymentsOf({ metadata } as Cluster), spec.taints ?? []]),
    changesOf(templates, ({ metadata }) =>
      usersOf(multiClusterServices, 'template', metadata.name!).flatMap(one => allOf(one, metadata.namespace)),
    ),
    changesOf(chains, ({ metadata }) =>
      usersOf(multiClusterServices, 'templateChain', metadata.name!).flatMap(one => allOf(one, metadata.namespace)),
    ),
    changesOf(managements, everywhere, ({ metadata }) => metadata.deletionTimestamp),
    grants.changes(everywhere),
    settings.changes(everywhere),
    knownFirst(credentials),
  ];

  /** What rollouts have decided: that concerns the clusters about which something else was decided than before. */
  function rolloutDecisions(): Trigger {
    return {
      synced: multiClusterServices.synced,
      start: add =>
        multiClusterServices.subscribe(({ type, object, old }) => {
          if (type !== 'MODIFIED' || !old || object.status?.rollout === old.status?.rollout) return;
          const changed = changedShares(old.status?.rollout, object.status?.rollout);
          for (const key of allOf(object)) if (changed(splitTargetKey(key).target)) add(key);
        }),
    };
  }

  /** Those that it matches, and those that still have a set of it. Templates of the system's namespace concern all. */
  function allOf(mcs: MultiClusterService, namespace = systemNamespace): Key[] {
    const name = keyOf(mcs);
    const selected = matchClusters(mcs, deployments.list()).map(keyOf);
    const present = sets.by(byMultiClusterService, name).map(targetOfSet);
    const targets = new Set([...(isSelfManaged(mcs) ? [hubTarget] : []), ...selected, ...present]);
    const isConcerned = (target: string) => namespace === systemNamespace || target.startsWith(`${namespace}/`);
    return [...targets].filter(isConcerned).map(target => targetKey(name, target));
  }

  /** Its owner, those who depend on that one, those that wait until it is gone, and those for whom the service may be there under another owner. */
  function ofSet(set: ServiceSet): Key[] {
    const target = targetOfSet(set);
    const owner = set.spec.multiClusterService;
    const neighbours = sets
      .by(byTarget, target)
      .flatMap(one => one.spec.multiClusterService ?? [])
      .filter(name => multiClusterServices.get(name)?.spec.serviceSpec?.services?.some(one => (one.dependsOn ?? []).length > 0));
    const dependents = owner ? [owner, ...dependentsOf(multiClusterServices, owner).map(keyOf)] : [];
    const leaving = set.metadata.deletionTimestamp !== undefined && owner ? multiClusterServices.get(owner) : undefined;
    const waiting = leaving ? dependenciesOf(leaving) : [];
    return [...dependents, ...waiting, ...neighbours].map(name => targetKey(name, target));
  }

  function ofCluster(cluster: Cluster): Key[] {
    return clusterDeploymentsOf(cluster).flatMap(target => {
      const deployment = deployments.get(target);
      return deployment ? ofDeployment(deployment) : [];
    });
  }

  function ofDeployment(cd: ClusterDeployment): Key[] {
    const target = keyOf(cd);
    const selecting = multiClusterServices.list().filter(mcs => isInReach(mcs, cd));
    const present = sets.by(byTarget, target).flatMap(set => set.spec.multiClusterService ?? []);
    return [...new Set([...selecting.map(keyOf), ...present])].map(name => targetKey(name, target));
  }
}
