import assert from 'node:assert/strict';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { StatusError } from '../api/status.ts';
import { UnreachableError } from '../client/transport.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { connectTestAgent, startTestApiServer, startTestHub } from '../../test/helpers/tunnel-rig.ts';
import { connectHandler } from './connect-handler.ts';
import { closeCodes, connectPath, subprotocol } from './protocol.ts';
import { TunnelSessions } from './tunnel-sessions.ts';
import { createServer } from 'node:http';
import { listen } from '../../test/helpers/tunnel-rig.ts';

const id = 'c-m-test1234';
const get = { method: 'GET', path: '/' };

test('a request waits for an agent that is expected', async () => {
  await using hub = await startTestHub();
  await using api = await startTestApiServer((_req, res) => res.end('ok'));
  const asked = hub.sessions.transport(id).request(get);
  await using _agent = await connectTestAgent({ hubPort: hub.port, apiServer: api.url });
  assert.equal(await text((await asked).body), 'ok');
});

test('a request does not wait for an agent that nobody expects', async () => {
  let now = 0;
  const sessions = new TunnelSessions({ waitMs: 60_000, now: () => now });
  now = 61_000;
  await assert.rejects(sessions.transport(id).request(get), (error: Error) => {
    assert.ok(error instanceof UnreachableError);
    assert.equal(error.message, 'its agent is not connected');
    return true;
  });
});

test('waiting ends when the caller gives up', async () => {
  const sessions = new TunnelSessions({ waitMs: 60_000 });
  const reason = new Error('enough');
  const aborter = new AbortController();
  const asked = sessions.transport(id).request({ ...get, signal: aborter.signal });
  setImmediate(() => aborter.abort(reason));
  await assert.rejects(asked, error => error === reason);
});

test('tells of every change, with the reason of a loss', async () => {
  await using hub = await startTestHub();
  await using api = await startTestApiServer((_req, res) => res.end('ok'));
  const heard: string[] = [];
  using _listening = hub.sessions.subscribe(cluster => heard.push(`${cluster} ${hub.sessions.state(cluster)?.isConnected}`));
  {
    await using _agent = await connectTestAgent({ hubPort: hub.port, apiServer: api.url });
    await eventually(() => heard.length === 1);
  }
  await eventually(() => heard.length === 2);
  assert.deepEqual(heard, [`${id} true`, `${id} false`]);
  assert.equal(hub.sessions.state(id)?.reason, 'the agent stops');
  await assert.rejects(hub.sessions.transport(id).request(get), /its agent is not connected: the agent stops/);
});

test('an agent hears why the hub ends its tunnel', async () => {
  for (const why of ['removed', 'identityRefused'] as const) {
    await using hub = await startTestHub();
    await using api = await startTestApiServer((_req, res) => res.end('ok'));
    await using agent = await connectTestAgent({ hubPort: hub.port, apiServer: api.url });
    await eventually(() => hub.sessions.state(id)?.isConnected);
    hub.sessions.end(id, why, 'for a reason');
    assert.deepEqual(await agent.ended, { code: closeCodes[why], reason: 'for a reason' });
  }
});

test('a hub that stops says so to its agents', async () => {
  const hub = await startTestHub();
  await using api = await startTestApiServer((_req, res) => res.end('ok'));
  await using agent = await connectTestAgent({ hubPort: hub.port, apiServer: api.url });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  await hub[Symbol.asyncDispose]();
  assert.deepEqual(await agent.ended, { code: closeCodes.goingAway, reason: 'the hub stops' });
});

test('an agent that is not accepted is told in the words of the hub', async t => {
  const sessions = new TunnelSessions();
  const handler = connectHandler({
    sessions,
    verify: async () => {
      throw new StatusError(410, 'Gone', 'cluster "east" was removed from the hub');
    },
  });
  const server = createServer();
  server.on('upgrade', (req, socket, head) => void handler(req, socket, head));
  const port = await listen(server);
  t.after(() => server.close());
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}${connectPath}`, subprotocol);
  webSocket.on('error', () => {});
  const [, res] = (await once(webSocket, 'unexpected-response')) as [unknown, import('node:http').IncomingMessage];
  assert.equal(res.statusCode, 410);
  assert.match(await text(res), /cluster \\"east\\" was removed from the hub/);
});

test('more agents at once than can be checked are asked to come again', async t => {
  const sessions = new TunnelSessions();
  const handler = connectHandler({ sessions, verify: () => new Promise(() => {}) });
  const server = createServer();
  server.on('upgrade', (req, socket, head) => void handler(req, socket, head));
  const port = await listen(server);
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const codes: (number | undefined)[] = [];
  const sockets = Array.from({ length: 70 }, () => {
    const webSocket = new WebSocket(`ws://127.0.0.1:${port}${connectPath}`, subprotocol);
    webSocket.on('error', () => {});
    webSocket.on('unexpected-response', (_req, res) => {
      codes.push(res.statusCode);
      assert.ok(Number(res.headers['retry-after']) >= 1);
    });
    return webSocket;
  });
  await eventually(() => codes.length === 6);
  assert.ok(codes.every(code => code === 503));
  for (const webSocket of sockets) webSocket.terminate();
});
