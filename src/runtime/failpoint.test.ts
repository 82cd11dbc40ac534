import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

function run(armed: string): { signal: NodeJS.Signals | null; printed: string } {
  const script = `
    import { failpoint } from ${JSON.stringify(new URL('failpoint.ts', import.meta.url).href)};
    for (let i = 1; i <= 3; i++) {
      process.stdout.write(String(i));
      failpoint('releases.afterRecord');
    }`;
  const { signal, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, DROVER_FAILPOINT: armed },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return { signal, printed: stdout };
}

test('kills the process at the point that is named, and the time that is asked for', () => {
  assert.deepEqual(run('releases.afterRecord'), { signal: 'SIGKILL', printed: '1' });
  assert.deepEqual(run('releases.afterRecord:3'), { signal: 'SIGKILL', printed: '123' });
});

test('does nothing when another point is named, or none', () => {
  assert.deepEqual(run('releases.afterApply'), { signal: null, printed: '123' });
  assert.deepEqual(run(''), { signal: null, printed: '123' });
});
