import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Readable } from 'node:stream';
import type { Transport, TransportRequest } from '../client/transport.ts';
import { readLoad } from '../core/clusters/member-load.ts';
import { withLoad } from './load-at-member.ts';

const never = new AbortController().signal;
const pod = { spec: { nodeName: 'n1', containers: [{ name: 'a', resources: { requests: { cpu: '100m' } } }] } };

/** An API server with two pages of pods, of which others than the hub may read none. */
function apiServer(): { target: Transport; asked: TransportRequest[] } {
  const asked: TransportRequest[] = [];
  const answer = (status: number, value: object) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: Readable.from([Buffer.from(JSON.stringify(value))]),
  });
  const request = async (req: TransportRequest) => {
    asked.push(req);
    if (req.headers?.['impersonate-user'] !== undefined) return answer(403, { kind: 'Status', code: 403, message: 'no' });
    return answer(200, { metadata: req.path.includes('continue=') ? {} : { continue: 'more' }, items: [pod, pod] });
  };
  const upgrade = () => Promise.reject(new Error('nothing to upgrade'));
  return { target: { request, upgrade, async [Symbol.asyncDispose]() {} }, asked };
}

test('the agent adds up the pods of all pages, and the hub reads one short answer', async () => {
  const { target, asked } = apiServer();
  const agent = withLoad(target);
  let bytes = 0;
  const request = async (req: TransportRequest) => {
    const res = await agent.request(req);
    const body = Buffer.concat((await res.body.toArray()) as Buffer[]);
    bytes += body.length;
    return { ...res, body: Readable.from([body]) };
  };
  assert.deepEqual(await readLoad({ request }, never), { requested: { cpu: '400m', pods: '4' }, limits: {} });
  assert.equal(asked.length, 2);
  assert.ok(bytes < 100, `${bytes} bytes`);
});

test('without such an agent the hub adds them up itself', async () => {
  const { target } = apiServer();
  assert.deepEqual(await readLoad(target, never), { requested: { cpu: '400m', pods: '4' }, limits: {} });
});

test('somebody who may not read the pods does not hear of their sum', async () => {
  const { target } = apiServer();
  const asUser = {
    request: (req: TransportRequest) => withLoad(target).request({ ...req, headers: { ...req.headers, 'impersonate-user': 'eve' } }),
  };
  await assert.rejects(readLoad(asUser, never), /no/);
});

test('what an agent makes up are no amounts', async () => {
  const told = { requested: { cpu: 'much', pods: '3', memory: { $: 1 } }, limits: 'none' };
  const request = async () => ({
    status: 200,
    headers: { 'content-type': 'application/vnd.drover.load+json' },
    body: Readable.from([Buffer.from(JSON.stringify(told))]),
  });
  assert.deepEqual(await readLoad({ request }, never), { requested: { cpu: '0', memory: '0', pods: '3' }, limits: {} });
});
