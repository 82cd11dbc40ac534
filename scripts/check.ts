/** `npm run check`: everything that needs no running server. Stops at the first fault. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const bin = (name: string) => join('node_modules/.bin', name);
const steps: [name: string, command: string, ...args: string[]][] = [
  ['types', bin('tsc'), '-p', '.'],
  ['types of the page', bin('tsc'), '-p', 'src/ui'],
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
