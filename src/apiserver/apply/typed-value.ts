import { goQuoteList } from '../../util/go-quote.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import type { ListMerge, MergeType, ObjectMerge, UntypedMerge } from '../schema/merge-type.ts';
import { keyElement, valueElement } from './path-element.ts';

/** A value that may be absent; null is a value. */
export type Value = Json | undefined;

/** A value does not fit its type. The message is what structured-merge-diff says. */
export class TypedError extends Error {}

export const untyped: UntypedMerge = { type: 'untyped' };

/** Whether the field is one the type names, rather than one it merely allows. */
export function declares(type: ObjectMerge, name: string): boolean {
  return type.declares === undefined ? !type.open && type.field(name) !== undefined : type.declares(name);
}

export function fieldType(type: ObjectMerge, name: string): MergeType {
  return type.field(name) ?? untyped;
}

export type Shape = 'scalar' | 'list' | 'map';

/** What an untyped value is taken for; null and nothing pass for maps, because maps are tried first. */
export function shapeOf(value: Value): Shape {
  if (Array.isArray(value)) return 'list';
  return value === null || value === undefined || typeof value === 'object' ? 'map' : 'scalar';
}

const untypedMap: ObjectMerge = { type: 'object', atomic: false, open: true, field: () => untyped };
const untypedList: ListMerge = { type: 'list', listType: 'atomic', keys: [], keyDefaults: {}, element: untyped };
const untypedScalar: MergeType = { type: 'scalar', scalar: 'any' };

export function typeForShape(shape: Shape): MergeType {
  return shape === 'map' ? untypedMap : shape === 'list' ? untypedList : untypedScalar;
}

/** The one type an untyped value is handled as; typed ones are what they are. */
export function resolve(type: MergeType, value: Value): MergeType {
  return type.type === 'untyped' ? typeForShape(shapeOf(value)) : type;
}

export function asMap(value: Value): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function asList(value: Value): Json[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

export function isEmptyMap(map: JsonObject | undefined): boolean {
  if (map === undefined) return true;
  for (const _ in map) return false;
  return true;
}

interface KeyPlan {
  readonly names: readonly string[];
  readonly defaults: readonly (Json | undefined)[];
}
const keyPlans = new WeakMap<ListMerge, KeyPlan>();

function keyPlanOf(type: ListMerge): KeyPlan {
  const known = keyPlans.get(type);
  if (known !== undefined) return known;
  const names = [...type.keys].sort();
  const plan = { names, defaults: names.map(name => type.keyDefaults[name] as Json | undefined) };
  keyPlans.set(type, plan);
  return plan;
}

/** The path element that names an item of a set or a keyed list. */
export function itemElement(type: ListMerge, item: Json): string {
  if (type.listType === 'atomic') throw new TypedError('invalid indexing of non-associative list');
  if (type.listType === 'set') return setElement(item);
  if (item === null) throw new TypedError('associative list with keys may not have a null element');
  if (!isJsonObject(item)) throw new TypedError('associative list with keys may not have non-map elements');

  const { names, defaults } = keyPlanOf(type);
  if (names.length === 1) {
    const value = valueOr(item[names[0] as string], defaults[0]);
    if (value !== undefined) return keyElement(names, [value]);
  } else {
    const values = names.map((name, i) => valueOr(item[name], defaults[i]));
    if (values.some(value => value !== undefined)) return keyElement(names, values);
  }
  throw new TypedError(
    `associative list with keys has an element that omits all key fields ${goQuoteList(type.keys)} (and doesn't have default values for any key fields)`,
  );
}

const valueOr = (value: Value, otherwise: Value) => (value === undefined ? otherwise : value);

function setElement(item: Json): string {
  if (Array.isArray(item)) throw new TypedError('not supported: associative list with lists as elements');
  if (item === null) throw new TypedError("associative list without keys has an element that's an explicit null");
  if (typeof item === 'object') throw new TypedError("associative list without keys has an element that's a map type");
  return valueElement(item);
}
