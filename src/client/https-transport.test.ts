import assert from 'node:assert/strict';
import { createServer as createHttpServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { TestCa } from '../../test/helpers/certificates.ts';
import { startConnectProxy } from '../../test/helpers/connect-proxy.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { bearer, fixed } from './credential.ts';
import { httpsTransport, type HttpsTransportOptions } from './https-transport.ts';
import { readBytes } from './read-answer.ts';
import { UnreachableError } from './transport.ts';

function transportFor(t: TestContext, options: HttpsTransportOptions) {
  const transport = httpsTransport(options);
  t.after(() => transport[Symbol.asyncDispose]());
  return transport;
}

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

const startHttp = async (t: TestContext, answer: RequestListener) => `http://127.0.0.1:${await listen(t, createHttpServer(answer))}`;

async function startHttps(t: TestContext, answer: RequestListener = sayWho) {
  const ca = await TestCa.create('ca');
  const { certificate, key } = await ca.issue('server', { dnsNames: ['api.example.com'], ips: ['127.0.0.1'] });
  const server = createHttpsServer({ cert: certificate, key, ca: ca.certificate, requestCert: true, rejectUnauthorized: false }, answer);
  return { ca, port: await listen(t, server as unknown as Server) };
}

function sayWho(req: IncomingMessage, res: ServerResponse): void {
  const { CN = 'nobody' } = (req.socket as TLSSocket).getPeerCertificate?.().subject ?? {};
  res.end(`${String(CN)} ${req.headers.authorization ?? '-'} ${req.method} ${req.url}`);
}

async function text(answering: Promise<{ body: Readable }>): Promise<string> {
  return (await readBytes((await answering).body)).toString();
}

/** The message and those of its causes. */
const chain = (error: unknown): string =>
  error instanceof Error ? [error.message, error.cause === undefined ? '' : chain(error.cause)].filter(Boolean).join(': ') : '';

const get = (path: string) => ({ method: 'GET', path });

test('shows its certificate and its token, below the path of the server', async t => {
  const { ca, port } = await startHttps(t);
  const credential = { ...(await ca.issue('jane')), ...bearer('t') };
  const transport = transportFor(t, { server: `https://127.0.0.1:${port}/k8s/`, ca: ca.certificate, credentials: fixed(credential) });
  assert.equal(await text(transport.request(get('/api?x=1'))), 'jane Bearer t GET /k8s/api?x=1');
});

test('believes only the authorities it is given, for the name it is told', async t => {
  const { ca, port } = await startHttps(t);
  const server = `https://127.0.0.1:${port}`;
  const stranger = await TestCa.create('stranger');
  const refused = (options: Partial<HttpsTransportOptions>, why: RegExp) =>
    assert.rejects(
      transportFor(t, { server, ...options }).request(get('/')),
      (error: unknown) => error instanceof UnreachableError && why.test(chain(error)),
    );
  await refused({ ca: stranger.certificate }, /cannot reach ".*": its certificate is signed by an unknown authority/);
  await refused({}, /signed by an unknown authority/);
  await refused({ ca: ca.certificate, tlsServerName: 'other.example.com' }, /its certificate is for another name/);
  assert.match(await text(transportFor(t, { server, ca: ca.certificate, tlsServerName: 'api.example.com' }).request(get('/'))), /GET/);
  assert.match(await text(transportFor(t, { server, insecureSkipTlsVerify: true }).request(get('/'))), /GET/);
});

test('says in words why a server cannot be reached', async t => {
  const tcp = await listen(
    t,
    createTcpServer(socket => socket.on('error', () => {}).end('what?')),
  );
  for (const [server, why] of [
    ['https://127.0.0.1:1', /connection refused/],
    ['https://no-such-host.invalid', /there is no host "no-such-host.invalid"|could not be looked up/],
    [`https://127.0.0.1:${tcp}`, /it does not speak TLS/],
  ] as const) {
    await assert.rejects(transportFor(t, { server }).request(get('/')), (error: unknown) => why.test(chain(error)));
  }
});

test('gives up on a server that does not connect, and on one that does not answer', async t => {
  const silent = await listen(
    t,
    createTcpServer(socket => void socket.on('error', () => {})),
  );
  const connecting = transportFor(t, { server: `https://127.0.0.1:${silent}`, connectTimeoutMs: 50 });
  await assert.rejects(connecting.request(get('/')), (error: unknown) => /no connection within 0.05 s/.test(chain(error)));
  const waiting = transportFor(t, { server: await startHttp(t, () => {}), answerTimeoutMs: 50 });
  await assert.rejects(waiting.request(get('/')), (error: unknown) => /no answer within 0.05 s/.test(chain(error)));
});

test('a caller who gives up gets its own reason, before and after the head of the answer', async t => {
  const server = await startHttp(t, (req, res) => {
    if (req.url === '/stream') res.write('begun');
  });
  const transport = transportFor(t, { server });
  const before = new AbortController();
  const asked = transport.request({ ...get('/'), signal: before.signal });
  before.abort(new Error('enough'));
  await assert.rejects(asked, /enough/);

  const later = new AbortController();
  const { body } = await transport.request({ ...get('/stream'), signal: later.signal });
  later.abort();
  await assert.rejects(readBytes(body), UnreachableError);
});

test('bodies have an end for every method, whether they are known or streamed', async t => {
  const server = await startHttp(t, (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => res.end(`${req.method} ${Buffer.concat(chunks).toString()}`));
  });
  const transport = transportFor(t, { server, maxConnections: 1 });
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    assert.equal(await text(transport.request({ method, path: '/', body: 'whole' })), `${method} whole`);
    assert.equal(
      await text(transport.request({ method, path: '/', body: Readable.from([Buffer.from('in '), Buffer.from('parts')]) })),
      `${method} in parts`,
    );
  }
});

