import { union } from './field-set.ts';
import { makeOwner, secondsOf, withSet, type Owner, type Owners } from './owner.ts';

const maxUpdaters = 10;
const bucketName = 'ancient-changes';

/** Merges the oldest updaters of each version into one entry until at most ten updaters are left. In place. */
export function capUpdates(owners: Owners): void {
  if (owners.size <= maxUpdaters) return;
  const updaters = [...owners.values()].filter(owner => owner.operation === 'Update').sort(byAge);
  let count = updaters.length;
  const firstOf = new Map<string, Owner>();
  for (const owner of updaters) {
    if (count <= maxUpdaters) return;
    const first = firstOf.get(owner.apiVersion);
    if (first === undefined) {
      firstOf.set(owner.apiVersion, owner);
      continue;
    }
    mergeIntoBucket(owners, first, owner);
    count--;
  }
}

function byAge(a: Owner, b: Owner): number {
  return secondsOf(a.time) - secondsOf(b.time) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function mergeIntoBucket(owners: Owners, first: Owner, owner: Owner): void {
  const empty = makeOwner({ ...first, manager: bucketName, subresource: '', operation: 'Update' });
  const bucket = owners.get(empty.id) ?? empty;
  if (!owners.has(empty.id)) owners.delete(first.id);
  owners.delete(owner.id);
  owners.set(bucket.id, { ...withSet(bucket, union(owner.set, bucket.set)), time: owner.time });
}
