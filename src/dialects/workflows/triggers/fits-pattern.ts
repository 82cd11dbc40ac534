import { compileGoRegExp } from '../../../cel/go-regexp.ts';

/** Whether a text fits a pattern in which `*` stands for anything. Everything fits none. */
export function fitsPattern(text: string, pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === '' || pattern === '*') return true;
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return text === pattern;
  let at = first.length;
  const end = text.length - last.length;
  if (at > end || !text.startsWith(first) || !text.endsWith(last)) return false;
  // The first place where a part stands is as good as any later one, so nothing is ever tried twice.
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Whether a path fits one of the patterns, such as `svc/**`. Everything fits none. */
export const fitsGlobs = (path: string, globs: readonly string[] = []): boolean =>
  globs.length === 0 || globs.some(glob => fitsGlob(path, glob));

/** What cannot be read fits nothing. */
function fitsGlob(path: string, glob: string): boolean {
  try {
    return compileGoRegExp(`^${globSource(glob)}$`).test(path);
  } catch {
    return false;
  }
}

const globPart = /\*\*\/|\/\*\*$|^\*\*$|\*+|\?|\{|\}|,|\[!?[^\]/]+\]|./gsu;
/** Names that begin with a dot have to be asked for. */
const anyName = '[^./][^/]*';

function globSource(glob: string): string {
  let depth = 0;
  let isNameStart = true;
  /** A star at the beginning of a name may stand for nothing: then what follows begins the name. */
  let isStarred = false;
  const open = () => (depth++, '(?:');
  const close = () => (depth--, ')');
  const leading = (is: boolean) => (is ? `(?:${anyName})?` : '');
  const source = glob.replaceAll(globPart, part => {
    const isFirst = isNameStart;
    const star = isStarred;
    isNameStart = part.endsWith('/') || (isFirst && (part === '{' || part === ','));
    isStarred = isFirst && /^\*+$/.test(part) && part !== '**';
    if (isStarred) return '';
    if (isAnySign(part)) return star ? `(?:${anyName}${signOf(part, false)}|${signOf(part, true)})` : signOf(part, isFirst);
    return leading(star) + sourceOf(part);
  });
  return source + leading(isStarred);

  function sourceOf(part: string): string {
    if (part === '**/') return `(?:${anyName}/)*`;
    if (part === '/**') return `(?:/${anyName})+`;
    if (part === '**') return `${anyName}(?:/${anyName})*`;
    if (part.startsWith('*')) return '[^/]*';
    if (part === '{') return open();
    if (part === '}' && depth > 0) return close();
    if (part === ',' && depth > 0) return '|';
    if (part.length > 2 && part.startsWith('[')) return part;
    return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  }
}

/** Whether it stands for one sign that may be many. */
const isAnySign = (part: string): boolean => part === '?' || (part.length > 3 && part.startsWith('[!'));

function signOf(part: string, isFirst: boolean): string {
  if (part === '?') return isFirst ? '[^./]' : '[^/]';
  return part.replace(/^\[!/, isFirst ? '[^./' : '[^/');
}
