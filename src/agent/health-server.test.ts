import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveHealth } from './health-server.ts';

test('an agent lives while its process does, and is ready while it is connected', async () => {
  await using health = await serveHealth(0);
  const ask = async (path: string) => {
    const res = await fetch(`http://127.0.0.1:${health.port}${path}`, { signal: AbortSignal.timeout(5000) });
    return [res.status, (await res.text()).trim()];
  };
  assert.deepEqual(await ask('/healthz'), [200, 'ok']);
  assert.deepEqual(await ask('/readyz'), [503, 'not connected to the hub']);
  health.isConnected = true;
  assert.deepEqual(await ask('/readyz'), [200, 'ok']);
  assert.deepEqual(await ask('/anything'), [404, 'not found']);
});

test('a port that is taken is named', async () => {
  await using health = await serveHealth(0);
  await assert.rejects(serveHealth(health.port), new RegExp(`cannot answer probes on port ${health.port}`));
});
