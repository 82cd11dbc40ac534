import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { ConfigMap } from '../api/builtin-kinds.ts';
import { informer } from './informer.ts';
import { ownWrites } from './own-writes.ts';

test('what was written is known at once, and what went meanwhile is not known again', async t => {
  const { client } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const indexes = { all: () => ['all'] };
  const maps = informer(client, ConfigMap, { signal: stop.signal, namespace: 'default', labelSelector: 'own=true', indexes });
  await maps.synced;
  const own = ownWrites(maps, { indexes, signal: stop.signal });
  const metadata = { namespace: 'default', name: 'x', labels: { own: 'true' } };
  const write = () => client.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata });

  const first = await write();
  own.note(first);
  assert.equal(own.get('default/x')?.metadata.uid, first.metadata.uid);
  assert.equal(own.by('all', 'all').length, 1);
  await client.delete(ConfigMap, metadata);
  await eventually(() => own.get('default/x') === undefined);
  // The answer to a write that was done before the object went.
  own.note(first);
  assert.equal(own.get('default/x'), undefined);
  assert.deepEqual(own.by('all', 'all'), []);

  const second = await write();
  own.note(second);
  assert.equal(own.get('default/x')?.metadata.uid, second.metadata.uid);
});
