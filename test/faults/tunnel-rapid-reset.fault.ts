import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { startTestTunnel } from '../helpers/tunnel-rig.ts';

const id = 'c-m-test1234';

test('a flood of requests that are given up at once does not end the tunnel for others', { timeout: 120_000 }, async t => {
  let open = 0;
  await using tunnel = await startTestTunnel((req, res) => {
    if (req.url === '/ok') return void res.end('ok');
    open++;
    res.once('close', () => open--);
  });
  const transport = tunnel.hub.sessions.transport(id);
  const epoch = tunnel.hub.sessions.state(id)!.epoch;
  let refused = 0;
  for (let round = 0; round < 40; round++) {
    const aborter = new AbortController();
    const asked = Array.from({ length: 200 }, () => transport.request({ method: 'GET', path: '/never', signal: aborter.signal }));
    setImmediate(() => aborter.abort(new Error('enough')));
    const outcomes = await Promise.allSettled(asked);
    refused += outcomes.filter(one => one.status === 'rejected' && /enough/.test(String(one.reason))).length;
  }
  assert.equal(refused, 8000);
  const answer = await transport.request({ method: 'GET', path: '/ok' });
  assert.equal(await text(answer.body), 'ok');
  assert.equal(tunnel.hub.sessions.state(id)!.epoch, epoch, 'the tunnel was replaced');
  await eventually(() => open === 0);
  t.diagnostic('8000 requests given up, one tunnel');
});

test('2000 requests at once are all answered', { timeout: 120_000 }, async () => {
  await using tunnel = await startTestTunnel((_req, res) => void setTimeout(() => res.end('ok'), 5));
  const transport = tunnel.hub.sessions.transport(id);
  const ask = async () => text((await transport.request({ method: 'GET', path: '/' })).body);
  const answers = await Promise.all(Array.from({ length: 2000 }, ask));
  assert.ok(answers.every(answer => answer === 'ok'));
});
