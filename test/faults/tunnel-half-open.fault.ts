import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { UnreachableError } from '../../src/client/transport.ts';
import { closeCodes } from '../../src/tunnel/protocol.ts';
import { tunnelLimits } from '../../src/tunnel/tunnel-limits.ts';
import { eventually } from '../helpers/eventually.ts';
import { startFaultyLink, type Direction } from '../helpers/faulty-link.ts';
import { connectTestAgent, startTestApiServer, startTestHub } from '../helpers/tunnel-rig.ts';

const id = 'c-m-test1234';
const directions: readonly Direction[][] = [['to server'], ['to client'], ['to server', 'to client']];

for (const lost of directions) {
  test(`a link that loses everything ${lost.join(' and ')} is noticed by both sides, and a new tunnel takes over`, async () => {
    await using hub = await startTestHub();
    await using api = await startTestApiServer((req, res) => (req.url === '/slow' ? undefined : res.end('ok')));
    await using link = await startFaultyLink(hub.port);
    await using agent = await connectTestAgent({ hubPort: link.port, apiServer: api.url });
    await eventually(() => hub.sessions.state(id)?.isConnected);
    const transport = hub.sessions.transport(id);
    const waiting = assert.rejects(transport.request({ method: 'GET', path: '/slow' }), UnreachableError);
    link.drop(...lost);
    await waiting;
    await eventually(() => hub.sessions.state(id)?.isConnected === false);
    assert.equal((await agent.ended).code, closeCodes.unresponsive);

    link.heal();
    await using _next = await connectTestAgent({ hubPort: link.port, apiServer: api.url });
    await eventually(() => hub.sessions.state(id)?.isConnected);
    assert.equal(await text((await transport.request({ method: 'GET', path: '/' })).body), 'ok');
  });
}

test('a new tunnel takes over from one that nobody has found dead yet', async () => {
  const patient = { pingEveryMs: 60_000, pingDeadlineMs: 120_000, openMs: 5000, answerMs: 60_000 };
  await using hub = await startTestHub(patient);
  await using api = await startTestApiServer((req, res) => (req.url === '/slow' ? undefined : res.end('ok')));
  await using link = await startFaultyLink(hub.port);
  await using _dead = await connectTestAgent({ hubPort: link.port, apiServer: api.url, times: patient });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  const transport = hub.sessions.transport(id);
  const waiting = assert.rejects(transport.request({ method: 'GET', path: '/slow' }), /another agent of the same cluster has connected/);
  link.drop('to server', 'to client');
  await using _next = await connectTestAgent({ hubPort: hub.port, apiServer: api.url, times: patient });
  await waiting;
  assert.equal(await text((await transport.request({ method: 'GET', path: '/' })).body), 'ok');
});

test('the deadline that is kept is 20 s', () => {
  assert.equal(tunnelLimits.pingDeadlineMs, 20_000);
  assert.ok(tunnelLimits.pingEveryMs * 2 <= tunnelLimits.pingDeadlineMs);
});
