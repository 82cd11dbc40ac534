import { tags } from './yaml-node.ts';

/** What plain text means: its tag, and its value as JSON has it. Times are RFC 3339. */
export interface ResolvedScalar {
  readonly tag: string;
  readonly value: null | boolean | number | bigint | string;
}

const words = new Map<string, ResolvedScalar>();
for (const word of ['true', 'True', 'TRUE']) words.set(word, { tag: tags.bool, value: true });
for (const word of ['false', 'False', 'FALSE']) words.set(word, { tag: tags.bool, value: false });
for (const word of ['', '~', 'null', 'Null', 'NULL']) words.set(word, { tag: tags.null, value: null });
for (const word of ['.nan', '.NaN', '.NAN']) words.set(word, { tag: tags.float, value: NaN });
for (const word of ['.inf', '.Inf', '.INF']) {
  words.set(word, { tag: tags.float, value: Infinity });
  words.set(`+${word}`, { tag: tags.float, value: Infinity });
  words.set(`-${word}`, { tag: tags.float, value: -Infinity });
}
words.set('<<', { tag: tags.merge, value: '<<' });

const mayBeMore = /^[-+0-9yYnNtTfFoO~.<]/;
const yamlFloat = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/** Gives plain text its type as Go's yaml.v3 does: `yes` and `on` are text, dates are times. */
export function resolvePlain(text: string): ResolvedScalar {
  if (text !== '' && !mayBeMore.test(text)) return { tag: tags.str, value: text };
  const word = words.get(text);
  if (word) return word;
  const first = text[0]!;
  if (first === '.') {
    if (yamlFloat.test(text) && Number.isFinite(Number(text))) return { tag: tags.float, value: Number(text) };
  } else if (/[-+0-9]/.test(first)) {
    const time = parseTimestamp(text);
    if (time !== undefined) return { tag: tags.timestamp, value: time };
    const number = resolveNumber(text.replaceAll('_', ''));
    if (number) return number;
  }
  return { tag: tags.str, value: text };
}

const integer = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const [minSigned, maxSigned, maxUnsigned] = [-(2n ** 63n), 2n ** 63n - 1n, 2n ** 64n - 1n];
const maxDigits = 80;

function resolveNumber(text: string): ResolvedScalar | undefined {
  const match = text.length <= maxDigits ? integer.exec(text) : null;
  if (match) {
    const [, sign = '', hex, binary, octal, decimal] = match;
    const size = BigInt(
      hex !== undefined ? `0x${hex}` : binary !== undefined ? `0b${binary}` : octal !== undefined ? `0o${octal}` : decimal!,
    );
    const value = sign === '-' ? -size : size;
    if (value >= minSigned && (value <= maxSigned || (sign === '' && value <= maxUnsigned))) {
      const small = Number(value);
      return { tag: tags.int, value: Number.isSafeInteger(small) ? small : value };
    }
  }
  const value = Number(text);
  return yamlFloat.test(text) && Number.isFinite(value) ? { tag: tags.float, value } : undefined;
}

const timestamp =
  /^([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})([.,][0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2}))|(?: ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})([.,][0-9]+)?))?$/;

/** The time as Go prints it in JSON, or undefined when the text is no time. */
function parseTimestamp(text: string): string | undefined {
  const match = timestamp.exec(text);
  if (!match) return undefined;
  const [, year = '', month = '', day = '', h1, m1, s1, f1, zone = 'Z', h2, m2, s2, f2] = match;
  const [hour, minute, second] = [h1 ?? h2 ?? '0', m1 ?? m2 ?? '0', s1 ?? s2 ?? '0'];
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day) || Number(day) === 0) return undefined;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const fraction = (f1 ?? f2 ?? '').slice(1, 10).replace(/0+$/, '');
  const two = (part: string) => part.padStart(2, '0');
  const end = zone === '+00:00' || zone === '-00:00' ? 'Z' : zone;
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}:${two(second)}${fraction === '' ? '' : `.${fraction}`}${end}`;
}
