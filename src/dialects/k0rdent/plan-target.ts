import type { Informer } from '../../runtime/informer.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import type { Credential } from './kinds/management.ts';
import type { MultiClusterService } from './kinds/multi-cluster-service.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { ServiceSpec } from './kinds/service-spec.ts';
import { blockedMessage, findBlockers } from './mcs-dependencies.ts';
import type { TargetReport } from './mcs-status.ts';
import { planSet, setKeyOf, setNamespace, targetOf, type PlannedSet } from './owned-sets.ts';
import { serviceKey, type TemplateLookup } from './validate-services.ts';

export interface TargetWorld {
  /** With `ownedSetIndexes`. */
  readonly sets: Informer<ServiceSet>;
  readonly credentials: Informer<Credential>;
  readonly known: TemplateLookup;
  find(name: string): MultiClusterService | undefined;
}

export interface PlannedTarget {
  readonly report: TargetReport;
  /** The ServiceSet to be written. Absent when nothing is to be. */
  readonly wanted?: ServiceSet | undefined;
}

const noServices: ServiceSpec = {};

/** What a MultiClusterService that has no faults does on one of its clusters, and how it is there. Undefined: the cluster of the hub. */
export function planTarget(
  mcs: MultiClusterService,
  deployment: ClusterDeployment | undefined,
  { sets, credentials, known, find }: TargetWorld,
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
  const missing = missingTemplates(mcs, setNamespace({ deployment }), known);
  if (missing.length > 0) return { report: { ...about, error: missing.join('; ') } };

  const planned = planSet({ ...place, serviceSpec: mcs.spec.serviceSpec ?? noServices, known, sets });
  const faults = [...planned.next.errors, ...planned.next.blocked.map(({ message }) => message)];
  const report = {
    ...about,
    deployed: faults.length === 0 && isDeployed(planned),
    ...(faults.length > 0 && { error: faults.join('; ') }),
    outranked: outrankedOn(planned.set),
  };
  return { report, wanted: planned.wanted };
}

/** In other namespaces than the system's the templates need not be there. */
function missingTemplates({ spec }: MultiClusterService, namespace: string, known: TemplateLookup): string[] {
  if (namespace === systemNamespace) return [];
  const names = new Set((spec.serviceSpec?.services ?? []).map(one => one.template));
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

function outrankedOn(set: ServiceSet | undefined): string | undefined {
  const outranked = (set?.status?.services ?? []).filter(one => one.failureMessage?.startsWith('ClusterSummary '));
  return outranked.length === 0
    ? undefined
    : outranked.map(one => `outranked: true; service ${serviceKey(one)}: ${one.failureMessage}`).join('; ');
}
