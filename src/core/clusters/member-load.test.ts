import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Pod } from '../../api/builtin-kinds.ts';
import type { TransportRequest } from '../../client/transport.ts';
import { delayBeforeLoad, readLoad } from './member-load.ts';

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
