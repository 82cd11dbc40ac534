import { CelError } from './cel.ts';

/** Runtime values: int is bigint, double is number, list is an array, map is a plain object or (with other than string keys) a Map. */
export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class Timestamp {
  /** Since the epoch. */
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
  get isPresent(): boolean {
    return this !== Optional.none;
  }
}

export class TypeValue {
  readonly typeName: string;
  constructor(typeName: string) {
    this.typeName = typeName;
  }
}

/** A value of a library type: quantity, URL, address. Knows its CEL type and when it equals another of its kind. */
export interface OpaqueValue {
  readonly celTypeName: string;
  celEquals(other: OpaqueValue): boolean;
}

export function isOpaque(value: unknown): value is OpaqueValue {
  return typeof value === 'object' && value !== null && 'celTypeName' in value && typeof value.celTypeName === 'string';
}

export const minInt = -9223372036854775808n;
export const maxInt = 9223372036854775807n;

export function checkedInt(value: bigint): bigint {
  if (value > maxInt || value < minInt) throw new CelError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): Uint {
  if (value < 0n || value > 18446744073709551615n) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

/** The runtime type name, as `type(x)` and messages print it. */
export function typeNameOf(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
  }
  if (value === null || value === undefined) return 'null_type';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof TypeValue) return 'type';
  return isOpaque(value) ? value.celTypeName : 'map';
}

export function isMap(value: unknown): value is Record<string, unknown> | Map<unknown, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  if (value instanceof Map) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function mapSize(map: Record<string, unknown> | Map<unknown, unknown>): number {
  if (map instanceof Map) return map.size;
  let size = 0;
  for (const key in map) if (map[key] !== undefined) size++;
  return size;
}

export function mapKeys(map: Record<string, unknown> | Map<unknown, unknown>): unknown[] {
  if (map instanceof Map) return [...map.values()].map(entry => (entry as MapSlot).key);
  return Object.keys(map).filter(key => map[key] !== undefined);
}

/** Maps with other than string keys hold their entries by a normal form of the key, so that 1, 1u and 1.0 are one key. */
export interface MapSlot {
  readonly key: unknown;
  readonly value: unknown;
}

function keyForm(key: unknown): unknown {
  if (typeof key === 'string') return `s${key}`;
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number' && Number.isInteger(key)) return BigInt(key);
  return key;
}

export function mapGet(map: Record<string, unknown> | Map<unknown, unknown>, key: unknown): unknown {
  if (map instanceof Map) return (map.get(keyForm(key)) as MapSlot | undefined)?.value;
  return typeof key === 'string' && Object.hasOwn(map, key) ? map[key] : undefined;
}

/** A map of evaluated entries: a plain object when all keys are strings. */
export function makeMap(entries: readonly (readonly [unknown, unknown])[]): Record<string, unknown> | Map<unknown, unknown> {
  if (entries.every(([key]) => typeof key === 'string' && key !== '__proto__')) return Object.fromEntries(entries as [string, unknown][]);
  return new Map(entries.map(([key, value]) => [keyForm(key), { key, value } satisfies MapSlot]));
}

/** Equality across numeric types; values of different kinds are unequal, never an error. */
export function celEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a instanceof Uint) return celEqual(a.value, b instanceof Uint ? b.value : b);
  if (b instanceof Uint) return celEqual(a, b.value);
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    const areNumbers = (typeof a === 'bigint' || typeof a === 'number') && (typeof b === 'bigint' || typeof b === 'number');
    // oxlint-disable-next-line eqeqeq -- a bigint equals a number of the same value only loosely
    return areNumbers && a == b;
  }
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => celEqual(item, b[i]));
  if (a instanceof Timestamp) return b instanceof Timestamp && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.typeName === b.typeName;
  if (a instanceof Optional) return b instanceof Optional && a.isPresent === b.isPresent && (!a.isPresent || celEqual(a.value, b.value));
  if (isOpaque(a)) return isOpaque(b) && a.celTypeName === b.celTypeName && a.celEquals(b);
  if (!isMap(a) || !isMap(b) || mapSize(a) !== mapSize(b)) return false;
  return mapKeys(a).every(key => {
    const right = mapGet(b, key);
    return right !== undefined && celEqual(mapGet(a, key), right);
  });
}

/** Negative, zero or positive; throws when the two have no order. */
export function celCompare(a: unknown, b: unknown): number {
  const left = ordered(a);
  const right = ordered(b);
  const areNumbers = isNumeric(left) && isNumeric(right) && isNumeric(a instanceof Uint ? 0n : a) === isNumeric(b instanceof Uint ? 0n : b);
  if (areNumbers && sameOrder(a, b)) return (left as number) < (right as number) ? -1 : (left as number) > (right as number) ? 1 : 0;
  if (typeof left === 'string' && typeof right === 'string') return compareStrings(left, right);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  throw new CelError('no such overload');
}

function ordered(value: unknown): unknown {
  if (value instanceof Uint) return value.value;
  return value instanceof Timestamp || value instanceof Duration ? value.nanos : value;
}

const isNumeric = (value: unknown): boolean => typeof value === 'bigint' || typeof value === 'number';
const isMoment = (value: unknown): unknown => (value instanceof Timestamp ? Timestamp : value instanceof Duration ? Duration : undefined);
const sameOrder = (a: unknown, b: unknown): boolean => isMoment(a) === isMoment(b);

/** Go orders strings by bytes, JavaScript by UTF-16 units; they differ only beyond the basic plane. */
function compareStrings(a: string, b: string): number {
  if (a === b) return 0;
  // oxlint-disable-next-line no-control-regex -- the test is whether all is ASCII
  if (/^[\x00-\x7f]*$/.test(a) && /^[\x00-\x7f]*$/.test(b)) return a < b ? -1 : 1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
