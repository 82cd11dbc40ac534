import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { ConfigMap } from '../../src/api/builtin-kinds.ts';
import { httpClient } from '../../src/client/http-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { informer } from '../../src/runtime/informer.ts';
import { keyOf } from '../../src/runtime/key.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub } from '../helpers/hub.ts';
import { tempDir } from '../helpers/temp-dir.ts';

test('an informer outlives kills of its server and ends with what is there', { timeout: 120_000 }, async t => {
  using scratch = tempDir('informer');
  const dataDir = path.join(scratch.dir, 'data');
  const port = await freePort();
  const extraArgs = ['--api-only'];
  const stop = new AbortController();
  t.after(() => stop.abort());
  let hub = await startHub({ dataDir, port, extraArgs });
  try {
    const context = readContext(readKubeconfigs(hub.kubeconfig, {}), { env: {} });
    await using client = httpClient(contextTransport(context));
    const failures: unknown[] = [];
    const maps = informer(client, ConfigMap, {
      signal: stop.signal,
      namespace: 'default',
      retry: { firstDelayMs: 50, maxDelayMs: 500 },
      onError: error => failures.push(error),
    });
    await maps.synced;
    for (let round = 0; round < 4; round++) {
      const name = `round-${round}`;
      await client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name } });
      if (round > 0) await client.delete(ConfigMap, { namespace: 'default', name: `round-${round - 1}` });
      hub.program.kill('SIGKILL');
      await hub.program.exited;
      hub = await startHub({ dataDir, port, extraArgs });
      await eventually(() => maps.get(`default/${name}`), Boolean, { timeoutMs: 20_000 });
      await eventually(() => maps.get(`default/round-${round - 1}`) === undefined, Boolean, { timeoutMs: 20_000 });
    }
    const truth = (await client.list(ConfigMap, { namespace: 'default' })).items.map(keyOf);
    assert.deepEqual(maps.list().map(keyOf).sort(), truth.sort());
    assert.ok(failures.length > 0, 'the kills were noticed');
  } finally {
    await hub[Symbol.asyncDispose]();
  }
});
