/**
 * `node scripts/build-program.ts [ARGUMENTS]`: puts the modules of the program into few files, unless that was done for the same sources, and runs it with
 * the arguments, if there are any. A start loads more than a thousand modules, which takes longer than anything else that it does. `npm start` and tests
 * use it; `bin/drover.js` alone runs the sources as they are.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.join(import.meta.dirname, '..');
const builds = path.join(root, 'node_modules/.cache/drover-program');
const keptBuilds = 5;

/** The first file of the program. Its other files stay where they are for as long as it is one of the last that were used. */
export async function buildProgram(): Promise<string> {
  const dir = path.join(builds, keyOfSources());
  if (!existsSync(dir)) await build(dir);
  utimesSync(dir, new Date(), new Date());
  removeOldBuilds();
  return path.join(dir, 'main.mjs');
}

/** By when they were written, not by what they hold: this stands in the way of every start. */
function keyOfSources(): string {
  const hash = createHash('sha256').update(root);
  const sources = globSync('src/**/*.ts', { cwd: root, exclude: name => name === 'ui' || name.endsWith('.test.ts') });
  for (const file of [...sources.toSorted(), 'package-lock.json', 'scripts/build-program.ts']) {
    const { mtimeMs, size } = statSync(path.join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

async function build(dir: string): Promise<void> {
  const startedAt = Date.now();
  const scratch = `${dir}.${process.pid}`;
  mkdirSync(builds, { recursive: true });
  const { rolldown } = await import('rolldown');
  await using bundle = await rolldown({
    input: { main: path.join(root, 'src/cli/main.ts') },
    platform: 'node',
    plugins: [{ name: 'own-place', transform: stayInPlace }],
  });
  // By this ending it is known what the files are; otherwise each would be parsed to find out.
  await bundle.write({ dir: scratch, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  try {
    renameSync(scratch, dir);
  } catch (error) {
    // Another process built the same.
    if (!existsSync(dir)) throw error;
    rmSync(scratch, { recursive: true });
  }
  process.stderr.write(`put the program together in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
}

/** Modules find files beside them, and threads begin with such a file: they do so where the module was. */
function stayInPlace(code: string, id: string): string | undefined {
  if (!code.includes('import.meta.')) return undefined;
  return code
    .replaceAll(/\bimport\.meta\.url\b/g, JSON.stringify(pathToFileURL(id).href))
    .replaceAll(/\bimport\.meta\.dirname\b/g, JSON.stringify(path.dirname(id)));
}

function removeOldBuilds(): void {
  const found = readdirSync(builds)
    .filter(name => /^[0-9a-f]{16}$/.test(name))
    .map(name => ({ name, usedAt: statSync(path.join(builds, name)).mtimeMs }))
    .toSorted((a, b) => b.usedAt - a.usedAt);
  for (const { name } of found.slice(keptBuilds)) rmSync(path.join(builds, name), { recursive: true, force: true });
}

if (import.meta.main) {
  process.env['DROVER_PROGRAM'] = await buildProgram();
  if (process.argv.length > 2) await import(new URL('../bin/drover.js', import.meta.url).href);
}
