import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { inProcessTransport } from '../apiserver/http/in-process-transport.ts';
import type { WebHandler } from '../apiserver/http/https-server.ts';
import { readBytes } from '../client/read-answer.ts';
import { UnreachableError } from '../client/transport.ts';
import { gatewayFront } from './gateway-front.ts';

const saying = (word: string): WebHandler => ({
  handle: (_req, res) => void res.end(word),
  wantsUpgrade: () => true,
  upgrade: (_req, socket) => void socket.end(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n${word}`),
});

function start(t: TestContext) {
  const loading = Promise.withResolvers<WebHandler>();
  const transport = inProcessTransport(gatewayFront(saying('api'), loading.promise));
  t.after(() => transport[Symbol.asyncDispose]());
  const ask = async (path: string) => (await readBytes((await transport.request({ method: 'GET', path })).body)).toString();
  const leave = async (path: string) => {
    const answer = await transport.upgrade({ method: 'GET', path, headers: { connection: 'Upgrade', upgrade: 'x' } });
    return (await readBytes('socket' in answer ? answer.socket : answer.body)).toString();
  };
  return { loading, ask, leave };
}

test('the API answers from the first moment, and what the gateway has to answer waits for it', async t => {
  const { loading, ask, leave } = start(t);
  assert.equal(await ask('/api/v1/pods'), 'api');
  assert.equal(await leave('/api/v1/pods'), 'api');
  for (const path of ['/', '/api', '/apis?x', '/apis/apps/v1', '/readyz?verbose', '/livez/ping', '/openapi/v3', '/openid/v1/jwks'])
    assert.equal(await ask(path), 'api', path);
  const paths = ['/k8s/clusters/a/api', '/ping', '/api/webhooks/x', '/delivery/x', '/previews/services', '/dashboard/auth'];
  const early = [...paths.map(ask), leave('/v3/connect?x=1')];
  loading.resolve(saying('gateway'));
  assert.deepEqual(await Promise.all(early), Array(7).fill('gateway'));
  assert.equal(await ask('/api/v1/pods'), 'gateway', 'which knows what to hand on');
});

test('a gateway that cannot be loaded lets the API live', async t => {
  const { loading, ask, leave } = start(t);
  const early = ask('/ping');
  loading.reject(new Error('broken'));
  await assert.rejects(early, UnreachableError);
  await assert.rejects(leave('/v3/connect'), UnreachableError);
  assert.equal(await ask('/api'), 'api');
});
