import { RE2JS } from 're2js';

/** A pattern in Go's syntax. Never takes more than linear time in the length of the text. */
export interface GoRegExp {
  test(text: string): boolean;
  find(text: string): string | undefined;
  findAll(text: string, limit: number): string[];
  /** `$1` in the replacement stands for a group. */
  replaceAll(text: string, replacement: string): string;
}

const cache = new Map<string, GoRegExp>();
const maxCached = 2000;
const maxNativeText = 2048;
// oxlint-disable-next-line no-control-regex -- the test is whether all is ASCII
const isAscii = /^[\x00-\x7f]*$/;

/** Compiles a pattern; throws an Error with Go's message when it is not one. */
export function compileGoRegExp(pattern: string): GoRegExp {
  const known = cache.get(pattern);
  if (known) return known;
  const compiled = compile(pattern);
  if (cache.size >= maxCached) cache.clear();
  cache.set(pattern, compiled);
  return compiled;
}

function compile(pattern: string): GoRegExp {
  let re2: RE2JS;
  try {
    re2 = RE2JS.compile(pattern);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`error parsing regexp: ${text.replace(/^error parsing regexp: /, '')}`, { cause });
  }
  const native = asNative(pattern);
  return {
    test: text => (native && text.length <= maxNativeText && isAscii.test(text) ? native.test(text) : re2.matcher(text).find()),
    find: text => {
      const matcher = re2.matcher(text);
      return matcher.find() ? (matcher.group() ?? '') : undefined;
    },
    findAll: (text, limit) => {
      const matcher = re2.matcher(text);
      const found: string[] = [];
      while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
      return found;
    },
    replaceAll: (text, replacement) => re2.matcher(text).replaceAll(replacement),
  };
}

const plainPiece =
  /\\[.\\\-/^$*+?()[\]{}|dwDW]|\[\^?(?:\\[.\\\-/^$*+?()[\]{}|dw]|[^\\[\]])+\]|[^\\[\](){}|*+?.]|\.|\(\?:|\(|\)|\||[*+?]|\{\d+(?:,\d*)?\}/y;

/** The same pattern for the native engine, if it cannot backtrack badly: few unbounded repeats, none around a choice or another repeat. */
function asNative(pattern: string): RegExp | undefined {
  // oxlint-disable-next-line no-control-regex -- the test is whether all is ASCII
  if (!/^[\x20-\x7e]*$/.test(pattern) || pattern.length > 500) return undefined;
  let out = '';
  let at = 0;
  let unbounded = 0;
  let size = 0;
  const groups: boolean[] = [];
  let lastHolds = false;
  while (at < pattern.length) {
    plainPiece.lastIndex = at;
    const piece = plainPiece.exec(pattern)?.[0];
    if (piece === undefined) return undefined;
    at += piece.length;
    const isRepeat = /^(?:[*+?]|\{\d)/.test(piece);
    const isUnbounded = piece === '*' || piece === '+' || /^\{\d+,\}$/.test(piece);
    if (piece === '(' || piece === '(?:') groups.push(false);
    else if (piece === ')') lastHolds = groups.pop() ?? false;
    else if (isRepeat) {
      if (isUnbounded && lastHolds) return undefined;
      if (piece.startsWith('{')) size += Number.parseInt(piece.slice(1), 10) + Number.parseInt(piece.split(',')[1] ?? '0', 10) || 0;
      if (isUnbounded) unbounded++;
      lastHolds = true;
    } else lastHolds = false;
    if ((isRepeat || piece === '|' || (piece === ')' && lastHolds)) && groups.length > 0) groups[groups.length - 1] = true;
    out += piece === '.' ? '[^\\n]' : piece;
  }
  if (unbounded > 3 || size > 600) return undefined;
  try {
    return new RegExp(out);
  } catch {
    return undefined;
  }
}
