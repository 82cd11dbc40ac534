import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { ConfigMap } from '../api/builtin-kinds.ts';
import { StatusError } from '../api/status.ts';
import { httpClient } from './http-client.ts';
import { UnreachableError, type Headers, type Transport, type TransportRequest } from './transport.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Headers;
  readonly body: object | string;
}

/** A server that answers each request with the next of the replies. */
function scripted(...replies: (Reply | Error | 'hang')[]) {
  const asked: TransportRequest[] = [];
  const request: Transport['request'] = async req => {
    asked.push(req);
    const reply = replies.shift();
    if (reply === 'hang') {
      await new Promise((_, reject) => req.signal?.addEventListener('abort', () => reject(req.signal!.reason), { once: true }));
    }
    if (!reply || reply === 'hang') throw new UnreachableError('nobody answers');
    if (reply instanceof Error) throw reply;
    const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body);
    return { status: reply.status ?? 200, headers: reply.headers ?? {}, body: Readable.from([Buffer.from(text)]) };
  };
  const transport: Transport = { request, upgrade: request, async [Symbol.asyncDispose]() {} };
  return { asked, client: httpClient(transport) };
}

const map = (name: string) => ({ metadata: { namespace: 'a', name } });
const status = (code: number, reason: string, details: object = {}) => ({
  kind: 'Status',
  status: 'Failure',
  code,
  reason,
  message: reason,
  details,
});

test('follows the pages of a list', async () => {
  const { client, asked } = scripted(
    { body: { metadata: { resourceVersion: '7', continue: 'next page' }, items: [map('x')] } },
    { body: { metadata: { resourceVersion: '7' }, items: [map('y')] } },
  );
  const { items, resourceVersion } = await client.list(ConfigMap, { namespace: 'a', labelSelector: 'app in (x)' });
  assert.deepEqual(
    items.map(item => item.metadata.name),
    ['x', 'y'],
  );
  assert.equal(resourceVersion, '7');
  assert.equal(asked[1]!.path, '/api/v1/namespaces/a/configmaps?labelSelector=app+in+%28x%29&limit=500&continue=next+page');
});

test('lists all at once when the server has forgotten where the pages began', async () => {
  const { client, asked } = scripted(
    { body: { metadata: { resourceVersion: '7', continue: 'next' }, items: [map('x')] } },
    { status: 410, body: status(410, 'Expired') },
    { body: { metadata: { resourceVersion: '9' }, items: [map('x'), map('z')] } },
  );
  const { items, resourceVersion } = await client.list(ConfigMap);
  assert.deepEqual([items.length, resourceVersion], [2, '9']);
  assert.equal(asked[2]!.path, '/api/v1/configmaps');
});

test('a list of nothing may be null', async () => {
  const { client } = scripted({ body: { metadata: { resourceVersion: '7' }, items: null } });
  assert.deepEqual(await client.list(ConfigMap), { items: [], resourceVersion: '7' });
});

test('asks a busy server again, as it says', async () => {
  const busy = { status: 429, headers: { 'retry-after': '0' }, body: 'Too many requests' };
  const { client, asked } = scripted(busy, busy, { body: map('x') });
  assert.equal((await client.get(ConfigMap, { namespace: 'a', name: 'x' }))?.metadata.name, 'x');
  assert.equal(asked.length, 3);
});

test('a server that is busy for long, or does not say for how long, is not asked again', async () => {
  for (const headers of [{ 'retry-after': '3600' }, {}]) {
    const { client, asked } = scripted({ status: 429, headers, body: 'busy' });
    await assert.rejects(client.get(ConfigMap, { namespace: 'a', name: 'x' }), /busy/);
    assert.equal(asked.length, 1);
  }
});

test('answers that are no Status are errors with their own text', async () => {
  const { client } = scripted({ status: 502, body: '<html>bad gateway</html>' }, { status: 503, body: '' }, { body: 'not json' });
  const get = () => client.get(ConfigMap, { namespace: 'a', name: 'x' });
  await assert.rejects(
    get(),
    (error: unknown) => error instanceof StatusError && error.code === 502 && error.message === '<html>bad gateway</html>',
  );
  await assert.rejects(get(), /the server answered 503/);
  await assert.rejects(get(), /the server did not answer with JSON but with "not json"/);
});

test('no answer in time is an unreachable server', async () => {
  const { client } = scripted('hang');
  await assert.rejects(
    client.get(ConfigMap, { namespace: 'a', name: 'x' }, { timeoutMs: 20 }),
    (error: unknown) => error instanceof UnreachableError && /no answer within 0.02 s/.test(error.message),
  );
});

test('warnings reach those who listen', async () => {
  const heard: string[] = [];
  const headers = { warning: ['299 - "first, \\"quoted\\"", 299 - "second"', '299 - "third"'] };
  const {
    request,
    upgrade,
    [Symbol.asyncDispose]: dispose,
  } = {
    request: async () => ({ status: 200, headers, body: Readable.from([Buffer.from(JSON.stringify(map('x')))]) }),
    upgrade: async () => Promise.reject(new Error('not asked for')),
    async [Symbol.asyncDispose]() {},
  } satisfies Transport;
  const client = httpClient({ request, upgrade, [Symbol.asyncDispose]: dispose }, { onWarning: text => heard.push(text) });
  await client.get(ConfigMap, { namespace: 'a', name: 'x' });
  assert.deepEqual(heard, ['first, "quoted"', 'second', 'third']);
});

test('a name cannot be a path', async () => {
  const { client, asked } = scripted({ body: map('x') });
  await assert.rejects(async () => client.get(ConfigMap, { namespace: 'a', name: '..' }), /".." is not a name/);
  await assert.rejects(async () => client.delete(ConfigMap, { namespace: 'a', name: '' }), /"" is not a name/);
  await assert.rejects(async () => client.list(ConfigMap, { namespace: '..' }), /".." is not a name/);
  await client.get(ConfigMap, { namespace: 'a/b', name: 'x/../y?z' });
  assert.equal(asked[0]!.path, '/api/v1/namespaces/a%2Fb/configmaps/x%2F..%2Fy%3Fz');
});

test('a watch whose past is gone says so, by status or by event', async () => {
  const { client } = scripted(
    { status: 410, body: status(410, 'Gone') },
    { body: `${JSON.stringify({ type: 'ERROR', object: status(410, 'Expired') })}\n` },
  );
  for (let i = 0; i < 2; i++)
    assert.deepEqual(await Array.fromAsync(client.watch(ConfigMap, { resourceVersion: '1' })), [{ type: 'EXPIRED' }]);
});
