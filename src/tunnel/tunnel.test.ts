import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { startTestTunnel } from '../../test/helpers/tunnel-rig.ts';
import { UnreachableError, type Upgraded } from '../client/transport.ts';

const id = 'c-m-test1234';

test('carries a request and its answer, headers repeated as they were', async () => {
  let seen: IncomingMessage | undefined;
  await using tunnel = await startTestTunnel((req, res) => {
    seen = req;
    res.writeHead(201, ['Content-Type', 'application/json', 'X-Twice', 'a', 'X-Twice', 'b, c', 'X-Drover-Failure', 'spoofed']);
    req.pipe(res);
  });
  const answer = await tunnel.hub.sessions.transport(id).request({
    method: 'POST',
    path: '/api/v1/namespaces?fieldManager=me%20too',
    headers: {
      'content-type': 'application/json',
      'impersonate-user': 'jane',
      'impersonate-group': ['a', 'b, c'],
      authorization: 'Bearer of-somebody',
      connection: 'x-private',
      'x-private': 'not to be passed on',
    },
    body: '{"kind":"Namespace"}',
  });
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.headers['x-twice'], ['a', 'b, c']);
  assert.equal(await text(answer.body), '{"kind":"Namespace"}');
  assert.equal(seen?.url, '/api/v1/namespaces?fieldManager=me%20too');
  assert.deepEqual(seen?.headersDistinct['impersonate-group'], ['a', 'b, c']);
  assert.equal(seen?.headers['impersonate-user'], 'jane');
  assert.equal(seen?.headers.authorization, undefined);
  assert.equal(seen?.headers['x-private'], undefined);
});

test('an answer that is read late is still whole', async () => {
  await using tunnel = await startTestTunnel((_req, res) => res.end('x'.repeat(20_000)));
  const { body } = await tunnel.hub.sessions.transport(id).request({ method: 'GET', path: '/' });
  await sleep(50);
  assert.equal((await text(body)).length, 20_000);
});

test('an answer that comes at once and in pieces is whole', async () => {
  await using tunnel = await startTestTunnel((_req, res) => {
    res.socket!.cork();
    for (const piece of ['a', 'b', 'c']) res.write(piece.repeat(1500));
    res.end();
    res.socket!.uncork();
  });
  for (let i = 0; i < 20; i++) {
    const { body } = await tunnel.hub.sessions.transport(id).request({ method: 'GET', path: '/' });
    assert.equal((await text(body)).length, 4500);
  }
});

test('a watch is passed on line by line', async () => {
  await using tunnel = await startTestTunnel((_req, res) => {
    res.write('{"type":"ADDED"}\n');
  });
  const { body } = await tunnel.hub.sessions.transport(id).request({ method: 'GET', path: '/api/v1/pods?watch=1' });
  const [chunk] = (await once(body, 'data')) as [Buffer];
  assert.equal(chunk.toString(), '{"type":"ADDED"}\n');
  body.destroy();
});

test('a large body goes through in both directions', async () => {
  await using tunnel = await startTestTunnel((req, res) => void req.pipe(res));
  const bytes = Buffer.alloc(8 * 1024 * 1024, 'drover');
  const chunks = Array.from({ length: 128 }, (_, i) => bytes.subarray(i * 65_536, (i + 1) * 65_536));
  const { body } = await tunnel.hub.sessions
    .transport(id)
    .request({ method: 'PUT', path: '/', body: Readable.from(chunks, { objectMode: false }) });
  assert.ok((await buffer(body)).equals(bytes));
});

test('giving up ends the request at the API server', async () => {
  let ended = false;
  await using tunnel = await startTestTunnel((_req, res) => {
    res.write('first');
    res.once('close', () => (ended = true));
  });
  const aborter = new AbortController();
  const { body } = await tunnel.hub.sessions.transport(id).request({ method: 'GET', path: '/', signal: aborter.signal });
  aborter.abort(new Error('enough'));
  await assert.rejects(text(body), UnreachableError);
  await eventually(() => ended);
});

test('a request that is given up before its answer rejects with the reason', async () => {
  await using tunnel = await startTestTunnel(() => {});
  const reason = new Error('enough');
  const aborter = new AbortController();
  const asked = tunnel.hub.sessions.transport(id).request({ method: 'GET', path: '/', signal: aborter.signal });
  setImmediate(() => aborter.abort(reason));
  await assert.rejects(asked, error => error === reason);
});

test('an answer that breaks off does not look complete', async () => {
  await using tunnel = await startTestTunnel((_req, res) => {
    res.writeHead(200, { 'content-length': 100 });
    res.write('half', () => res.destroy());
  });
  const { body } = await tunnel.hub.sessions.transport(id).request({ method: 'GET', path: '/' });
  await assert.rejects(text(body), UnreachableError);
});

