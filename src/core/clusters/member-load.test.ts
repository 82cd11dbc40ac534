import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Pod } from '../../api/builtin-kinds.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
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

/** A server that prefers protobuf, as the real ones do. */
function inProtobuf(client: Pick<KubeClient, 'request'>): Pick<KubeClient, 'request'> {
  const accept = 'application/vnd.kubernetes.protobuf';
  return {
    async request(req) {
      assert.ok(String(req.headers?.['accept']).includes(accept));
      const res = await client.request({ ...req, headers: { ...req.headers, accept } });
      assert.equal(res.headers['content-type'], accept);
      return res;
    },
  };
}

test('pods on nodes are added up, those that are over or wait for a node are not', async t => {
  const { client } = await startMemoryServer(t);
  for (const one of [pod('a'), pod('b', { cpu: '2' }), pod('waits', { node: '' }), pod('over')]) await client.create(Pod, one);
  const over = (await client.get(Pod, { namespace: 'default', name: 'over' }))!;
  await client.update(Pod, { ...over, status: { ...over.status, phase: 'Succeeded' } }, { subresource: 'status' });
  const expected = {
    // What a pod needs while it starts counts, as the scheduler sees it.
    requested: { cpu: '2100m', memory: '2Gi', pods: '2' },
    limits: { memory: '256Mi' },
  };
  assert.deepEqual(await readLoad(client, never), expected);
  assert.deepEqual(await readLoad(inProtobuf(client), never), expected);
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

test('sidecars and amounts of whole pods are the same in protobuf and in JSON, page by page', async t => {
  const { client } = await startMemoryServer(t);
  const resources = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2' } };
  const ofPod = { requests: { cpu: '3', memory: '3Gi' }, limits: { cpu: '4' } };
  for (let i = 0; i < 501; i++) {
    const { spec, ...one } = pod(`p${i}`);
    const initContainers = [{ name: 's', image: 's', restartPolicy: 'Always', resources }];
    await client.create(Pod, { ...one, spec: { ...spec!, initContainers, ...(i % 2 === 0 && { resources: ofPod }) } });
  }
  const [wire, json] = [await readLoad(inProtobuf(client), never), await readLoad(client, never)];
  assert.deepEqual(wire, json);
  assert.equal(wire.requested['pods'], '501');
});

test('a page that breaks off is an error, not a smaller number', async () => {
  const bytes = Buffer.concat([Buffer.from('k8s\0'), Buffer.from([0x12, 0x7f, 0x12])]);
  const headers = { 'content-type': 'application/vnd.kubernetes.protobuf' };
  await assert.rejects(
    readLoad({ request: async () => ({ status: 200, headers, body: Readable.from([bytes]) }) }, never),
    /unexpected EOF/,
  );
});
