import { newObject } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { compareVersions, parseVersion } from '../../render/semver/semver.ts';
import type { Informer } from '../../runtime/informer.ts';
import { keyOf } from '../../runtime/key.ts';
import { jsonEqual } from '../../util/json.ts';
import { effectiveProvider, onlyPlans } from './effective-config.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import type { ServiceSpec } from './kinds/service-spec.ts';
import { dependenciesOf } from './mcs-dependencies.ts';
import { nextServices, type NextServices } from './next-services.ts';
import { serviceSetName } from './service-set-name.ts';
import { hasNotes, notesFor } from './set-notes.ts';
import { builtInLabels } from './state-management.ts';
import { serviceKey, type TemplateLookup } from './validate-services.ts';

export const byMultiClusterService = 'multiClusterService';
/** `namespace/name` of the ClusterDeployment, or `/` for the cluster of the hub. */
export const byTarget = 'target';

/** How informers of ServiceSets find those of an owner or a cluster. */
export const ownedSetIndexes = {
  [byMultiClusterService]: ({ spec }: ServiceSet) => (spec.multiClusterService ? [spec.multiClusterService] : []),
  [byTarget]: (set: ServiceSet) => [targetOfSet(set)],
} as const;

/** The target that is the cluster of the hub. */
export const hubTarget = '/';

export const targetOfSet = ({ metadata, spec }: ServiceSet): string =>
  spec.cluster === '' ? hubTarget : `${metadata.namespace}/${spec.cluster}`;

export const targetOf = (deployment: ClusterDeployment | undefined): string => (deployment ? keyOf(deployment) : hubTarget);

/** Where an owner delivers to: a ClusterDeployment, or the hub itself. */
export interface SetPlace {
  readonly deployment: ClusterDeployment | undefined;
  readonly multiClusterService: MultiClusterService | undefined;
}

export const setNamespace = ({ deployment }: Pick<SetPlace, 'deployment'>): string => deployment?.metadata.namespace ?? systemNamespace;

export function setKeyOf({ deployment, multiClusterService }: SetPlace): string {
  const name = serviceSetName(deployment?.metadata.name, multiClusterService && keyOf(multiClusterService));
  return `${setNamespace({ deployment })}/${name}`;
}

export interface PlanSetInput extends SetPlace {
  readonly serviceSpec: ServiceSpec;
  readonly known: TemplateLookup;
  /** With `ownedSetIndexes`. */
  readonly sets: Pick<Informer<ServiceSet>, 'get' | 'by'>;
  /** Whether nothing is to wait for anything: what all would come to. */
  readonly isPreview?: boolean;
}

export interface EnsureSetInput extends PlanSetInput {
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

export interface EnsuredSet {
  /** Absent when there is nothing to deliver, and nothing was. */
  readonly set: ServiceSet | undefined;
  readonly next: NextServices;
}

export interface PlannedSet extends EnsuredSet {
  /** To be written. Absent when it says that already. */
  readonly wanted: ServiceSet | undefined;
}

/** What an owner wants on a cluster next. One that is being deleted is left alone: it is written anew when it is gone. */
export function planSet(input: PlanSetInput): PlannedSet {
  const { serviceSpec, known, sets } = input;
  const namespace = setNamespace(input);
  const present = sets.get(setKeyOf(input));
  const desired = serviceSpec.services ?? [];
  const next = nextServices({
    desired,
    stored: present?.spec.services ?? [],
    observed: isCurrent(present) ? (present?.status?.services ?? []) : [],
    namespace,
    known,
    isDryRun: input.isPreview === true || onlyPlans(effectiveProvider(serviceSpec)),
    isThereAnyway: (key, version) => isThereAnyway(sets.by(byTarget, targetOf(input.deployment)), present, key, version),
  });
  const isLeft = present ? present.metadata.deletionTimestamp !== undefined : desired.length === 0;
  if (isLeft) return { set: present, next, wanted: undefined };
  const dependsOn = input.multiClusterService ? dependenciesOf(input.multiClusterService) : [];
  const notes = notesFor({ desired, next, dependsOn, present });
  const wanted = compileSet(input, next, notes);
  const isSaid = present !== undefined && jsonEqual(present.spec, wanted.spec) && hasNotes(present, notes);
  return { set: present, next, wanted: isSaid ? undefined : wanted };
}

export async function ensureSet(hub: KubeClient, input: EnsureSetInput): Promise<EnsuredSet> {
  const { fieldManager, signal } = input;
  const { set, next, wanted } = planSet(input);
  return { set: wanted ? await hub.apply(ServiceSet, wanted, { fieldManager, signal }) : set, next };
}

/** What a set said of an earlier spec is no word on the present one. */
const isCurrent = (set: ServiceSet | undefined): boolean =>
  set !== undefined && (set.status?.observedGeneration ?? 0) === (set.metadata.generation ?? 0);

function compileSet(input: PlanSetInput, { services }: NextServices, annotations: Record<string, string>): ServiceSet {
  const { deployment, multiClusterService, serviceSpec } = input;
  const provider = effectiveProvider(serviceSpec);
  const isSelfManaged = !deployment;
  return newObject(
    ServiceSet,
    {
      name: serviceSetName(deployment?.metadata.name, multiClusterService && keyOf(multiClusterService)),
      namespace: setNamespace(input),
      labels: { ...builtInLabels },
      ...(Object.keys(annotations).length > 0 && { annotations }),
      ownerReferences: [
        deployment ? ownerReference(ClusterDeployment, deployment) : ownerReference(MultiClusterService, multiClusterService!),
      ],
    },
    {
      cluster: deployment?.metadata.name ?? '',
      ...(multiClusterService && { multiClusterService: keyOf(multiClusterService) }),
      provider: { ...provider, ...(isSelfManaged && { selfManagement: true }) },
      services,
    },
  );
}

function ownerReference(kind: { group: string; version: string; kind: string }, { metadata }: KubeObject) {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name: metadata.name!, uid: metadata.uid!, controller: true };
}

/** Whether another owner has the service deployed on the cluster, at this version or a newer one. */
function isThereAnyway(onCluster: readonly ServiceSet[], own: ServiceSet | undefined, key: string, version: string): boolean {
  return onCluster.some(
    set =>
      set.metadata.uid !== own?.metadata.uid &&
      set.status?.services?.some(
        one => serviceKey(one) === key && one.state === 'Deployed' && one.version !== undefined && isAtLeast(one.version, version),
      ),
  );
}

function isAtLeast(version: string, wanted: string): boolean {
  if (version === wanted) return true;
  try {
    return compareVersions(parseVersion(version), parseVersion(wanted)) >= 0;
  } catch {
    return false;
  }
}
