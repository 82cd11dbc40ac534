import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import { isEmptySelector, selects } from './select-clusters.ts';
import { findCycle, serviceKey } from './validate-services.ts';

type Find = (name: string) => MultiClusterService | undefined;

/** What is wrong with the MultiClusterServices that one depends on. Cycles that cannot be reached from it do not matter. */
export function checkMcsDependencies(mcs: MultiClusterService, find: Find): string[] {
  const { name = '' } = mcs.metadata;
  const faults = (mcs.spec.dependsOn ?? [])
    .filter(needed => needed !== name && !find(needed))
    .map(needed => `dependency /${needed} of /${name} is not defined`);
  const cycle = findCycle([name], one => (one === name ? mcs : find(one))?.spec.dependsOn ?? []);
  return cycle === undefined ? faults : [...faults, `dependency cycle detected at /${cycle}`];
}

/** Which of those that depend on a MultiClusterService must be gone before it goes. Of two that need each other and both go, neither waits. */
export function inTheWay(
  { metadata: { name = '' } }: MultiClusterService,
  dependents: readonly MultiClusterService[],
  find: Find,
): MultiClusterService[] {
  const reached = new Set([name]);
  for (const one of reached) for (const needed of find(one)?.spec.dependsOn ?? []) reached.add(needed);
  return dependents.filter(({ metadata }) => metadata.deletionTimestamp === undefined || !reached.has(metadata.name!));
}

export interface BlockersInput {
  readonly mcs: MultiClusterService;
  /** Undefined: the cluster of the hub. */
  readonly deployment: ClusterDeployment | undefined;
  find: Find;
  /** The ServiceSet of a MultiClusterService on this cluster. */
  setOf(mcs: MultiClusterService): ServiceSet | undefined;
}

/** What a MultiClusterService waits for on one cluster, in words. */
export function findBlockers({ mcs, deployment, find, setOf }: BlockersInput): string[] {
  return (mcs.spec.dependsOn ?? []).flatMap(name => {
    const needed = find(name);
    if (!needed || !applies(needed, deployment)) return [];
    const set = setOf(needed);
    if (!set || set.metadata.deletionTimestamp !== undefined) return [`${name} (ServiceSet not yet created)`];
    const services = needed.spec.serviceSpec?.services ?? [];
    const deployed = services.filter(service => isDeployed(set, serviceKey(service))).length;
    return deployed === services.length ? [] : [`${name} (${deployed}/${services.length} services deployed)`];
  });
}

function applies({ spec }: MultiClusterService, deployment: ClusterDeployment | undefined): boolean {
  if (!deployment) return spec.serviceSpec?.provider?.selfManagement === true;
  return isEmptySelector(spec.clusterSelector) ? false : selects(spec.clusterSelector, deployment.metadata.labels ?? {});
}

/** What was said of an earlier spec does not count. */
function isDeployed({ metadata, spec, status }: ServiceSet, key: string): boolean {
  if (status?.observedGeneration !== metadata.generation) return false;
  const isListed = spec.services?.some(one => serviceKey(one) === key);
  return isListed === true && status?.services?.some(one => serviceKey(one) === key && one.state === 'Deployed') === true;
}

const maxNamed = 3;

export function blockedMessage(target: string, blockers: readonly string[]): string {
  const named = blockers.slice(0, maxNamed).join(', ');
  const more = blockers.length > maxNamed ? ` and ${blockers.length - maxNamed} more` : '';
  return `skipping create/update of ServiceSet for matching cluster ${target}: waiting on ${named}${more}`;
}
