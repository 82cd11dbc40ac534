import { YamlError } from './yaml-cursor.ts';
import type { ScalarEvent } from './yaml-parser.ts';

/** What a scalar means. Floats are told apart from integers, which they may equal. */
export type YamlScalar =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: number | bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'str' | 'timestamp' | 'merge'; readonly value: string };

const prefix = 'tag:yaml.org,2002:';
const resolvable = new Set(['', 'str', 'bool', 'int', 'float', 'null', 'timestamp'].map(name => (name === '' ? '' : prefix + name)));
const nothing: YamlScalar = { type: 'null' };

const words = new Map<string, YamlScalar>();
for (const word of ['y', 'yes', 'true', 'on']) addWord(word, { type: 'bool', value: true });
for (const word of ['n', 'no', 'false', 'off']) addWord(word, { type: 'bool', value: false });
for (const word of ['', '~', 'null', 'Null', 'NULL']) words.set(word, nothing);
for (const word of ['nan', 'NaN', 'NAN']) words.set(`.${word}`, { type: 'float', value: NaN });
for (const word of ['.inf', '.Inf', '.INF']) {
  words.set(word, { type: 'float', value: Infinity });
  words.set(`+${word}`, { type: 'float', value: Infinity });
  words.set(`-${word}`, { type: 'float', value: -Infinity });
}
words.set('<<', { type: 'merge', value: '<<' });

function addWord(word: string, meaning: YamlScalar): void {
  for (const form of [word, word[0]!.toUpperCase() + word.slice(1), word.toUpperCase()]) words.set(form, meaning);
}

/** Gives a scalar its type, as YAML 1.1 does without times and without base 60. */
export function resolveScalar({ tag, value, isImplicit }: ScalarEvent): YamlScalar {
  if (tag === '' && !isImplicit) return { type: 'str', value };
  if (tag === `${prefix}binary`) return { type: 'str', value: decodeBase64(value) };
  if (!resolvable.has(tag) || tag === `${prefix}str`) return { type: 'str', value };
  const meant = tag.slice(prefix.length);
  const found = typeOf(value, meant === '' || meant === 'timestamp');
  if (meant === '' || meant === found.type) return found;
  if (meant === 'float' && found.type === 'int') return { type: 'float', value: Number(found.value) };
  throw new YamlError(`yaml: cannot decode !!${found.type} \`${value}\` as a !!${meant}`);
}

const base60 = /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/;

/** True when a text without quotes is read back as that text, also by readers that know base 60. */
export const isPlainText = (text: string): boolean => typeOf(text, true).type === 'str' && !base60.test(text);

const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const timestamp =
  /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt][0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?(Z|[-+][0-9]{2}:[0-9]{2})|( [0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(\.[0-9]+)?))?$/;

/** First characters of everything that may be more than a string. */
const telling = new Set('-+0123456789yYnNtTfFoO~.');

function typeOf(text: string, mayBeTime: boolean): YamlScalar {
  const first = text[0] ?? 'n';
  if (!telling.has(first)) return { type: 'str', value: text };
  const word = words.get(text);
  if (word) return word;
  if (first === '.') return floatOf(text) ?? { type: 'str', value: text };
  if (!'-+0123456789'.includes(first)) return { type: 'str', value: text };
  if (mayBeTime && timestamp.test(text) && isDate(text)) return { type: 'timestamp', value: text };
  const plain = text.replaceAll('_', '');
  return integerOf(plain) ?? floatOf(plain) ?? { type: 'str', value: text };
}

/** Whether the day and the time at the beginning of a timestamp exist. */
function isDate(text: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/[-Tt: .,Z+]/).map(Number);
  const date = new Date(Date.UTC(2000, month - 1, 1));
  date.setUTCFullYear(year, month - 1, day);
  return month >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
}

function floatOf(text: string): YamlScalar | undefined {
  const value = Number(text);
  return float.test(text) && Number.isFinite(value) ? { type: 'float', value } : undefined;
}

const integer = /^([-+]?)(?:0([xX])([0-9a-fA-F]+)|0([bB])([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const maxUnsigned = 2n ** 64n - 1n;
const minSigned = -(2n ** 63n);
const maxDigits = 64;

const smallInteger = /^(0|[1-9][0-9]{0,14})$/;

function integerOf(text: string): YamlScalar | undefined {
  if (smallInteger.test(text)) return { type: 'int', value: Number(text) };
  const match = integer.exec(text);
  if (!match) return undefined;
  const [, sign, , hex, , binary, octal, decimal] = match;
  const digits = (hex ?? binary ?? octal ?? decimal)!.replace(/^0+(?=.)/, '');
  if (digits.length > maxDigits) return undefined;
  const radix = hex !== undefined ? '0x' : binary !== undefined ? '0b' : octal !== undefined ? '0o' : '';
  const size = BigInt(radix + digits);
  const value = sign === '-' ? -size : size;
  // Only what has no sign may need the 64th bit.
  if (value < minSigned || value > (sign === '' ? maxUnsigned : -minSigned - 1n)) return undefined;
  const small = Number(value);
  return { type: 'int', value: Number.isSafeInteger(small) ? small : value };
}

function decodeBase64(text: string): string {
  const compact = text.replace(/[\r\n]/g, '');
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
    throw new YamlError('yaml: !!binary value contains invalid base64 data');
  }
  return Buffer.from(compact, 'base64').toString('utf8');
}