test('an API server that does not answer is told apart from an agent that is gone', async () => {
  await using tunnel = await startTestTunnel((_req, res) => res.end());
  await tunnel.api[Symbol.asyncDispose]();
  for (const body of [undefined, Readable.from(['{}'], { objectMode: false })]) {
    const req = { method: body ? 'POST' : 'GET', path: '/', ...(body && { body }) };
    await assert.rejects(tunnel.hub.sessions.transport(id).request(req), (error: Error) => {
      assert.ok(error instanceof UnreachableError);
      assert.match(error.message, /cannot reach "http:\/\/127.*connection refused/);
      return true;
    });
  }
});

test('requests that wait fail at once when the tunnel breaks', async () => {
  await using tunnel = await startTestTunnel((req, res) => {
    if (req.url === '/stream') res.write('first');
  });
  const transport = tunnel.hub.sessions.transport(id);
  const waiting = transport.request({ method: 'GET', path: '/never' });
  const { body } = await transport.request({ method: 'GET', path: '/stream' });
  tunnel.agent.webSocket.terminate();
  await assert.rejects(waiting, UnreachableError);
  await assert.rejects(text(body), UnreachableError);
  await assert.rejects(transport.request({ method: 'GET', path: '/' }), /its agent is not connected/);
});

test('a connection that leaves HTTP carries bytes both ways and closes one side at a time', async () => {
  await using tunnel = await startTestTunnel(
    (_req, res) => res.end(),
    (req, socket, head) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Method: ${req.method}\r\n\r\n`);
      if (head.length > 0) socket.write(head);
      socket.on('data', (chunk: Buffer) => socket.write(chunk.toString().toUpperCase()));
      socket.on('end', () => socket.end('bye'));
    },
  );
  const answer = (await tunnel.hub.sessions.transport(id).upgrade({
    method: 'POST',
    path: '/api/v1/namespaces/default/pods/web/exec?command=sh',
    headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1' },
  })) as Upgraded;
  assert.equal(answer.status, 101);
  assert.equal(answer.headers['upgrade'], 'SPDY/3.1');
  assert.equal(answer.headers['x-method'], 'POST');
  answer.socket.write('hello ');
  const [echo] = (await once(answer.socket, 'data')) as [Buffer];
  assert.equal(echo.toString(), 'HELLO ');
  answer.socket.end();
  assert.equal(await text(answer.socket), 'bye');
});

test('a server that declines to leave HTTP is heard', async () => {
  await using tunnel = await startTestTunnel(
    (_req, res) => res.end(),
    (_req, socket) => void socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
  );
  const answer = await tunnel.hub.sessions
    .transport(id)
    .upgrade({ method: 'GET', path: '/', headers: { connection: 'Upgrade', upgrade: 'websocket' } });
  assert.equal(answer.status, 403);
  assert.equal(await text((answer as { body: Readable }).body), 'no');
});

test('nothing but the API server can be reached', async () => {
  await using tunnel = await startTestTunnel((_req, res) => res.end());
  const elsewhere = tunnel.hub.sessions.transport(id).request({ method: 'GET', path: 'http://169.254.169.254/latest' });
  await assert.rejects(elsewhere, /does not begin with a slash/);
});

test('headers that are too large are refused before they are sent', async () => {
  await using tunnel = await startTestTunnel((_req, res) => res.end('ok'));
  const transport = tunnel.hub.sessions.transport(id);
  const headers = { 'impersonate-group': Array.from({ length: 1500 }, (_, i) => `a-group-with-a-long-name-${i}`) };
  await assert.rejects(transport.request({ method: 'GET', path: '/', headers }), /bytes of headers/);
  const many = { 'impersonate-group': Array.from({ length: 600 }, (_, i) => `group-${i}`) };
  assert.equal(await text((await transport.request({ method: 'GET', path: '/', headers: many })).body), 'ok');
});

test('the hub speaks to nobody who is not an agent', async () => {
  await using tunnel = await startTestTunnel((_req, res) => res.end());
  const req = httpRequest({ port: tunnel.hub.port, path: '/v3/connect', headers: { connection: 'Upgrade', upgrade: 'websocket' } });
  req.end();
  const [res] = (await once(req, 'response')) as [IncomingMessage];
  assert.equal(res.statusCode, 400);
  assert.match(await text(res), /sub-protocol/);
});

test('what a member said before it hung up arrives, however slowly it is read', async () => {
  await using tunnel = await startTestTunnel(
    (_req, res) => res.end(),
    (_req, socket) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: test\r\n\r\n');
      socket.end(Buffer.alloc(3 * 1024 * 1024));
      // The member does not wait for the other side to finish.
      socket.once('finish', () => socket.destroy());
    },
  );
  for (let round = 0; round < 5; round++) {
    const headers = { connection: 'Upgrade', upgrade: 'test' };
    const { socket } = (await tunnel.hub.sessions.transport(id).upgrade({ method: 'GET', path: '/exec', headers })) as Upgraded;
    let got = 0;
    for await (const chunk of socket) {
      got += (chunk as Buffer).length;
      await sleep(1);
    }
    assert.equal(got, 3 * 1024 * 1024);
  }
});
