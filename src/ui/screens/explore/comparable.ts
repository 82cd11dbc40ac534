import { lastAppliedAnnotation } from '../../../api/object.ts';
import type { KubeObject } from '../../data/kinds.ts';

const written = ['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink', 'ownerReferences'];

/** The same object of two clusters without what each server writes by itself. Of Secrets only whether values are the same. */
export function comparable(a: KubeObject, b: KubeObject): readonly [KubeObject, KubeObject] {
  const [left, right] = [substance(a), substance(b)];
  if (a.kind !== 'Secret' || a.apiVersion !== 'v1') return [left, right];
  return [masked(left, right, 'here'), masked(right, left, 'there')];
}

function substance({ metadata, status: _status, ...rest }: KubeObject & { status?: unknown }): KubeObject {
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !written.includes(name)));
  const annotations = Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => name !== lastAppliedAnnotation));
  return { ...rest, metadata: { ...kept, ...(metadata.annotations && { annotations }) } } as KubeObject;
}

function masked(one: KubeObject, other: KubeObject, where: string): KubeObject {
  const [own, others] = [one, other].map(obj => (obj['data'] ?? {}) as Record<string, string>) as [
    Record<string, string>,
    Record<string, string>,
  ];
  const data = Object.fromEntries(
    Object.entries(own).map(([key, value]) => [key, others[key] === value ? '***' : `*** (as it is ${where})`]),
  );
  return { ...one, ...(one['data'] !== undefined && { data }) };
}
