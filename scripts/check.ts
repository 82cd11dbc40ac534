/** `npm run check`: everything that needs no running server. Stops at the first fault. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { cachePath } from './machine-cache.ts';

/** What the compiler remembers of a checkout on this machine, faults included: files that did not change, nor what they import, are not looked at again. */
const remembered = (name: string) => {
  const checkout = createHash('sha256').update(process.cwd()).digest('hex').slice(0, 16);
  return ['--incremental', '--tsBuildInfoFile', cachePath(join('types', `${checkout}-${name}.tsbuildinfo`))];
};
const bin = (name: string) => join('node_modules/.bin', name);
const steps: [name: string, command: string, ...args: string[]][] = [
  ['types', bin('tsc'), '-p', '.', ...remembered('all')],
  ['types of the page', bin('tsc'), '-p', 'src/ui', ...remembered('page')],
  ['size of the page', process.execPath, 'scripts/check-page-size.ts'],
  ['lint', bin('oxlint'), '--type-aware', '--deny-warnings'],
  ['format', process.execPath, 'scripts/check-format.ts'],
];

for (const [name, command, ...args] of steps) {
  const startedAt = Date.now();
  const { status } = spawnSync(command, args, { stdio: 'inherit' });
  console.log(`${status === 0 ? 'ok    ' : 'failed'} ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  if (status !== 0) process.exit(1);
}
