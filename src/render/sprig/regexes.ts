import { RE2JS, RE2JSSyntaxException } from 're2js';
import { LRUCache } from 'lru-cache';
import { fn } from '../go/go-function.ts';
import { stringSlice } from '../go/go-type.ts';
import { GoError, typed, type GoFunction, type GoSlice } from '../go/go-value.ts';

const compiled = new LRUCache<string, RE2JS>({ max: 500 });

function compile(pattern: string): RE2JS {
  let known = compiled.get(pattern);
  if (!known) {
    try {
      known = RE2JS.compile(pattern);
    } catch (error) {
      if (!(error instanceof RE2JSSyntaxException)) throw error;
      throw new GoError(`error parsing regexp: ${error.message.replace(/^error parsing regexp: /, '')}`);
    }
    compiled.set(pattern, known);
  }
  return known;
}

/** Functions that panic on a bad expression say which one. */
function mustCompile(pattern: string): RE2JS {
  try {
    return compile(pattern);
  } catch (error) {
    throw new GoError(`regexp: Compile(${quotePattern(pattern)}): ${(error as Error).message}`);
  }
}

const quotePattern = (pattern: string): string => (pattern.includes('`') ? JSON.stringify(pattern) : `\`${pattern}\``);

interface Match {
  readonly start: number;
  readonly end: number;
  readonly groups: (name: string) => string;
}

/** All matches from left to right, as Go finds them: an empty one directly after another does not count. */
function* matchesOf(expression: RE2JS, text: string): Generator<Match> {
  const matcher = expression.matcher(text);
  let previousEnd = -1;
  while (matcher.find()) {
    const start = matcher.start();
    const end = matcher.end();
    if (start === end && start === previousEnd) continue;
    previousEnd = end;
    const names = expression.namedGroups();
    yield {
      start,
      end,
      groups: name => {
        const number = /^[0-9]+$/.test(name) ? Number(name) : names[name];
        return number === undefined || number > matcher.groupCount() ? '' : (matcher.group(number) ?? '');
      },
    };
  }
}

const strings = (list: string[]): GoSlice => typed<GoSlice>(list, stringSlice);

function findAll(expression: RE2JS, text: string, count: number): GoSlice {
  const found: string[] = [];
  if (count === 0) return strings(found);
  for (const { start, end } of matchesOf(expression, text)) {
    found.push(text.slice(start, end));
    if (found.length === count) break;
  }
  return strings(found);
}

function find(expression: RE2JS, text: string): string {
  const matcher = expression.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function replace(expression: RE2JS, text: string, replacement: (match: Match) => string): string {
  let out = '';
  let at = 0;
  for (const match of matchesOf(expression, text)) {
    out += text.slice(at, match.start) + replacement(match);
    at = match.end;
  }
  return out + text.slice(at);
}

/** regexp.Expand: `$1`, `${name}`, `$name` as long as it goes, `$$`. */
function expand(template: string, match: Match): string {
  return template.replace(/\$(?:\$|\{([^{}]*)\}|([\p{L}\p{Nd}_]+))?/gu, (whole, braced: string | undefined, plain: string | undefined) => {
    if (whole === '$$') return '$';
    const name = braced ?? plain;
    if (name === undefined || !/^[\p{L}\p{Nd}_]+$/u.test(name)) return whole === '$' ? '$' : braced === undefined ? whole : whole;
    return match.groups(name);
  });
}

function split(expression: RE2JS, text: string, count: number): GoSlice {
  if (count === 0) return strings([]);
  if (text === '' && expression.pattern() !== '') return strings(['']);
  const parts: string[] = [];
  let at = 0;
  let end = 0;
  for (const match of matchesOf(expression, text)) {
    if (count > 0 && parts.length === count - 1) break;
    end = match.start;
    if (match.end !== 0) parts.push(text.slice(at, end));
    at = match.end;
  }
  if (end !== text.length) parts.push(text.slice(at));
  return strings(parts);
}

export const regexFunctions: Readonly<Record<string, GoFunction>> = {
  regexMatch: fn(['string', 'string'], (pattern, text) => {
    try {
      return compile(pattern).matcher(text).find();
    } catch (error) {
      if (error instanceof GoError) return false;
      throw error;
    }
  }),
  mustRegexMatch: fn(['string', 'string'], (pattern, text) => compile(pattern).matcher(text).find()),
  regexFindAll: fn(['string', 'string', 'int'], (pattern, text, count) => findAll(mustCompile(pattern), text, count)),
  mustRegexFindAll: fn(['string', 'string', 'int'], (pattern, text, count) => findAll(compile(pattern), text, count)),
  regexFind: fn(['string', 'string'], (pattern, text) => find(mustCompile(pattern), text)),
  mustRegexFind: fn(['string', 'string'], (pattern, text) => find(compile(pattern), text)),
  regexReplaceAll: fn(['string', 'string', 'string'], (pattern, text, to) =>
    replace(mustCompile(pattern), text, match => expand(to, match)),
  ),
  mustRegexReplaceAll: fn(['string', 'string', 'string'], (pattern, text, to) =>
    replace(compile(pattern), text, match => expand(to, match)),
  ),
  regexReplaceAllLiteral: fn(['string', 'string', 'string'], (pattern, text, to) => replace(mustCompile(pattern), text, () => to)),
  mustRegexReplaceAllLiteral: fn(['string', 'string', 'string'], (pattern, text, to) => replace(compile(pattern), text, () => to)),
  regexSplit: fn(['string', 'string', 'int'], (pattern, text, count) => split(mustCompile(pattern), text, count)),
  mustRegexSplit: fn(['string', 'string', 'int'], (pattern, text, count) => split(compile(pattern), text, count)),
  regexQuoteMeta: fn(['string'], text => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
};
