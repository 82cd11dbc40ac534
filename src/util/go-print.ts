import { formatFloat } from './go-float.ts';
import { isJsonObject } from './json.ts';

/** A JSON value as Go's `%v` prints it once decoded into `interface{}`: `map[a:1 b:[x <nil>]]`. */
export function goPrint(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPrint).join(' ')}]`;
  if (isJsonObject(value)) {
    const entries = Object.keys(value)
      .sort()
      .map(key => `${key}:${goPrint(value[key])}`);
    return `map[${entries.join(' ')}]`;
  }
  if (typeof value === 'number') return goPrintNumber(value);
  return typeof value === 'string' ? value : String(value as boolean | bigint);
}

// Whole numbers were integers in the JSON text.
function goPrintNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : formatFloat(value, 'g', -1);
}

/** The name Go's `%T` gives a decoded JSON value. */
export function goTypeName(value: unknown): string {
  if (value === null || value === undefined) return '%!s(<nil>)';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return 'map[string]interface {}';
}

const htmlCharacters = /[<>&\u2028\u2029]/;
const allHtmlCharacters = /[<>&\u2028\u2029]/g;

/** JSON text as Go's encoder writes it: `<`, `>`, `&` and the line separators are escaped. */
export function escapeHtmlInJson(json: string): string {
  if (!htmlCharacters.test(json)) return json;
  return json.replace(allHtmlCharacters, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
