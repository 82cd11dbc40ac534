import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { hubUser } from '../../hub/embedded-client.ts';
import { encodeWatchEvent } from '../protobuf/encode.ts';
import { framesOf, linesOf } from './watch-socket.ts';

const names = fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { maxLength: 5 });

test('what was written together is told event by event', () => {
  fc.assert(
    fc.property(names, all => {
      const lines = all.map(name => `${JSON.stringify({ name })}\n`);
      assert.deepEqual(linesOf(Buffer.from(lines.join(''))).map(String), lines);
      const frames = all.map(name => encodeWatchEvent('ADDED', { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name } }));
      assert.deepEqual(
        framesOf(Buffer.concat(frames)),
        frames.map(frame => frame.subarray(4)),
      );
    }),
  );
});

test('a WebSocket is told events in the form it accepts, and its watch ends when it goes', async t => {
  const { api } = await startMemoryServer(t);
  const handler = api.handlerAs(hubUser);
  const server = createServer({ shouldUpgradeCallback: req => handler.wantsUpgrade(req) }, (req, res) => handler.handle(req, res));
  server.on('upgrade', (req, socket, head) => handler.upgrade(req, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const before = api.cluster.watches.count;
  const path = '/api/v1/namespaces/default/secrets?watch=true';
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}${path}`, {
    origin: 'http://x',
    headers: { Accept: 'application/vnd.kubernetes.protobuf' },
  });
  const heard: Buffer[] = [];
  webSocket.on('message', (data: Buffer, isBinary) => isBinary && heard.push(data));
  await once(webSocket, 'open');
  const secrets = { group: '', version: 'v1', resource: 'secrets' };
  // What clients say is not listened to.
  webSocket.send('{}');
  for (const name of ['a', 'b', 'c'])
    await api.cluster.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' } });
  await eventually(
    () => heard.length,
    count => count === 3,
  );
  for (const message of heard) assert.equal(message.subarray(0, 7).toString('latin1'), '\n\x05ADDED');
  assert.equal(api.cluster.watches.count, before + 1);
  webSocket.terminate();
  await eventually(
    () => api.cluster.watches.count,
    count => count === before,
  );
});
