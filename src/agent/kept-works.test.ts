import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../test/helpers/memory-hub.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { Namespace } from '../api/builtin-kinds.ts';
import { Content, contentTypes } from '../api/content.ts';
import { newObject } from '../api/define-kind.ts';
import { Work } from '../api/work.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { UnreachableError } from '../client/transport.ts';
import { putContent } from '../core/contents/put-content.ts';
import { fileBlobs } from './kept-blobs.ts';
import { keptWorks } from './kept-works.ts';

const namespace = 'c-m-1';
const names = (works: readonly Work[]) => works.map(({ metadata }) => metadata.name).sort();

/** A hub that can be away. */
function absent(client: KubeClient, isAway: () => boolean): KubeClient {
  const away = () => new UnreachableError('the hub is away');
  return {
    ...client,
    get: ((...args: Parameters<KubeClient['get']>) => (isAway() ? Promise.reject(away()) : client.get(...args))) as KubeClient['get'],
    list: ((...args: Parameters<KubeClient['list']>) => (isAway() ? Promise.reject(away()) : client.list(...args))) as KubeClient['list'],
    async *watch(...args) {
      if (isAway()) throw away();
      yield* client.watch(...args) as AsyncIterable<never>;
    },
  };
}

test('goes on with what the hub last told, and with the hub when it is back', async t => {
  using scratch = tempDir('kept-works');
  const { client } = await startMemoryHub(t, [Work, Content]);
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const digest = await putContent(client, Buffer.from('a: 1\n'), { type: contentTypes.manifests });
  const work = (name: string) => newObject(Work, { name, namespace }, { release: { name, namespace: 'shop' }, content: digest });
  await client.create(Work, work('one'));
  await client.create(Work, work('two'));
  const blobs = fileBlobs(scratch.dir);
  let isAway = false;
  const open = () => {
    const stop = new AbortController();
    t.after(() => stop.abort());
    const { signal } = stop;
    return { ...keptWorks({ hub: absent(client, () => isAway), blobs, namespace, signal, patienceMs: 50 }), signal, stop };
  };

  const first = open();
  await first.works.synced;
  assert.deepEqual(names(first.works.list()), ['one', 'two']);
  assert.equal(String(await first.readContent(digest, first.signal)), 'a: 1\n');
  await eventually(async () => (await blobs.names('work', first.signal)).length === 2);
  first.stop.abort();

  isAway = true;
  await client.delete(Work, { namespace, name: 'two' });
  const second = open();
  await second.works.synced;
  assert.deepEqual(names(second.works.list()), ['one', 'two']);
  assert.deepEqual(names(second.works.by('cluster', namespace)), ['one', 'two']);
  assert.equal(String(await second.readContent(digest, second.signal)), 'a: 1\n');

  const changes: string[] = [];
  second.works.subscribe(({ type, object }) => changes.push(`${type} ${object.metadata.name}`));
  isAway = false;
  await eventually(() => changes.includes('DELETED two'), Boolean, { timeoutMs: 30_000 });
  assert.deepEqual(names(second.works.list()), ['one']);
  await eventually(async () => (await blobs.names('work', second.signal)).length === 1);
  await client.delete(Work, { namespace, name: 'one' });
  await eventually(async () => (await blobs.names('content', second.signal)).length === 0, Boolean, { what: 'kept contents' });
});
