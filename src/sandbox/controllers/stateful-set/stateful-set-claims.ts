import type { PersistentVolumeClaim, StatefulSet } from '../../../api/kubernetes.ts';
import type { KubeObject, OwnerReference } from '../../../api/object.ts';
import { cloneJson } from '../../../util/json.ts';
import { asObject, controllerRefTo, type Stored } from '../stored-object.ts';

type StoredStatefulSet = Stored<StatefulSet>;

/** The pod of a claim, which need not exist yet. */
export interface ClaimUser {
  readonly name: string;
  /** Empty while it does not exist. */
  readonly uid: string;
  /** Whether the set still wants it. */
  readonly isWanted: boolean;
}

export function claimName(set: StoredStatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata?.name ?? ''}-${set.metadata.name}-${ordinal}`;
}

/** The claims of one pod, as its set's templates describe them. */
export function claimsFor(set: StoredStatefulSet, ordinal: number): KubeObject[] {
  const { namespace = '' } = set.metadata;
  return (set.spec.volumeClaimTemplates ?? []).map(template =>
    asObject({
      ...cloneJson(template),
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...cloneJson(template.metadata),
        name: claimName(set, template, ordinal),
        namespace,
        labels: { ...template.metadata?.labels, ...set.spec.selector.matchLabels },
      },
    }),
  );
}

const isSet = (ref: OwnerReference, set: StoredStatefulSet) =>
  ref.apiVersion === 'apps/v1' && ref.kind === 'StatefulSet' && ref.name === set.metadata.name;
const isPod = (ref: OwnerReference, pod: ClaimUser) => ref.apiVersion === 'v1' && ref.kind === 'Pod' && ref.name === pod.name;

/** The claim belongs to a pod of the same name that is gone: it is about to be deleted, and a new pod must wait for that. */
export function isStaleFor(claim: KubeObject, pod: ClaimUser): boolean {
  return (claim.metadata.ownerReferences ?? []).some(ref => isPod(ref, pod) && ref.uid !== pod.uid);
}

/** Another controller manages the claim, so that the retention policy cannot. */
export function isManagedElsewhere(claim: KubeObject, set: StoredStatefulSet, pod: ClaimUser): boolean {
  if (!deletesWhenDeleted(set) && !deletesWhenScaled(set)) return false;
  return (claim.metadata.ownerReferences ?? []).some(ref => {
    if (isSet(ref, set)) return ref.uid !== set.metadata.uid;
    if (isPod(ref, pod)) return ref.uid !== pod.uid;
    return ref.controller === true;
  });
}

const deletesWhenDeleted = ({ spec }: StoredStatefulSet) => spec.persistentVolumeClaimRetentionPolicy?.whenDeleted === 'Delete';
const deletesWhenScaled = ({ spec }: StoredStatefulSet) => spec.persistentVolumeClaimRetentionPolicy?.whenScaled === 'Delete';

/**
 * The owners a claim must have so that the garbage collector carries out the retention policy: the set when the claim goes with it, the
 * pod when the claim goes with a pod that is no longer wanted. Undefined when they are right already.
 */
export function ownersByPolicy(claim: KubeObject, set: StoredStatefulSet, pod: ClaimUser): OwnerReference[] | undefined {
  const present = claim.metadata.ownerReferences ?? [];
  const isStale = present.some(ref => isSet(ref, set) && ref.uid !== set.metadata.uid) || isStaleFor(claim, pod);
  if (isStale) return undefined;
  const isForeign = isManagedElsewhere(claim, set, pod);
  const needsPod = !isForeign && deletesWhenScaled(set) && !pod.isWanted;
  const needsSet = !isForeign && deletesWhenDeleted(set) && !needsPod;

  const ours = present.filter(ref => ref.uid === set.metadata.uid || ref.uid === pod.uid);
  const hasSet = ours.some(ref => ref.uid === set.metadata.uid);
  const hasPod = ours.some(ref => ref.uid === pod.uid);
  const areControllers = isForeign || ours.every(ref => ref.controller === true);
  if (hasSet === needsSet && hasPod === needsPod && areControllers) return undefined;

  const others = present.filter(ref => !isSet(ref, set) && !isPod(ref, pod));
  const podOwner = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod.name, uid: pod.uid, creationTimestamp: '', resourceVersion: '' },
  };
  return [...others, ...(needsSet ? [controllerRefTo(set)] : []), ...(needsPod ? [controllerRefTo(podOwner)] : [])];
}
