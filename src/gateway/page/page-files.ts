import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** One file of the page, in every form that browsers accept. */
export interface PageFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip?: Buffer;
  readonly brotli?: Buffer;
}

const root = path.join(import.meta.dirname, '../../..');
/** Where a package holds the page, and where `scripts/build-ui.ts` keeps what it built. */
const packaged = path.join(root, 'dist/ui');
export const builtPages = path.join(root, 'node_modules/.cache/drover-ui');

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

/** The folder with the built page. Undefined when nobody has built it. */
export function findPage(): string | undefined {
  if (existsSync(path.join(packaged, 'index.html'))) return packaged;
  const current = path.join(builtPages, 'current');
  if (!existsSync(current)) return undefined;
  const dir = path.join(builtPages, readFileSync(current, 'utf8').trim());
  return existsSync(path.join(dir, 'index.html')) ? dir : undefined;
}

/** All files of a built page, by their path in its folder. They are few and stay in memory: no path of a request ever reaches the disk. */
export function readPage(dir: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  for (const name of names) {
    const type = types[path.extname(name)];
    if (type === undefined) continue;
    const packed = (ending: string) => (names.includes(name + ending) ? readFileSync(path.join(dir, name + ending)) : undefined);
    const gzip = packed('.gz');
    const brotli = packed('.br');
    files.set(name, { type, plain: readFileSync(path.join(dir, name)), ...(gzip && { gzip }), ...(brotli && { brotli }) });
  }
  return files;
}
