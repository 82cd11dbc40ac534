import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { closeCodes } from '../../src/tunnel/protocol.ts';
import { eventually } from '../helpers/eventually.ts';
import { connectTestAgent, startTestApiServer, startTestHub } from '../helpers/tunnel-rig.ts';

const id = 'c-m-test1234';

test('of two agents with the same identity the newer serves and the older is told', async () => {
  await using hub = await startTestHub();
  await using oldApi = await startTestApiServer((_req, res) => res.end('older'));
  await using newApi = await startTestApiServer((_req, res) => res.end('newer'));
  const connect = (apiServer: string, instance: string) => connectTestAgent({ hubPort: hub.port, apiServer, instance });
  const changes: boolean[] = [];
  using _listening = hub.sessions.subscribe(cluster => changes.push(hub.sessions.state(cluster)!.isConnected));

  await using older = await connect(oldApi.url, 'a');
  await eventually(() => hub.sessions.state(id)?.isConnected);
  const first = hub.sessions.state(id)!;
  await using _newer = await connect(newApi.url, 'b');
  const told = await older.ended;
  assert.deepEqual(told, { code: closeCodes.replaced, reason: 'another agent of the same cluster has connected' });
  assert.equal(await text((await hub.sessions.transport(id).request({ method: 'GET', path: '/' })).body), 'newer');
  const second = hub.sessions.state(id)!;
  assert.ok(second.epoch > first.epoch);
  assert.equal(second.hasDuplicate, false);
  // Never without a tunnel in between.
  assert.deepEqual(changes, [true, true]);

  await using _again = await connect(oldApi.url, 'a');
  await eventually(() => hub.sessions.state(id)?.hasDuplicate);
});

test('one that was replaced stands by, and takes over when the other has gone', async () => {
  await using hub = await startTestHub();
  await using oldApi = await startTestApiServer((_req, res) => res.end('older'));
  await using newApi = await startTestApiServer((_req, res) => res.end('newer'));
  await using older = await connectTestAgent({ hubPort: hub.port, apiServer: oldApi.url, instance: 'a' });
  const newer = await connectTestAgent({ hubPort: hub.port, apiServer: newApi.url, instance: 'b' });
  await older.ended;
  const standBy = () => connectTestAgent({ hubPort: hub.port, apiServer: oldApi.url, instance: 'a', isStandby: true });
  const served = async () => text((await hub.sessions.transport(id).request({ method: 'GET', path: '/' })).body);

  await assert.rejects(standBy(), /409/);
  assert.equal(await served(), 'newer');
  assert.equal(hub.sessions.state(id)?.hasDuplicate, false);

  newer.webSocket.terminate();
  await eventually(() => hub.sessions.state(id)?.isConnected === false);
  await using _again = await standBy();
  assert.equal(await served(), 'older');
});

test('an agent that reconnects by itself is no duplicate', async () => {
  await using hub = await startTestHub();
  await using api = await startTestApiServer((_req, res) => res.end('ok'));
  for (let i = 0; i < 5; i++) {
    const agent = await connectTestAgent({ hubPort: hub.port, apiServer: api.url, instance: 'a' });
    await eventually(() => hub.sessions.state(id)?.isConnected);
    if (i % 2 === 0) agent.webSocket.terminate();
  }
  assert.equal(hub.sessions.state(id)?.hasDuplicate, false);
});

test('a connection that does not speak HTTP/2 takes nothing from the agent that serves', async () => {
  await using hub = await startTestHub();
  await using api = await startTestApiServer((_req, res) => res.end('ok'));
  await using agent = await connectTestAgent({ hubPort: hub.port, apiServer: api.url });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  const { WebSocket } = await import('ws');
  const intruder = new WebSocket(`ws://127.0.0.1:${hub.port}/v3/connect`, 'drover-tunnel.v1', { headers: { authorization: id } });
  const closed = new Promise<number>(resolve => intruder.once('close', resolve));
  await new Promise(resolve => intruder.once('open', resolve));
  intruder.send(Buffer.from('GET / HTTP/1.1\r\n\r\n'));
  await closed;
  assert.equal(agent.webSocket.readyState, WebSocket.OPEN);
  assert.equal(await text((await hub.sessions.transport(id).request({ method: 'GET', path: '/' })).body), 'ok');
});
