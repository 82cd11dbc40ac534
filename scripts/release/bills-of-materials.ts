import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ownManifest } from '../build-package.ts';

const root = path.join(import.meta.dirname, '../..');

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** What the program is made of when it runs, in both formats that people ask for. */
export function billsOfMaterials(): ReadonlyMap<string, string> {
  const scratch = mkdtempSync(path.join(tmpdir(), 'drover-bill-'));
  // npm takes the name of the folder.
  const dir = path.join(scratch, 'drover');
  mkdirSync(dir);
  try {
    writeRunTimeTree(dir);
    return new Map([
      ['drover.cdx.json', bill(dir, 'cyclonedx')],
      ['drover.spdx.json', bill(dir, 'spdx')],
    ]);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** "npm sbom --omit dev" leaves out what development needs too, such as ws: so it is shown a tree that has no development. */
function writeRunTimeTree(dir: string): void {
  const { devDependencies: _dev, scripts: _scripts, private: _private, ...manifest } = ownManifest();
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
  const { '': _root, ...packages } = lock.packages;
  const needed = Object.entries(packages).filter(([, one]) => !one.dev);
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    path.join(dir, 'package-lock.json'),
    JSON.stringify({ ...lock, packages: { '': manifest, ...Object.fromEntries(needed) } }),
  );
}

function bill(cwd: string, format: 'cyclonedx' | 'spdx'): string {
  const words = ['sbom', '--sbom-format', format, '--sbom-type', 'application', '--package-lock-only'];
  return execFileSync('npm', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 });
}
