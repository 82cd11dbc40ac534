import type { KubeObject } from '../../../api/object.ts';
import { refKey, refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { ReleaseRecord } from './book.ts';
import { isCore } from './pod-template.ts';
import { sortObjects } from './sort-objects.ts';
import type { NextWork } from './step.ts';

export const keyOf = (obj: KubeObject): string => refKey(refOf(obj));
export const keysOf = (objects: readonly KubeObject[]): ReadonlySet<string> => new Set(objects.map(keyOf));
export const without = (objects: readonly KubeObject[], keys: ReadonlySet<string>): KubeObject[] =>
  objects.filter(obj => !keys.has(keyOf(obj)));

/** One of each: the later ones count. */
export const merged = (...lists: readonly (readonly KubeObject[])[]): KubeObject[] => [
  ...new Map(lists.flat().map(obj => [keyOf(obj), obj])).values(),
];

export const find = (objects: readonly KubeObject[], ref: ObjectRef): KubeObject | undefined => {
  const key = refKey(ref);
  return objects.find(obj => keyOf(obj) === key);
};

/** All that a Work holds, in the order in which it is applied: the records before what they tell of, so that no number is lost. */
export function composeWork(objects: readonly KubeObject[], records: readonly ReleaseRecord[]): KubeObject[] {
  const sorted = sortObjects(objects);
  const namespaces = sorted.filter(obj => isCore(obj, 'Namespace'));
  const rest = sorted.filter(obj => !isCore(obj, 'Namespace'));
  return [...namespaces, ...records.flatMap(({ secret }) => secret ?? []), ...rest];
}

export const nextWork = (objects: readonly KubeObject[], rest: Partial<Omit<NextWork, 'objects'>> = {}): NextWork => ({
  remove: [],
  contents: [],
  lines: [],
  status: {},
  outputs: {},
  ...rest,
  objects,
});
