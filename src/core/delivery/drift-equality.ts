import { compareQuantities, parseQuantity, QuantityError, type Quantity } from '../../api/quantity.ts';
import { isJsonObject, jsonEqual } from '../../util/json.ts';

/**
 * Whether a member may have stored `want` as `have`: quantities in another form, empty values left out, defaults filled in below. It is
 * generous on purpose and only asked about fields that nobody else has written, or to tell what deserves a second look.
 */
export function mayBeSame(want: unknown, have: unknown): boolean {
  if (jsonEqual(want, have)) return true;
  if (have === undefined || have === null) return isEmpty(want);
  // Where zero stands for "not said", defaults take its place.
  if (want === '' || want === null || (want === 0 && typeof have === 'number')) return true;
  if (Array.isArray(want)) return Array.isArray(have) && want.length === have.length && want.every((item, i) => mayBeSame(item, have[i]));
  if (isJsonObject(want)) {
    if (!isJsonObject(have)) return false;
    return Object.keys(want).every(key => mayBeSame(want[key], Object.hasOwn(have, key) ? have[key] : undefined));
  }
  return isSameQuantity(want, have);
}

/** What Go leaves out when it prints: the zero of every type. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === 0 || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every(isEmpty);
}

function isSameQuantity(want: unknown, have: unknown): boolean {
  const a = readQuantity(want);
  const b = readQuantity(have);
  return a !== undefined && b !== undefined && compareQuantities(a, b) === 0;
}

/** Longer texts are no quantities, and comparing absurd exponents would cost. */
const maxLength = 32;

function readQuantity(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return undefined;
  const text = String(value);
  if (text.length > maxLength) return undefined;
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
