import { keyOf, type Key } from '../../runtime/key.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import { isInReach } from './select-clusters.ts';
import { isOfNamespace } from './service-set-name.ts';
import { findCycle, serviceKey } from './validate-services.ts';

type Find = (key: Key) => MultiClusterService | undefined;

/** The MultiClusterServices that one depends on: those of its own namespace, if it has one. */
export const dependenciesOf = ({ metadata: { namespace }, spec }: MultiClusterService): Key[] =>
  (spec.dependsOn ?? []).map(name => keyOf({ metadata: { name, ...(namespace !== undefined && { namespace }) } }));

/** As k0rdent writes names: those without a namespace begin with a slash. */
export const slashed = (key: Key): string => (isOfNamespace(key) ? key : `/${key}`);

/** What is wrong with the MultiClusterServices that one depends on. Cycles that cannot be reached from it do not matter. */
export function checkMcsDependencies(mcs: MultiClusterService, find: Find): string[] {
  const key = keyOf(mcs);
  const faults = dependenciesOf(mcs)
    .filter(needed => needed !== key && !find(needed))
    .map(needed => `dependency ${slashed(needed)} of ${slashed(key)} is not defined`);
  const cycle = findCycle([key], one => {
    const next = one === key ? mcs : find(one);
    return next ? dependenciesOf(next) : [];
  });
  return cycle === undefined ? faults : [...faults, `dependency cycle detected at ${slashed(cycle)}`];
}

/** Which of those that depend on a MultiClusterService must be gone before it goes. Of two that need each other and both go, neither waits. */
export function inTheWay(mcs: MultiClusterService, dependents: readonly MultiClusterService[], find: Find): MultiClusterService[] {
  const reached = new Set([keyOf(mcs)]);
  for (const one of reached) for (const needed of dependenciesOf(find(one) ?? mcs)) reached.add(needed);
  return dependents.filter(one => one.metadata.deletionTimestamp === undefined || !reached.has(keyOf(one)));
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
  return dependenciesOf(mcs).flatMap(key => {
    const needed = find(key);
    if (!needed || !applies(needed, deployment)) return [];
    const set = setOf(needed);
    if (!set || set.metadata.deletionTimestamp !== undefined) return [`${needed.metadata.name} (ServiceSet not yet created)`];
    const services = needed.spec.serviceSpec?.services ?? [];
    const deployed = services.filter(service => isDeployed(set, serviceKey(service))).length;
    return deployed === services.length ? [] : [`${needed.metadata.name} (${deployed}/${services.length} services deployed)`];
  });
}

function applies(mcs: MultiClusterService, deployment: ClusterDeployment | undefined): boolean {
  return deployment ? isInReach(mcs, deployment) : mcs.spec.serviceSpec?.provider?.selfManagement === true;
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
