/**
 * `node scripts/build-ui.ts`: builds the web page, unless what was built last is of the same sources. Prints nothing then. `npm start`, stories and
 * benchmarks call it; the hub serves what `current` names.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { builtPages } from '../src/gateway/page/page-files.ts';

const root = path.join(import.meta.dirname, '..');
const keptBuilds = 3;

/** The folder of the built page. */
export async function buildUi(): Promise<string> {
  const hash = hashOfSources();
  const dir = path.join(builtPages, hash);
  if (!existsSync(dir)) await build(dir);
  utimesSync(dir, new Date(), new Date());
  writeFileSync(path.join(builtPages, `current.${process.pid}`), hash);
  renameSync(path.join(builtPages, `current.${process.pid}`), path.join(builtPages, 'current'));
  removeOldBuilds();
  return dir;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const file of [...globSync('src/{ui,api}/**/*', { cwd: root }).toSorted(), 'package-lock.json', 'scripts/build-ui.ts']) {
    const full = path.join(root, file);
    if (!statSync(full).isFile() || file.endsWith('.test.ts')) continue;
    hash.update(file).update('\0').update(readFileSync(full)).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

async function build(dir: string): Promise<void> {
  const startedAt = Date.now();
  const scratch = `${dir}.${process.pid}`;
  mkdirSync(builtPages, { recursive: true });
  const { build } = await import('vite');
  await build({
    root: path.join(root, 'src/ui'),
    configFile: false,
    base: '/ui/',
    logLevel: 'warn',
    clearScreen: false,
    cacheDir: path.join(root, 'node_modules/.cache/vite'),
    build: {
      outDir: scratch,
      emptyOutDir: true,
      target: 'es2023',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // A stylesheet that comes with a later screen would be one more thing that can fail, for less than 2 kB.
      cssCodeSplit: false,
      chunkSizeWarningLimit: 1000,
      reportCompressedSize: false,
      manifest: 'manifest.json',
      // On a slow machine whoever starts the hub would read how long plugins took.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
  for (const name of globSync('**/*.{js,css,svg}', { cwd: scratch })) compress(path.join(scratch, name));
  try {
    renameSync(scratch, dir);
  } catch (error) {
    // Another process built the same.
    if (!existsSync(dir)) throw error;
    rmSync(scratch, { recursive: true });
  }
  console.log(`built the page in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

function compress(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
}

function removeOldBuilds(): void {
  const builds = readdirSync(builtPages)
    .filter(name => /^[0-9a-f]{16}$/.test(name))
    .map(name => ({ name, usedAt: statSync(path.join(builtPages, name)).mtimeMs }))
    .toSorted((a, b) => b.usedAt - a.usedAt);
  for (const { name } of builds.slice(keptBuilds)) rmSync(path.join(builtPages, name), { recursive: true, force: true });
}

if (import.meta.main) await buildUi();
