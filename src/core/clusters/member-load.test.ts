import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Pod } from '../../api/builtin-kinds.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import type { TransportRequest } from '../../client/transport.ts';
import { delayBeforeLoad, mayMovePods, readLoad } from './member-load.ts';

const never = new AbortController().signal;

function pod(name: string, { node = 'n1', cpu = '100m', memory = '64Mi' } = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'default', name },
    spec: {
      ...(node !== '' && { nodeName: node }),
      containers: [{ name: 'a', image: 'a', resources: { requests: { cpu, memory }, limits: { memory: '128Mi' } } }],
      initContainers: [{ name: 'b', image: 'b', resources: { requests: { cpu: '50m', memory: '1Gi' } } }],
    },
  };
}

test('pods on nodes are added up, those that are over or wait for a node are not', async t => {
  const { client } = await startMemoryServer(t);
  for (const one of [pod('a'), pod('b', { cpu: '2' }), pod('waits', { node: '' }), pod('over')]) await client.create(Pod, one);
  const over = (await client.get(Pod, { namespace: 'default', name: 'over' }))!;
  await client.update(Pod, { ...over, status: { ...over.status, phase: 'Succeeded' } }, { subresource: 'status' });
  assert.deepEqual(await readLoad(client, never), {
    // What a pod needs while it starts counts, as the scheduler sees it.
    requested: { cpu: '2100m', memory: '2Gi', pods: '2' },
    limits: { memory: '256Mi' },
  });
});

test('many pods come page by page, and none is held', async () => {
  const asked: string[] = [];
  const request = async ({ path }: TransportRequest) => {
    asked.push(path);
    const token = asked.length < 3 ? `page-${asked.length}` : '';
    const body = JSON.stringify({ metadata: { continue: token }, items: Array.from({ length: 500 }, (_, i) => pod(`p${i}`)) });
    return { status: 200, headers: {}, body: Readable.from([Buffer.from(body)]) };
  };
  const { requested } = await readLoad({ request }, never);
  assert.equal(requested['pods'], '1500');
  assert.equal(requested['cpu'], '150');
  assert.deepEqual(
    asked.map(path => new URLSearchParams(path.split('?')[1]).get('continue')),
    [null, 'page-1', 'page-2'],
  );
});

test('the more pods there are, the less often they are added up', () => {
  assert.equal(delayBeforeLoad(0, false), 300_000);
  assert.equal(delayBeforeLoad(1000, false), 3_000_000);
  assert.equal(delayBeforeLoad(100_000, false), 3_600_000);
  assert.equal(delayBeforeLoad(0, true), 10_000);
  assert.equal(delayBeforeLoad(100_000, true), 300_000);
});

test('of a Work what was delivered, its health and its end may move pods; other reports do not', () => {
  const delivered = { inputs: 'a', state: 'Deployed', at: '2026-11-17T00:00:00Z' } as const;
  const work = (status: NonNullable<Work['status']>): Work => ({
    ...newObject(Work, { namespace: 'c-1', name: 'web' }, { release: { name: 'web' } } as Work['spec']),
    status,
  });
  const before = work({ delivered, healthy: '0/1' });
  const moves = (object: Work) => mayMovePods({ type: 'MODIFIED', object, old: before });
  assert.equal(moves(work({ delivered, healthy: '0/1', failures: 2 })), false);
  assert.equal(moves(work({ delivered, healthy: '1/1' })), true);
  assert.equal(moves(work({ delivered: { ...delivered, inputs: 'b' }, healthy: '0/1' })), true);
  assert.equal(moves(work({ delivered: { ...delivered, revision: 2 }, healthy: '0/1' })), true);
  assert.equal(mayMovePods({ type: 'ADDED', object: work({}), old: undefined }), false);
  assert.equal(mayMovePods({ type: 'DELETED', object: before, old: before }), true);
});
