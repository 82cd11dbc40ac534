/** A JSON value. Integers beyond 2^53 are bigints, so that int64 fields survive unharmed. */
export type Json = null | boolean | number | bigint | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Only a run of 16 or more digits can be an integer that a double cannot hold; everything else takes the native fast path.
const mayHoldBigInteger = /[0-9]{16}/;
const wholeNumber = /^-?[0-9]+$/;

/** Parses JSON text without losing integers. Throws SyntaxError as JSON.parse does. */
export function parseJson(text: string): Json {
  if (!mayHoldBigInteger.test(text)) return JSON.parse(text) as Json;

  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value) || !wholeNumber.test(source)) return value;
    return BigInt(source);
  }) as Json;
}

const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Prints JSON; bigints become plain integers. */
export function printJson(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch (error) {
    // Bigints are rare, and looking for them costs more than all the rest of printing.
    if (!(error instanceof TypeError)) throw error;
    return JSON.stringify(value, (_key, v: unknown) => (typeof v === 'bigint' ? rawJson(v.toString()) : v), indent);
  }
}

/** Deep equality of JSON values. The order of keys does not matter; a key that is undefined counts as absent. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return typeof a === 'number' && typeof b === 'number' && Number.isNaN(a) && Number.isNaN(b);
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => jsonEqual(item, b[i]));
  }
  if (Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  let present = 0;
  for (const key in left) {
    if (left[key] === undefined) continue;
    present++;
    if (right[key] === undefined || !jsonEqual(left[key], right[key])) return false;
  }
  for (const key in right) if (right[key] !== undefined) present--;
  return present === 0;
}

/** A deep copy that shares nothing with the original. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  const copy: Record<string, unknown> = {};
  for (const key in value) setMember(copy, key, cloneJson((value as Record<string, unknown>)[key]));
  return copy as T;
}

/** The member of that name, if the object has one of its own: what every object has, such as `constructor`, is none. */
export const getMember = <T>(object: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Sets a member of that name, whatever the name is. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  // Assigning this one would set the prototype instead.
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** The same value with the keys of every object in order. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sortKeys(value[key] as Json)]),
  );
}
