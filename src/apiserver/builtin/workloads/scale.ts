import type { FieldError } from '../../../api/field-error.ts';
import { invalid } from '../../../api/field-error.ts';
import type { Deployment, LabelSelector, ReplicationController, Scale } from '../../../api/kubernetes.ts';
import { parseApiVersion, type KubeObject } from '../../../api/object.ts';
import { conflict } from '../../../api/status.ts';
import { printLabelSelector } from '../../validation/label-selector.ts';

// Deployment, ReplicaSet and StatefulSet are alike here.
type Scaled = Deployment | ReplicationController;

/** Where `spec.replicas` of a Scale is kept in the scaled object: managed fields move between these two paths. */
export const replicasPath: readonly string[] = ['spec', 'replicas'];

/** What `/scale` of a Deployment, ReplicaSet, StatefulSet or ReplicationController shows. */
export function scaleOf(obj: KubeObject): KubeObject & Scale {
  const { spec, status } = obj as unknown as Scaled;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = obj.metadata;
  const selector = printSelector(obj.kind, spec?.selector);
  const replicas = spec?.replicas ?? 0;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name !== undefined && { name }),
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(creationTimestamp !== undefined && { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status?.replicas ?? 0, ...(selector !== '' && { selector }) },
  } as KubeObject & Scale;
}

function printSelector(kind: string, selector: LabelSelector | Record<string, string> | undefined): string {
  if (!selector) return '';
  return printLabelSelector(
    kind === 'ReplicationController' ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelector),
  );
}

/** The object with the replicas of a Scale, and its resourceVersion when the Scale names one. Throws 409 when the uid differs. */
export function withReplicas(obj: KubeObject, scale: KubeObject): KubeObject {
  const replicas = (scale as unknown as Scale).spec?.replicas ?? 0;
  const { resourceVersion, uid } = scale.metadata;
  if (uid && uid !== obj.metadata.uid)
    throw conflict(
      { group: parseApiVersion(obj.apiVersion).group, resource: `${obj.kind.toLowerCase()}s/scale` },
      obj.metadata.name ?? '',
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${obj.metadata.uid}`,
    );
  return {
    ...obj,
    metadata: resourceVersion ? { ...obj.metadata, resourceVersion } : obj.metadata,
    spec: { ...(obj['spec'] as object), replicas },
  };
}

/** Rules of a Scale beyond its metadata. The answer names the Scale: `Scale.autoscaling "web" is invalid: …`. */
export function validateScale(scale: KubeObject): FieldError[] {
  const replicas = (scale as unknown as Scale).spec?.replicas ?? 0;
  return replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : [];
}
