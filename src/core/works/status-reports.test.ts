import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { Namespace } from '../../api/builtin-kinds.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { UnreachableError } from '../../client/transport.ts';
import { statusReports } from './status-reports.ts';

test('writes the last of many changes, few times, nothing when nothing changed, and again after a failure', async t => {
  const { client } = await startMemoryHub(t, [Work]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'c-m-1' } });
  const work = await client.create(
    Work,
    newObject(Work, { name: 'a', namespace: 'c-m-1' }, { release: { name: 'a', namespace: 'x' }, manifests: [] }),
  );
  let [writes, isAway, healthy] = [0, false, '0'];
  const hub = {
    ...client,
    apply: ((...args: Parameters<KubeClient['apply']>) => {
      if (isAway) return Promise.reject(new UnreachableError('away'));
      writes++;
      return client.apply(...args);
    }) as KubeClient['apply'],
  };
  const reports = statusReports({ hub, signal: stop.signal, quietMs: 60_000, find: () => work, decide: () => ({ healthy }) });
  const read = async () => (await client.get(Work, { namespace: 'c-m-1', name: 'a' }))?.status?.healthy;

  for (let i = 1; i <= 100; i++) {
    healthy = String(i);
    reports.soon('c-m-1/a');
  }
  await eventually(read, found => found === '100');
  assert.equal(writes, 1);
  await reports.now('c-m-1/a');
  assert.equal(writes, 1, 'nothing had changed');

  healthy = '101';
  reports.soon('c-m-1/a');
  await new Promise(setImmediate);
  assert.equal(await read(), '100', 'not before the quiet time is over');
  reports.promptly('c-m-1/a');
  await eventually(read, found => found === '101');

  isAway = true;
  healthy = '102';
  await assert.rejects(reports.now('c-m-1/a'), /away/);
  reports.promptly('c-m-1/a');
  isAway = false;
  await eventually(read, found => found === '102');
  assert.equal(writes, 3);
});
