import { CelError } from './cel.ts';
import { parseDuration, parseTimestamp, printDuration, printTimestamp } from './cel-time.ts';
import type { CelType } from './cel-type.ts';
import { Duration, isMap, mapGet, mapKeys, Optional, Timestamp, TypeValue, Uint } from './cel-values.ts';

/**
 * A JSON value as CEL holds it. The static type decides what a number is (int or double) and whether a string is a moment; without
 * one, whole numbers are ints. Objects and lists stay as they are: their parts are read when they are reached.
 */
export function readValue(value: unknown, type: CelType): unknown {
  switch (typeof value) {
    case 'number':
      if (type.kind === 'simple' && type.name === 'double') return value;
      return Number.isInteger(value) ? BigInt(value) : value;
    case 'bigint':
      return type.kind === 'simple' && type.name === 'double' ? Number(value) : value;
    case 'string':
      return type.kind === 'simple' && type.name !== 'string' ? readText(value, type.name) : value;
    default:
      return value;
  }
}

function readText(text: string, name: string): unknown {
  if (name === 'timestamp') return parseTimestamp(text);
  if (name === 'duration') return parseDuration(text);
  if (name === 'bytes') return Uint8Array.from(Buffer.from(text, 'base64'));
  return text;
}

const needsReading = new Set(['timestamp', 'duration', 'bytes']);
const readsRaw = new Set(['_==_', '_!=_', 'size', '_+_', '@in', 'sets.contains', 'sets.equivalent', 'sets.intersects']);

/** How a function wants a list argument: read item by item, unless it treats raw numbers and read ones alike. */
export function listForCall(name: string, type: CelType): ((value: unknown) => unknown) | undefined {
  if (type.kind === 'dyn')
    return readsRaw.has(name) ? undefined : value => (Array.isArray(value) ? value.map(item => readValue(item, type)) : value);
  if (type.kind !== 'list') return undefined;
  const { element } = type;
  const isRaw = element.kind === 'dyn' || (element.kind === 'simple' && !needsReading.has(element.name));
  if (element.kind !== 'dyn' && element.kind !== 'simple') return undefined;
  if (element.kind === 'simple' && (element.name === 'string' || element.name === 'bool')) return undefined;
  if (isRaw && readsRaw.has(name)) return undefined;
  return value => (Array.isArray(value) ? value.map(item => readValue(item, element)) : value);
}

/** The opposite: what CEL holds, as JSON. Values of library types stay what they are. */
export function toPlainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toPlainJson);
  if (value instanceof Uint) return toPlainJson(value.value);
  if (value instanceof Timestamp) return printTimestamp(value);
  if (value instanceof Duration) return printDuration(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Optional) return value.isPresent ? toPlainJson(value.value) : null;
  if (value instanceof TypeValue) return value.typeName;
  if (!isMap(value)) return value;
  const plain: Record<string, unknown> = {};
  for (const key of mapKeys(value)) {
    if (typeof key === 'object') throw new CelError('map key is not a string');
    plain[String(key)] = toPlainJson(mapGet(value, key));
  }
  return plain;
}
