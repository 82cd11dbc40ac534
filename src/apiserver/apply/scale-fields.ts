import type { ManagedFieldsEntry } from '../../api/object.ts';
import { difference, hasPath, isEmptySet, setOfPaths } from './field-set.ts';
import { decodeOwners, encodeOwners, withSet, type Owners } from './owner.ts';

/** Where each version of a kind keeps its replicas; null for versions without scale. A version that is missing is unknown. */
export type ReplicasPaths = Readonly<Record<string, readonly string[] | null>>;

const scaleVersion = 'autoscaling/v1';
const scaleSet = setOfPaths([['f:spec', 'f:replicas']]);
const elementsOf = (path: readonly string[]) => path.map(name => `f:${name}`);

/** The managedFields a Scale shows: those entries of its parent that own the replicas. */
export function toScaleEntries(parent: readonly ManagedFieldsEntry[] | undefined, paths: ReplicasPaths): ManagedFieldsEntry[] | undefined {
  const scale: Owners = new Map();
  for (const owner of decodeOwners(parent).values()) {
    const path = paths[owner.apiVersion];
    if (path && hasPath(owner.set, elementsOf(path))) scale.set(owner.id, { ...withSet(owner, scaleSet), apiVersion: scaleVersion });
  }
  return encodeOwners(scale);
}

/** The parent's managedFields after its Scale was written: who lost the replicas there loses them here. */
export function toParentEntries(
  parent: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  parentVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const before = decodeOwners(parent);
  const scaleOwners = decodeOwners(scale);
  const after: Owners = new Map();
  for (const owner of before.values()) {
    const path = paths[owner.apiVersion];
    if (path === undefined) continue;
    const elements = path === null ? [] : elementsOf(path);
    if (!hasPath(owner.set, elements) || [...scaleOwners.keys()].includes(owner.id)) {
      after.set(owner.id, owner);
      if (hasPath(owner.set, elements)) scaleOwners.delete(owner.id);
      continue;
    }
    const rest = difference(owner.set, setOfPaths([elements]));
    if (!isEmptySet(rest)) after.set(owner.id, withSet(owner, rest));
  }
  const target = paths[parentVersion];
  if (!target) return encodeOwners(after);
  for (const owner of scaleOwners.values()) {
    if (!hasPath(owner.set, ['f:spec', 'f:replicas'])) continue;
    const set = setOfPaths([elementsOf(target)]);
    after.set(owner.id, { ...withSet(owner, set), apiVersion: parentVersion, time: before.get(owner.id)?.time });
  }
  return encodeOwners(after);
}
