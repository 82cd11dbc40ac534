import { createHash, randomInt } from 'node:crypto';
import { byteLength, compareText, sliceBytes, toBytes } from '../go/go-bytes.ts';
import { goQuote } from '../../util/go-quote.ts';
import { printValue } from '../go/go-format.ts';
import { fn, variadic } from '../go/go-function.ts';
import { stringMap, stringSlice } from '../go/go-type.ts';
import { GoError, isSlice, typed, type GoFunction, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';
import { takeRoom } from '../go/rendering.ts';
import { textOf } from './convert.ts';
import { kebabCase, lowerCase, pascalCase, shuffle, snakeCase, swapCase, titleCase, uncapitalize, upperCase } from './letter-case.ts';
import { abbreviate, initials, wrap } from './words.ts';

export const stringFunctions: Readonly<Record<string, GoFunction>> = {
  hello: fn([], () => 'Hello!'),
  abbrev: fn(['int', 'string'], (width, text) => (width < 4 ? text : abbreviate(text, 0, width))),
  abbrevboth: fn(['int', 'int', 'string'], (left, right, text) =>
    right < 4 || (left > 0 && right < 7) ? text : abbreviate(text, left, right),
  ),
  trunc: fn(['int', 'string'], truncate),
  trim: fn(['string'], trimSpace),
  upper: fn(['string'], upperCase),
  lower: fn(['string'], lowerCase),
  title: fn(['string'], titleCase),
  untitle: fn(['string'], uncapitalize),
  substr: fn(['int', 'int', 'string'], substring),
  repeat: fn(['int', 'string'], repeat),
  trimall: fn(['string', 'string'], (letters, text) => trimLetters(text, letters)),
  trimAll: fn(['string', 'string'], (letters, text) => trimLetters(text, letters)),
  trimSuffix: fn(['string', 'string'], (end, text) => (end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text)),
  trimPrefix: fn(['string', 'string'], (start, text) => (text.startsWith(start) ? text.slice(start.length) : text)),
  nospace: fn(['string'], text => text.replace(/\p{White_Space}/gu, '')),
  initials: fn(['string'], initials),
  randAlphaNum: fn(['int'], count => randomText(count, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')),
  randAlpha: fn(['int'], count => randomText(count, 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')),
  randAscii: fn(['int'], count => randomText(count, asciiLetters)),
  randNumeric: fn(['int'], count => randomText(count, '0123456789')),
  swapcase: fn(['string'], swapCase),
  shuffle: fn(['string'], shuffle),
  snakecase: fn(['string'], snakeCase),
  camelcase: fn(['string'], pascalCase),
  kebabcase: fn(['string'], kebabCase),
  wrap: fn(['int', 'string'], (width, text) => wrap(text, width, '', false)),
  wrapWith: fn(['int', 'string', 'string'], (width, separator, text) => wrap(text, width, separator, true)),
  contains: fn(['string', 'string'], (part, text) => text.includes(part)),
  hasPrefix: fn(['string', 'string'], (start, text) => text.startsWith(start)),
  hasSuffix: fn(['string', 'string'], (end, text) => text.endsWith(end)),
  quote: variadic([], 'any', (...values) =>
    present(values)
      .map(value => goQuote(textOf(value)))
      .join(' '),
  ),
  squote: variadic([], 'any', (...values) =>
    present(values)
      .map(value => `'${printValue(value)}'`)
      .join(' '),
  ),
  cat: variadic([], 'any', (...values) => present(values).map(printValue).join(' ')),
  indent: fn(['int', 'string'], indent),
  nindent: fn(['int', 'string'], (spaces, text) => `\n${indent(spaces, text)}`),
  replace: fn(['string', 'string', 'string'], (old, replacement, text) => replaceAll(text, old, replacement)),
  plural: fn(['string', 'string', 'int'], (one, many, count) => (count === 1 ? one : many)),
  sha1sum: fn(['string'], text => digest('sha1', text)),
  sha256sum: fn(['string'], text => digest('sha256', text)),
  sha512sum: fn(['string'], text => digest('sha512', text)),
  adler32sum: fn(['string'], adler32),
  toString: fn(['any'], textOf),
  toStrings: fn(['any'], toStrings),
  join: fn(['string', 'any'], (separator, list) => toStrings(list).join(separator)),
  split: fn(['string', 'string'], (separator, text) => numbered(splitText(text, separator))),
  splitn: fn(['string', 'int', 'string'], (separator, count, text) => numbered(splitFirst(text, separator, count))),
  splitList: fn(['string', 'string'], (separator, text) => typed<GoSlice>(splitText(text, separator), stringSlice)),
  sortAlpha: fn(['any'], list => typed<GoSlice>(isSlice(list) ? toStrings(list).sort(compareText as never) : [textOf(list)], stringSlice)),
};

const asciiLetters = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('');

const present = (values: readonly GoValue[]): GoValue[] => values.filter(value => value !== null && value !== undefined);

/** What Go's unicode.IsSpace calls space. */
const spaceStart = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const spaceEnd = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+$/;

export function trimSpace(text: string): string {
  return text.replace(spaceStart, '').replace(spaceEnd, '');
}

function trimLetters(text: string, letters: string): string {
  const set = new Set(letters);
  const all = [...text];
  let from = 0;
  let to = all.length;
  while (from < to && set.has(all[from]!)) from++;
  while (to > from && set.has(all[to - 1]!)) to--;
  return all.slice(from, to).join('');
}

function truncate(count: number, text: string): string {
  const size = byteLength(text);
  if (count < 0 && size + count > 0) return sliceBytes(text, size + count, size);
  return count >= 0 && size > count ? sliceBytes(text, 0, count) : text;
}

function substring(start: number, end: number, text: string): string {
  const size = byteLength(text);
  if (start < 0) return checkedSlice(text, 0, end, size, `:${end}`);
  if (end < 0 || end > size) return checkedSlice(text, start, size, size, `${start}:`);
  return checkedSlice(text, start, end, size, `${start}:${end}`);
}

function checkedSlice(text: string, from: number, to: number, size: number, written: string): string {
  if (to < 0 || to > size) throw new GoError(`runtime error: slice bounds out of range [:${to}]${to < 0 ? '' : ` with length ${size}`}`);
  if (from > to) throw new GoError(`runtime error: slice bounds out of range [${written.endsWith(':') ? `${from}:${to}` : written}]`);
  return sliceBytes(text, from, to);
}

function repeat(count: number, text: string): string {
  if (count < 0) throw new GoError('strings: negative Repeat count');
  takeRoom(count * text.length);
  return text.repeat(count);
}

export function indent(spaces: number, text: string): string {
  const pad = repeat(spaces, ' ');
  if (spaces > 64) takeRoom(spaces * text.length);
  return pad + text.replaceAll('\n', `\n${pad}`);
}

/** strings.Replace: an empty text is found between all letters. */
export function replaceAll(text: string, old: string, replacement: string): string {
  takeRoom((text.length / Math.max(old.length, 1)) * replacement.length);
  if (old !== '') return text.split(old).join(replacement);
  const letters = [...text];
  return letters.length === 0 ? replacement : `${replacement}${letters.join(replacement)}${replacement}`;
}

/** strings.Split. */
function splitText(text: string, separator: string): string[] {
  return separator === '' ? [...text] : text.split(separator);
}

/** strings.SplitN. */
function splitFirst(text: string, separator: string, count: number): string[] {
  if (count === 0) return [];
  const parts = splitText(text, separator);
  return count < 0 || parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

const numbered = (parts: readonly string[]): GoMap =>
  typed(new Map(parts.map((part, i) => [`_${i}`, part] as [string, GoValue])) as GoMap, stringMap);

export function toStrings(value: GoValue): string[] & GoSlice {
  const list = isSlice(value) ? present(value).map(textOf) : value === null || value === undefined ? [] : [textOf(value)];
  return typed(list as string[] & GoSlice, stringSlice);
}

const digest = (algorithm: string, text: string): string => createHash(algorithm).update(toBytes(text)).digest('hex');

function adler32(text: string): string {
  let a = 1;
  let b = 0;
  for (const byte of toBytes(text)) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return String(b * 65536 + a);
}

function randomText(count: number, letters: string): string {
  if (count < 0) return '';
  takeRoom(count);
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]!).join('');
}
