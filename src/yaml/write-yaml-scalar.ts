import type { YamlSink } from './yaml-sink.ts';

export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal';

interface Traits {
  readonly isMultiline: boolean;
  readonly mayBePlain: boolean;
  readonly mayBeSingleQuoted: boolean;
  readonly mayBeBlock: boolean;
}

const breakChar = /^[\r\n\u0085\u2028\u2029]$/;
const isBreak = (char: string | undefined) => char !== undefined && breakChar.test(char);
const isBlank = (char: string | undefined) => char === undefined || char === ' ' || char === '\t';
const anyBreak = /[\r\n\u0085\u2028\u2029]/;
// What is beyond the basic plane is escaped too, and so is the tab.
const unprintable = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
const alwaysTelling = new Set('#,[]{}&*!|>\'"%@`');

export const isMultiline = (text: string): boolean => anyBreak.test(text);

/** Writes a scalar in the style asked for, or in the nearest that can hold it. */
export function writeScalar(sink: YamlSink, text: string, wanted: ScalarStyle, isSimpleKey: boolean): void {
  const chars = [...text];
  switch (styleFor(text, traitsOf(text, chars), wanted, isSimpleKey)) {
    case 'plain':
      return writePlain(sink, chars, !isSimpleKey);
    case 'single':
      return writeSingleQuoted(sink, chars, !isSimpleKey);
    case 'double':
      return writeDoubleQuoted(sink, chars, !isSimpleKey);
    case 'literal':
      return writeLiteral(sink, chars);
  }
}

function styleFor(text: string, traits: Traits, wanted: ScalarStyle, isSimpleKey: boolean): ScalarStyle {
  let style = isSimpleKey && traits.isMultiline ? 'double' : wanted;
  if (style === 'plain' && (!traits.mayBePlain || (text === '' && isSimpleKey))) style = 'single';
  if (style === 'single' && !traits.mayBeSingleQuoted) style = 'double';
  if (style === 'literal' && (!traits.mayBeBlock || isSimpleKey)) style = 'double';
  return style;
}

function traitsOf(text: string, chars: readonly string[]): Traits {
  if (text === '') return { isMultiline: false, mayBePlain: true, mayBeSingleQuoted: true, mayBeBlock: false };
  const has = { breakThenSpace: false, spaceThenBreak: false };
  for (let i = 1; i < chars.length; i++) {
    if (chars[i] === ' ' && isBreak(chars[i - 1])) has.breakThenSpace = true;
    if (isBreak(chars[i]) && chars[i - 1] === ' ') has.spaceThenBreak = true;
  }
  const isOdd = has.spaceThenBreak || unprintable.test(text);
  const hasBlankEdge = text.startsWith(' ') || text.endsWith(' ');
  return {
    isMultiline: isMultiline(text),
    mayBePlain: !isOdd && !hasBlankEdge && !isMultiline(text) && !hasIndicator(text, chars),
    mayBeSingleQuoted: !isOdd && !has.breakThenSpace,
    mayBeBlock: !isOdd && !text.endsWith(' '),
  };
}

/** True when YAML would see more in the text than text. */
function hasIndicator(text: string, chars: readonly string[]): boolean {
  if (text.startsWith('---') || text.startsWith('...') || alwaysTelling.has(chars[0]!)) return true;
  if ((chars[0] === '?' || chars[0] === '-') && isBlank(chars[1])) return true;
  return chars.some((char, i) => {
    if (char === ':') return isBlank(chars[i + 1]);
    return char === '#' && i > 0 && (isBlank(chars[i - 1]) || isBreak(chars[i - 1]) || chars[i - 1] === '\0');
  });
}

function writePlain(sink: YamlSink, chars: readonly string[], mayFold: boolean): void {
  sink.part();
  let followsSpace = false;
  chars.forEach((char, i) => {
    if (char === ' ' && mayFold && !followsSpace && sink.column > sink.bestWidth && chars[i + 1] !== ' ') sink.newLine();
    else sink.put(char);
    followsSpace = char === ' ';
    if (char !== ' ') sink.isIndention = false;
  });
  sink.endWord();
}

function writeSingleQuoted(sink: YamlSink, chars: readonly string[], mayFold: boolean): void {
  sink.indicator("'", true);
  let followsSpace = false;
  let followsBreak = false;
  chars.forEach((char, i) => {
    if (char === ' ') {
      const isInside = i > 0 && i < chars.length - 1;
      if (mayFold && !followsSpace && sink.column > sink.bestWidth && isInside && chars[i + 1] !== ' ') sink.newLine();
      else sink.put(char);
      followsSpace = true;
      return;
    }
    if (isBreak(char)) {
      if (!followsBreak && char === '\n') sink.break();
      sink.break(char);
      followsBreak = true;
      return;
    }
    if (followsBreak) sink.newLine();
    if (char === "'") sink.put("'");
    sink.put(char);
    sink.isIndention = false;
    followsSpace = followsBreak = false;
  });
  sink.indicator("'", false);
  sink.endWord();
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\u0007': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\u001b': 'e',
  '"': '"',
  '\\': '\\',
  '\u0085': 'N',
  '\u00a0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
};

function writeDoubleQuoted(sink: YamlSink, chars: readonly string[], mayFold: boolean): void {
  sink.indicator('"', true);
  // A byte order mark at the beginning makes every character an escaped one.
  const escapesAll = chars[0] === '\ufeff';
  let followsSpace = false;
  chars.forEach((char, i) => {
    if (escapesAll || unprintable.test(char) || isBreak(char) || char === '"' || char === '\\') {
      for (const one of escaped(char)) sink.put(one);
      followsSpace = false;
      return;
    }
    const isInside = i > 0 && i < chars.length - 1;
    if (char === ' ' && mayFold && !followsSpace && sink.column > sink.bestWidth && isInside) {
      sink.newLine();
      if (chars[i + 1] === ' ') sink.put('\\');
    } else sink.put(char);
    followsSpace = char === ' ';
  });
  sink.indicator('"', false);
  sink.endWord();
}

function escaped(char: string): string {
  const short = shortEscapes[char];
  if (short !== undefined) return `\\${short}`;
  const hex = char.codePointAt(0)!.toString(16).toUpperCase();
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

function writeLiteral(sink: YamlSink, chars: readonly string[]): void {
  sink.indicator('|', true);
  if (chars[0] === ' ' || isBreak(chars[0])) sink.indicator('2', false);
  // What is kept of the line breaks at the end.
  if (!isBreak(chars.at(-1))) sink.indicator('-', false);
  else if (chars.length === 1 || isBreak(chars.at(-2))) sink.indicator('+', false);
  sink.beginBlock();
  let followsBreak = true;
  for (const char of chars) {
    if (isBreak(char)) {
      sink.break(char);
      followsBreak = true;
      continue;
    }
    if (followsBreak) sink.newLine();
    sink.put(char);
    sink.isIndention = false;
    followsBreak = false;
  }
}
