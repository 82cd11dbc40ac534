import { randomInt, randomUUID } from 'node:crypto';
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/object.ts';
import { jsonEqual } from '../../util/json.ts';
import { semanticEqual } from '../builtin/workloads/semantic-equal.ts';
import type { Resource } from '../resource.ts';
import { timestamp } from '../../util/timestamp.ts';

const suffixAlphabet = 'bcdfghjklmnpqrstvwxz2456789';
const maxGeneratedPrefix = 58;

export function generateName(prefix: string): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return `${prefix.slice(0, maxGeneratedPrefix)}${suffix}`;
}

/** Forgets what a creator may not say. In place. */
export function wipeSystemFields(meta: ObjectMeta): void {
  delete meta.uid;
  delete meta.creationTimestamp;
  delete meta.deletionTimestamp;
  delete meta.deletionGracePeriodSeconds;
  delete meta.selfLink;
}

/** Sets what only the server decides about a new object. In place. */
export function fillSystemFields(meta: ObjectMeta, now: Date): void {
  meta.uid = randomUUID();
  meta.creationTimestamp = timestamp(now);
  delete meta.selfLink;
}

/** Carries over what an update cannot change; a mark of deletion that is not there cannot be set, which validation says. In place. */
export function keepSystemFields(next: ObjectMeta, old: ObjectMeta): void {
  if (old.generation === undefined) delete next.generation;
  else next.generation = old.generation;
  if (old.deletionTimestamp !== undefined) next.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) next.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  if (next.uid === undefined && old.uid !== undefined) next.uid = old.uid;
  if (old.creationTimestamp !== undefined) next.creationTimestamp = old.creationTimestamp;
  delete next.selfLink;
}

/** True when something besides metadata and (for kinds with a status) status differs. */
function specChanged(next: KubeObject, old: KubeObject, { strategy, isCustom }: Resource): boolean {
  // Go's types do not tell an empty list from none, custom resources do.
  const isEqual = isCustom ? jsonEqual : semanticEqual;
  const ignored = strategy.hasStatus === false ? ['metadata', 'managedFields'] : ['metadata', 'status'];
  const keys = new Set([...Object.keys(next), ...Object.keys(old)]);
  for (const key of keys) {
    if (ignored.includes(key) || key === 'kind' || key === 'apiVersion') continue;
    if (!isEqual(next[key], old[key])) return true;
  }
  return false;
}

/** Raises the generation when the desired state changed. In place. */
export function raiseGeneration(next: KubeObject, old: KubeObject, resource: Resource): void {
  const { strategy } = resource;
  if (!strategy.hasGeneration) return;
  const changed = specChanged(next, old, resource) || strategy.raisesGeneration?.(next, old) === true;
  next.metadata.generation = (old.metadata.generation ?? 0) + (changed ? 1 : 0);
}

/** Owner references that appear twice are said once; the real server warns about them. In place. */
export function dropDuplicateOwners(
  meta: ObjectMeta,
  warn: (text: string) => void,
  when: '' | ' after mutating admission happens' = '',
): void {
  const owners = meta.ownerReferences;
  if (!owners || owners.length < 2) return;
  const isRepeated = (ref: OwnerReference, i: number) => owners.findIndex(other => jsonEqual(ref, other)) < i;
  const repeated = owners.filter(isRepeated);
  if (repeated.length === 0) return;
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.map(ref => ref.uid).join(', ')}`,
  );
  meta.ownerReferences = owners.filter((ref, i) => !isRepeated(ref, i));
}
