import type { KubeObject } from '../../api/object.ts';
import { workAnnotations, type DriftExclusion } from '../../api/work.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import { isTarget } from './is-target.ts';

/** The steps of a JSON pointer. `*` stands for every field or item. */
export type Pointer = readonly string[];

/** What of an object others may change. */
export function pointersFor(obj: KubeObject, exclusions: readonly DriftExclusion[]): Pointer[] {
  return exclusions.filter(({ target }) => target === undefined || isTarget(obj, target)).flatMap(({ paths }) => paths.map(parsePointer));
}

/** Whether nothing about an object counts as drift, because its manifest says so, or somebody on the member. */
export function isIgnored(want: KubeObject, have: KubeObject | undefined): boolean {
  return [want, have].some(obj => obj?.metadata.annotations?.[workAnnotations.ignoreDrift] === 'true');
}

/** RFC 6901. A text without the leading slash, which the API refuses, is read as if it had one. */
export function parsePointer(text: string): Pointer {
  const steps = text.startsWith('/') ? text.slice(1) : text;
  return steps.split('/').map(step => step.replace(/~[01]/g, escaped => (escaped === '~1' ? '/' : '~')));
}

/** A copy without what the pointers point at. Places that do not exist are no matter. */
export function withoutPointers<T>(root: T, pointers: readonly Pointer[]): T {
  return pointers.reduce<unknown>((left, pointer) => without(left as Json, pointer), root) as T;
}

function without(value: Json, [step, ...rest]: Pointer): Json {
  if (step === undefined) return value;
  const isMeant = (key: string): boolean => step === '*' || step === key;
  if (Array.isArray(value)) {
    if (rest.length === 0) return value.filter((_, i) => !isMeant(String(i)));
    return value.map((item, i) => (isMeant(String(i)) ? without(item, rest) : item));
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (!isMeant(key)) return [[key, member]];
      return rest.length === 0 ? [] : [[key, without(member, rest)]];
    }),
  );
}
