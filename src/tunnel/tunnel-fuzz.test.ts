import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import fc from 'fast-check';
import { WebSocket, WebSocketServer } from 'ws';
import { httpsTransport } from '../client/https-transport.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { connectTestAgent, listen, quickTimes, startTestApiServer, startTestHub } from '../../test/helpers/tunnel-rig.ts';
import { serveTunnel } from './serve-tunnel.ts';

const id = 'c-m-test1234';
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
  /** How far the length that is claimed is from the true one. */
  readonly lie: number;
}

const frame: fc.Arbitrary<Frame> = fc.record({
  type: fc.oneof(fc.nat(10), fc.nat(255)),
  flags: fc.oneof(fc.constantFrom(0, 1, 4, 5, 8, 0x20), fc.nat(255)),
  stream: fc.oneof(fc.nat(8), fc.nat(0xffff_ffff)),
  payload: fc.uint8Array({ maxLength: 300 }),
  lie: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: -20, max: 20_000 }) }),
});

function printFrame({ type, flags, stream, payload, lie }: Frame): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(Math.min(Math.max(payload.length + lie, 0), 0xff_ffff), 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([head, payload]);
}

/** Any bytes, in any pieces; some begin as a peer would. */
const messages = fc
  .tuple(fc.boolean(), fc.array(fc.oneof(frame.map(printFrame), fc.uint8Array({ maxLength: 2000 }).map(Buffer.from)), { maxLength: 12 }))
  .map(([isWellBegun, rest]) => ({ isWellBegun, rest }));

test('whatever an agent sends, the hub lives and the tunnels of others work', { timeout: 120_000 }, async () => {
  await using hub = await startTestHub({ ...quickTimes, openMs: 300 });
  await using api = await startTestApiServer((_req, res) => res.end('ok'));
  await using _good = await connectTestAgent({ hubPort: hub.port, apiServer: api.url });
  await eventually(() => hub.sessions.state(id)?.isConnected);
  const ask = async () => text((await hub.sessions.transport(id).request({ method: 'GET', path: '/' })).body);

  await fc.assert(
    fc.asyncProperty(messages, fc.boolean(), async ({ isWellBegun, rest }, isText) => {
      const bad = new WebSocket(`ws://127.0.0.1:${hub.port}/v3/connect`, 'drover-tunnel.v1', { headers: { authorization: 'c-m-bad' } });
      bad.on('error', () => {});
      await new Promise(resolve => bad.once('open', resolve));
      const closed = new Promise(resolve => bad.once('close', resolve));
      for (const message of [...(isWellBegun ? [emptySettings] : []), ...rest]) bad.send(message, { binary: !isText });
      assert.equal(await ask(), 'ok');
      bad.close();
      await closed;
    }),
    { numRuns: 150 },
  );
  assert.equal(await ask(), 'ok');
});

test('whatever a hub sends, the agent ends that tunnel and can open another', { timeout: 120_000 }, async () => {
  await using api = await startTestApiServer((_req, res) => res.end('ok'));
  const target = httpsTransport({ server: api.url });
  const server = createServer();
  const webSockets = new WebSocketServer({ server });
  let send: readonly Buffer[] = [];
  webSockets.on('connection', webSocket => {
    webSocket.on('error', () => {});
    for (const message of send) webSocket.send(message);
    webSocket.close();
  });
  const port = await listen(server);
  await fc.assert(
    fc.asyncProperty(messages, async ({ isWellBegun, rest }) => {
      send = [...(isWellBegun ? [preface, emptySettings] : []), ...rest];
      const webSocket = new WebSocket(`ws://127.0.0.1:${port}`);
      webSocket.on('error', () => {});
      const { ended } = await new Promise<{ ended: Promise<unknown> }>(resolve =>
        webSocket.once('open', () =>
          resolve({ ended: serveTunnel({ webSocket, target, signal: AbortSignal.timeout(30_000), times: quickTimes }) }),
        ),
      );
      await ended;
    }),
    { numRuns: 150 },
  );
  webSockets.close();
  await new Promise(resolve => server.close(resolve));
  await target[Symbol.asyncDispose]();
});
