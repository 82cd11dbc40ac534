import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { test, type TestContext } from 'node:test';
import { WebSocket } from 'ws';
import { eventually } from '../../../test/helpers/eventually.ts';
import { unauthorized } from '../../api/status.ts';
import type { WebHandler } from '../../apiserver/http/https-server.ts';
import type { HubAccess } from '../../auth/hub-access.ts';
import { responseOn, sendError } from '../answer.ts';
import { pageStreams } from './page-streams.ts';

interface Rig {
  /** What a tab heard. */
  readonly heard: string[];
  readonly socket: WebSocket;
  readonly requests: { url: string; cookie: string | undefined; isOver: boolean }[];
  session: { isOver: boolean };
}

async function* endless(): AsyncGenerator<string> {
  // What cannot be made smaller.
  for (;;) yield await setImmediate(randomBytes(64 * 1024).toString('base64'));
}

async function start(t: TestContext, { cookie = 'R_SESS=a' } = {}): Promise<Rig> {
  const requests: Rig['requests'] = [];
  const session = { isOver: false };
  const access = {
    identify: async (req: { headers: { cookie?: string } }) => {
      if (session.isOver || req.headers.cookie !== 'R_SESS=a') throw unauthorized();
      return { name: 'jane', groups: [] };
    },
  } as unknown as HubAccess;
  const gateway: WebHandler = {
    handle(req, res) {
      const one = { url: req.url ?? '', cookie: req.headers.cookie, isOver: false };
      requests.push(one);
      res.once('close', () => (one.isOver = true));
      if (req.url?.endsWith('/none')) return sendError(req, res, unauthorized());
      res.writeHead(200);
      res.write('{"n":1}\n');
      if (req.url?.endsWith('/endless')) void pipeline(Readable.from(endless()), res).catch(() => {});
      if (req.url?.endsWith('/short')) res.end('{"n":"€"}\n');
    },
    wantsUpgrade: () => false,
    upgrade: (_req, socket) => void socket.destroy(),
  };
  const stop = new AbortController();
  const streams = pageStreams({ access, gateway: () => gateway, recheckMs: 20, aliveMs: 20, signal: stop.signal });
  const server = createServer();
  server.on('upgrade', (req, socket, head) => {
    streams.open(req, { socket, head, respond: () => responseOn(req, socket) }).catch((error: unknown) => {
      sendError(req, responseOn(req, socket), error);
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ui/streams`, { headers: { cookie } });
  t.after(() => {
    socket.terminate();
    stop.abort();
    server.closeAllConnections();
    server.close();
  });
  const heard: string[] = [];
  socket.on('message', (data: Buffer) => heard.push(data.toString()));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { heard, socket, requests, session };
}

const open = (id: number, path: string) => JSON.stringify({ open: id, path: `/k8s/clusters/local${path}` });

test('one connection carries several answers, each asked for with the cookie of the tab', async t => {
  const { socket, heard, requests } = await start(t);
  socket.send(open(1, '/short'));
  socket.send(open(2, '/none'));
  await eventually(() => heard.includes('1 end') && heard.some(one => one.startsWith('2 401 ')));
  const first = heard.filter(one => one.startsWith('1'));
  assert.equal(first[0], '1 200');
  const text = first
    .filter(one => one.startsWith('1\n'))
    .map(one => one.slice(2))
    .join('');
  assert.equal(text, '{"n":1}\n{"n":"€"}\n');
  assert.match(
    heard.find(one => one.startsWith('2 401 '))!,
    /"reason":"Unauthorized"/,
  );
  assert.ok(requests.every(one => one.cookie === 'R_SESS=a'));
});

test('a stream that is closed, and one whose tab is gone, end where they come from', async t => {
  const { socket, heard, requests } = await start(t);
  socket.send(open(1, '/watch'));
  socket.send(open(2, '/watch'));
  await eventually(() => heard.filter(one => one.includes('\n')).length === 2);
  socket.send('{"close":1}');
  await eventually(() => requests.filter(one => one.isOver).length === 1);
  socket.terminate();
  await eventually(() => requests.every(one => one.isOver));
});

test('a tab that has stopped reading is left', async t => {
  const { socket, heard, requests } = await start(t);
  socket.send(open(1, '/endless'));
  await eventually(() => heard.length > 10);
  socket.pause();
  await eventually(() => requests.every(one => one.isOver));
});

test('whoever is not signed in, or not any more, hears nothing', async t => {
  await assert.rejects(start(t, { cookie: 'R_SESS=b' }), /401/);
  const { socket, heard, requests, session } = await start(t);
  socket.send(open(1, '/watch'));
  await eventually(() => heard.length > 0);
  const closed = new Promise<number>(resolve => socket.once('close', resolve));
  session.isOver = true;
  assert.equal(await closed, 1008);
  await eventually(() => requests.every(one => one.isOver));
});

test('nothing but APIs of clusters can be asked for', async t => {
  for (const message of ['{"open":1,"path":"/v3/users"}', '{"open":"a","path":"/k8s/clusters/local/api"}', 'x', '[]']) {
    const { socket, requests } = await start(t);
    const closed = new Promise<number>(resolve => socket.once('close', resolve));
    socket.send(message);
    assert.equal(await closed, 1008, message);
    assert.equal(requests.length, 0);
  }
});
