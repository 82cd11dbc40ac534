import type { Json } from '../../util/json.ts';
import type { GoSlice, GoValue } from './go-value.ts';

/** A value as Go's JSON decoder makes it: objects are maps, all numbers float64. */
export function toGoValue(value: Json | undefined): GoValue {
  if (Array.isArray(value)) return value.map(toGoValue) satisfies GoSlice;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  return new Map(Object.entries(value).map(([key, item]) => [key, toGoValue(item)]));
}
