import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { eventTtl } from './event-ttl.ts';

const events = { group: '', version: 'v1', resource: 'events' };

test('an event goes an hour after it was last written', async () => {
  using api = await startMemoryCluster({ namespaces: ['a'] });
  let clockMs = Date.parse('2026-01-01T00:00:00Z');
  using controller = eventTtl(api, { now: () => new Date(clockMs) });
  const involvedObject = { apiVersion: 'v1', kind: 'ConfigMap', name: 'c', namespace: 'a' };
  for (const name of ['quiet', 'renewed'])
    await api.add({ apiVersion: 'v1', kind: 'Event', metadata: { name, namespace: 'a' }, involvedObject });
  clockMs += 1_800_000;
  await api.patch(events, { namespace: 'a', name: 'renewed' }, { type: 'merge', body: { count: 2 } });
  clockMs += 1_800_000;
  await controller.idle();
  assert.deepEqual(
    api.peekAll(events).map(e => e.metadata.name),
    ['renewed'],
  );
});
