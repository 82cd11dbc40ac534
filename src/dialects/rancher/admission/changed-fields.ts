import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual, type Json } from '../../../util/json.ts';

/** Absent, false and empty say the same. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

export function differs(a: unknown, b: unknown): boolean {
  return !(isEmpty(a) && isEmpty(b)) && !jsonEqual((a ?? null) as Json, (b ?? null) as Json);
}

/** Which of the fields beside `metadata` are not the same in two objects. */
export function changedFields(old: KubeObject, next: KubeObject): string[] {
  const names = new Set([...Object.keys(old), ...Object.keys(next)]);
  for (const name of ['apiVersion', 'kind', 'metadata', 'status']) names.delete(name);
  return [...names].filter(name => differs(old[name], next[name])).sort();
}