test('keeps connections, and reads again when the server closed one just then', async t => {
  let connections = 0;
  const server = createHttpServer((_req, res) => {
    res.setHeader('Connection', 'keep-alive');
    res.end('ok');
  });
  server.keepAliveTimeout = 60_000;
  const sockets: Socket[] = [];
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.push(socket);
  });
  const transport = transportFor(t, { server: `http://127.0.0.1:${await listen(t, server)}` });
  for (let i = 0; i < 3; i++) await text(transport.request(get('/')));
  assert.equal(connections, 1);
  // The client has not heard of it yet when it asks again.
  sockets[0]!.resetAndDestroy();
  assert.equal(await text(transport.request(get('/'))), 'ok');
  assert.equal(connections, 2);
});

test('asks for a better credential when the server refuses one, once', async t => {
  const server = await startHttp(t, (req, res) => {
    res.statusCode = req.headers.authorization === 'Bearer 2' ? 200 : 401;
    res.end(req.headers.authorization);
  });
  let issued = 0;
  const credentials = { current: () => bearer(String(issued || ++issued)), refused: () => ++issued > 0 };
  const transport = transportFor(t, { server, credentials });
  assert.equal((await transport.request(get('/'))).status, 200);
  const stubborn = transportFor(t, { server, credentials: { current: () => bearer('9'), refused: () => true } });
  assert.equal((await stubborn.request(get('/'))).status, 401);
});

test('goes through a proxy by CONNECT', async t => {
  const { ca, port } = await startHttps(t);
  const proxy = await startConnectProxy(t, 'jane', 'secret');
  const through = (user: string) =>
    transportFor(t, { server: `https://127.0.0.1:${port}`, ca: ca.certificate, proxyUrl: `http://${user}@127.0.0.1:${proxy.port}` });
  assert.equal(await text(through('jane:secret').request(get('/through'))), 'nobody - GET /through');
  assert.deepEqual(
    proxy.asked.map(({ target }) => target),
    [`127.0.0.1:${port}`],
  );
  await assert.rejects(through('jane:wrong').request(get('/through')), UnreachableError);
  const proxyEnv = { HTTPS_PROXY: 'http://127.0.0.1:1' };
  const direct = transportFor(t, { server: `https://127.0.0.1:${port}`, ca: ca.certificate, proxyEnv });
  assert.match(await text(direct.request(get('/past'))), /past/, 'this machine needs no proxy');
  const elsewhere = transportFor(t, { server: 'https://192.0.2.1', proxyEnv });
  await assert.rejects(elsewhere.request(get('/')), (error: unknown) => /connection refused/.test(chain(error)));
});

test('leaves HTTP with those who agree, and hears what others answer', async t => {
  const server = createHttpServer((_req, res) => res.writeHead(403).end('no'));
  server.on('upgrade', (req, socket) => {
    if (req.url !== '/yes') return void socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 3\r\n\r\nbad');
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nhello ');
    socket.pipe(socket);
  });
  const transport = transportFor(t, { server: `http://127.0.0.1:${await listen(t, server)}` });
  const headers = { connection: 'Upgrade', upgrade: 'echo' };
  const stop = new AbortController();
  const upgraded = await transport.upgrade({ ...get('/yes'), headers, signal: stop.signal });
  assert.ok('socket' in upgraded);
  let heard = '';
  upgraded.socket.on('data', (chunk: Buffer) => (heard += chunk.toString()));
  upgraded.socket.write('world');
  await eventually(() => heard === 'hello world');
  stop.abort();
  await eventually(() => upgraded.socket.destroyed);
  const declined = await transport.upgrade({ ...get('/no'), headers });
  assert.equal(declined.status, 400);
});

test('several values of a header stay several', async t => {
  const server = await startHttp(t, (req, res) => {
    res.setHeader('Warning', ['299 - "a"', '299 - "b"']);
    res.end(JSON.stringify(req.headersDistinct['x-many']));
  });
  const transport = transportFor(t, { server, headers: { 'x-own': 'always' } });
  const res = await transport.request({ ...get('/'), headers: { 'x-many': ['1', '2'] } });
  assert.deepEqual(res.headers.warning, ['299 - "a"', '299 - "b"']);
  assert.equal((await readBytes(res.body)).toString(), '["1","2"]');
});
