import { posix } from 'node:path';

/** Whether a text fits a pattern in which `*` stands for anything. Everything fits none. */
export function fitsPattern(text: string, pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === '' || pattern === '*') return true;
  const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(text);
}

/** Whether a path fits one of the patterns, such as `svc/**`. Everything fits none. */
export const fitsGlobs = (path: string, globs: readonly string[] = []): boolean =>
  globs.length === 0 || globs.some(glob => posix.matchesGlob(path, glob));
