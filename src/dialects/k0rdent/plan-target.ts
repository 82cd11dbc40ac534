import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import type { Credential } from './kinds/management.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceSpec, ServiceState } from './kinds/service-spec.ts';
import { blockedMessage, findBlockers } from './mcs-dependencies.ts';
import type { TargetReport } from './mcs-status.ts';
import { planSet, setKeyOf, setNamespace, targetOf, type PlannedSet } from './owned-sets.ts';
import { wholeShare, type ShareOf } from './rollout-share.ts';
import type { K0rdentSettings } from './settings.ts';
import { serviceKey, type TemplateLookup } from './validate-services.ts';

export interface TargetWorld {
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly credentials: Informer<Credential>;
  readonly known: TemplateLookup;
  readonly settings: Pick<K0rdentSettings, 'isOutrankedSatisfied' | 'changes'>;
  /** What a rollout lets a cluster have. All that is said when absent. */
  readonly shareOf?: ShareOf;
  find(key: Key): MultiClusterService | undefined;
}

export interface PlannedTarget {
  readonly report: TargetReport;
  /** The ServiceSet to be written. Absent when nothing is to be. */
  readonly wanted?: ServiceSet | undefined;
}

/** What a MultiClusterService that has no faults does on one of its clusters, and how it is there. Undefined: the cluster of the hub. */
export function planTarget(
  mcs: MultiClusterService,
  deployment: ClusterDeployment | undefined,
  { sets, credentials, known, settings, find, shareOf = wholeShare }: TargetWorld,
): PlannedTarget {
  const { namespace = '', name = '' } = deployment?.metadata ?? {};
  const place = { deployment, multiClusterService: mcs };
  const about = {
    cluster: deployment && { namespace, name },
    isRegional: isRegional(deployment, credentials),
    isListed: sets.get(setKeyOf(place))?.status?.cluster !== undefined,
    deployed: false,
  };
  const setOf = (other: MultiClusterService) => sets.get(setKeyOf({ deployment, multiClusterService: other }));
  const blockers = findBlockers({ mcs, deployment, find, setOf });
  if (blockers.length > 0)
    return { report: { ...about, blocked: blockedMessage(deployment ? targetOf(deployment) : 'mgmt/mgmt', blockers) } };
  const { serviceSpec, behind } = shareOf(mcs, targetOf(deployment));
  if (!serviceSpec) return { report: { ...about, behind } };
  const missing = missingTemplates(mcs, serviceSpec, { namespace: setNamespace({ deployment }), known });
  if (missing.length > 0) return { report: { ...about, error: missing.join('; ') } };

  const planned = planSet({ ...place, serviceSpec, known, sets });
  const faults = [...planned.next.errors, ...planned.next.blocked.map(({ message }) => message)];
  const report = {
    ...about,
    ...(behind && { behind }),
    deployed: !behind && faults.length === 0 && (isDeployed(planned) || (settings.isOutrankedSatisfied() && isOnlyOutranked(planned))),
    ...(faults.length > 0 && { error: faults.join('; ') }),
    outranked: outrankedOn(planned.set),
  };
  return { report, wanted: planned.wanted };
}

/** In other namespaces than the system's the templates need not be there. */
function missingTemplates(
  { metadata }: MultiClusterService,
  { services = [] }: ServiceSpec,
  { namespace, known }: { namespace: string; known: TemplateLookup },
): string[] {
  if (namespace === (metadata.namespace ?? systemNamespace)) return [];
  const names = new Set(services.map(one => one.template));
  return [...names]
    .filter(name => !known.template(namespace, name))
    .map(name => `failed to fetch template ${namespace}/${name}: ServiceTemplate "${name}" not found`);
}

function isRegional(deployment: ClusterDeployment | undefined, credentials: Informer<Credential>): boolean {
  const credential = deployment?.spec.credential && credentials.get(`${deployment.metadata.namespace}/${deployment.spec.credential}`);
  return credential ? (credential.spec.region ?? '') !== '' : false;
}

/** Whether all that is wanted is there: not only what the set lists so far, and not what it said of an earlier list. */
function isDeployed({ set, next, wanted }: PlannedSet): boolean {
  if (!set || wanted || set.metadata.deletionTimestamp !== undefined || next.waiting.size > 0) return false;
  return set.status?.deployed === true && set.status.observedGeneration === set.metadata.generation;
}

/** Whether all that is not there is so because an owner with more priority has it. */
function isOnlyOutranked({ set, next, wanted }: PlannedSet): boolean {
  if (!set?.status || wanted || set.metadata.deletionTimestamp !== undefined || next.waiting.size > 0) return false;
  const { services = [], observedGeneration } = set.status;
  const isFine = (one: ServiceState) => one.state === 'Deployed' || one.state === 'Deleted' || isOutranked(one);
  return observedGeneration === set.metadata.generation && services.length > 0 && services.every(isFine);
}

export const isOutranked = ({ failureMessage }: ServiceState): boolean => failureMessage?.startsWith('ClusterSummary ') === true;

function outrankedOn(set: ServiceSet | undefined): string | undefined {
  const outranked = (set?.status?.services ?? []).filter(isOutranked);
  return outranked.length === 0
    ? undefined
    : outranked.map(one => `outranked: true; service ${serviceKey(one)}: ${one.failureMessage}`).join('; ');
}
