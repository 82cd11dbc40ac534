import { baseName } from '../go/base-name.ts';
import { fn } from '../go/go-function.ts';
import type { GoFunction } from '../go/go-value.ts';

const base = fn(['string'], path => {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : baseName(trimmed);
});
const dir = fn(['string'], path => cleanPath(path.slice(0, path.lastIndexOf('/') + 1)));
const clean = fn(['string'], cleanPath);
const ext = fn(['string'], path => /\.[^./]*$/.exec(baseName(path))?.[0] ?? '');
const isAbs = fn(['string'], path => path.startsWith('/'));

/** Paths with slashes. The machine's own paths (`os…`) are the same: charts render as on Linux. */
export const pathFunctions: Readonly<Record<string, GoFunction>> = {
  base,
  dir,
  clean,
  ext,
  isAbs,
  osBase: base,
  osDir: dir,
  osClean: clean,
  osExt: ext,
  osIsAbs: isAbs,
};

/** path.Clean: the shortest path that means the same. */
export function cleanPath(path: string): string {
  const isRooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!isRooted) parts.push('..');
  }
  const joined = parts.join('/');
  if (isRooted) return `/${joined}`;
  return joined === '' ? '.' : joined;
}
