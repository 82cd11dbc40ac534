import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex, Readable } from 'node:stream';
import { test, type TestContext } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { unauthorized, type Status } from '../api/status.ts';
import { UnreachableError, type Transport } from '../client/transport.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { east, jane, startProxyRig, type ProxyRig } from '../../test/helpers/proxy-rig.ts';

const get = (path: string, ...headers: string[]) =>
  ['GET ' + path + ' HTTP/1.1', 'Host: hub', 'Connection: close', ...headers, '', ''].join('\r\n');

async function statusOf(rig: ProxyRig, path: string): Promise<Status> {
  const answer = await rig.send(get(path));
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  assert.match(head, /content-type: application\/json/i);
  return JSON.parse(body) as Status;
}

test('path, query, method and body arrive as they were sent', async t => {
  let body = '';
  const rig = await startProxyRig(t, {
    answer(req, res) {
      req.on('data', (chunk: Buffer) => (body += String(chunk)));
      req.on('end', () => res.writeHead(201, { 'X-Answer': 'yes' }).end('made'));
    },
  });
  const answer = await rig.send(
    'POST /k8s/clusters/east/api/v1/pods?a=%2Fb&c=d+e HTTP/1.1\r\nHost: hub\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  );
  assert.match(answer, /^HTTP\/1.1 201 [^]*x-answer: yes[^]*made/i);
  assert.deepEqual([rig.seen[0]?.method, rig.seen[0]?.url, body], ['POST', '/api/v1/pods?a=%2Fb&c=d+e', 'abc']);
});

test('connections to the member are used again', async t => {
  const ports = new Set<number | undefined>();
  const rig = await startProxyRig(t, {
    answer(req, res) {
      ports.add(req.socket.remotePort);
      res.end('ok');
    },
  });
  for (let i = 0; i < 20; i++) await rig.send(get('/k8s/clusters/east/api'));
  assert.equal(rig.seen.length, 20);
  assert.ok(ports.size <= 2, `${ports.size} connections`);
});

test('a cluster nobody knows is a 404 that kubectl can print', async t => {
  const rig = await startProxyRig(t);
  const status = await statusOf(rig, '/k8s/clusters/west/api');
  assert.deepEqual([status.code, status.reason, status.message], [404, 'NotFound', 'clusters.drover.io "west" not found']);
});

test('whoever may not read the Cluster does not learn whether it is there', async t => {
  const access = { identify: async () => jane, authorize: async () => ({ allowed: false, reason: '' }) };
  const rig = await startProxyRig(t, { access });
  for (const name of ['east', 'west']) {
    const status = await statusOf(rig, `/k8s/clusters/${name}/api`);
    assert.deepEqual([status.code, status.reason], [403, 'Forbidden']);
    assert.match(status.message ?? '', /User "jane" cannot get resource "clusters" in API group "drover.io"/);
  }
  assert.equal(rig.seen.length, 0);
});

test('wrong credentials are a 401', async t => {
  const access = { identify: () => Promise.reject(unauthorized()), authorize: async () => ({ allowed: true, reason: '' }) };
  assert.equal((await statusOf(await startProxyRig(t, { access }), '/k8s/clusters/east/api')).code, 401);
});

test('a member that cannot be reached is a 503, also for those who send a body or ask to leave HTTP', async t => {
  const rig = await startProxyRig(t, {
    transportOf: () => {
      throw new UnreachableError('its agent is not connected');
    },
  });
  const status = await statusOf(rig, '/k8s/clusters/east/api');
  assert.deepEqual(
    [status.code, status.reason, status.message],
    [503, 'ServiceUnavailable', 'cluster "east" cannot be reached: its agent is not connected'],
  );
  const posted = await rig.send('POST /k8s/clusters/east/api HTTP/1.1\r\nHost: hub\r\nContent-Length: 100\r\n\r\nab');
  assert.match(posted, /^HTTP\/1.1 503 [^]*connection: close/i);
  const upgraded = await rig.send('GET /k8s/clusters/east/x HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
  assert.match(upgraded, /^HTTP\/1.1 503 [^]*ServiceUnavailable/);
});

test('a member that dies while a body is being sent is a 503', async t => {
  const rig = await startProxyRig(t, { answer: req => req.socket.destroy() });
  const answer = await rig.send('POST /k8s/clusters/east/api HTTP/1.1\r\nHost: hub\r\nContent-Length: 1000000\r\n\r\nab');
  assert.match(answer, /^HTTP\/1.1 503 /);
});

test('a watch comes line by line and ends with its client', async t => {
  let answer: ServerResponse | undefined;
  const rig = await startProxyRig(t, { answer: (_req, res) => void (answer = res).writeHead(200).flushHeaders() });
  const socket = rig.connect();
  let text = '';
  socket.on('data', chunk => (text += String(chunk)));
  socket.write(get('/k8s/clusters/east/api/v1/pods?watch=true'));
  await eventually(() => text.includes('200 OK'));
  answer!.write('{"type":"ADDED"}\n');
  await eventually(() => text.includes('ADDED'));
  socket.destroy();
  await once(answer!, 'close');
});

test('a client that stops reading stops the member', async t => {
  let sent = 0;
  let isStuck = false;
  const rig = await startProxyRig(t, {
    answer(_req, res) {
      const chunk = Buffer.alloc(64 * 1024);
      const pump = () => {
        isStuck = false;
        while (!res.destroyed && res.write(chunk)) sent += chunk.length;
        isStuck = true;
      };
      res.on('drain', pump);
      pump();
    },
  });
  const socket = rig.connect();
  socket.write(get('/k8s/clusters/east/api'));
  await once(socket, 'readable');
  // Buffers of the kernel take some; after that the member waits.
  let last = -1;
  await eventually(
    async () => {
      await turn();
      const [before, now] = [last, sent];
      last = now;
      return isStuck && before === now;
    },
    Boolean,
    { everyMs: 300 },
  );
  assert.ok(sent < 64 * 1024 * 1024, `the member sent ${sent} bytes to nobody`);
});

const upgradeRequest =
  'POST /k8s/clusters/east/exec?command=sh HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n';

function shouting(_req: unknown, socket: Socket): void {
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n',
  );
  socket.on('data', (chunk: Buffer) => socket.write(String(chunk).toUpperCase()));
  socket.on('end', () => socket.end('bye'));
}

test('a connection that leaves HTTP carries bytes both ways, and each way ends by itself', async t => {
  const rig = await startProxyRig(t, { upgrade: shouting });
  const socket = rig.connect();
  let text = '';
  socket.on('data', chunk => (text += String(chunk)));
  // The first bytes come along with the request.
  socket.write(`${upgradeRequest}first`);
  await eventually(() => text.includes('FIRST'));
  assert.match(
    text,
    /^HTTP\/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY\/3.1\r\n[^]*x-stream-protocol-version: v4.channel.k8s.io/i,
  );
  socket.write('more');
  await eventually(() => text.includes('MORE'));
  socket.end();
  await once(socket, 'close');
  assert.ok(text.endsWith('bye'));
  assert.deepEqual([rig.seen[0]?.method, rig.seen[0]?.headers['impersonate-user']], ['POST', ['jane']]);
});

test('an upgrade that the member declines is answered, and nothing after it is read', async t => {
  const rig = await startProxyRig(t, {
    upgrade: (_req, socket) =>
      socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 9\r\nConnection: close\r\n\r\nno upgrade'.slice(0, -1)),
  });
  const answer = await rig.send(
    `${upgradeRequest}GET /k8s/clusters/east/api/v1/secrets HTTP/1.1\r\nHost: hub\r\nImpersonate-User: root\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1.1 400 Bad Request[^]*no upgrad$/);
  assert.equal(rig.seen.length, 1);
});

test('a stream that is answered instead of an upgrade ends with its client, whatever else that had sent', async t => {
  let far: Duplex | undefined;
  const rig = await startProxyRig(t, {
    upgrade: (_req, socket) => void (far = socket).write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'),
  });
  const socket = rig.connect();
  let text = '';
  socket.on('data', chunk => (text += String(chunk)));
  socket.write(upgradeRequest);
  await eventually(() => text.includes('200 OK'));
  socket.write('for nobody', () => socket.destroy());
  far!.resume();
  await once(far!, 'end');
});

for (const [what, revoke] of [
  ['its right', () => Promise.reject(unauthorized())],
  ['its cluster', undefined],
] as const)
  test(`an open stream that loses ${what} is closed`, async t => {
    let isRevoked = false;
    const rig = await startProxyRig(t, {
      upgrade: shouting,
      recheckMs: 20,
      access: {
        identify: async () => (isRevoked && revoke ? revoke() : jane),
        authorize: async () => ({ allowed: true, reason: '' }),
      },
      findCluster: () => (isRevoked && !revoke ? { ...east, metadata: { ...east.metadata, uid: 'another' } } : east),
    });
    const socket = await openStream(t, rig);
    isRevoked = true;
    await once(socket, 'close');
  });

async function openStream(_t: TestContext, rig: ProxyRig): Promise<Socket> {
  const socket = rig.connect();
  socket.write(upgradeRequest);
  await once(socket, 'data');
  socket.resume();
  return socket;
}

test('what one member may have under way is bounded', async t => {
  const rig = await startProxyRig(t, { answer: () => {}, limits: { requests: 3, streams: 1 } });
  const waiting = Array.from({ length: 3 }, () => rig.send(get('/k8s/clusters/east/api')));
  await eventually(() => rig.seen.length === 3);
  const answer = await rig.send(get('/k8s/clusters/east/api'));
  assert.match(answer, /^HTTP\/1.1 429 [^]*retry-after: 1[^]*too many requests to cluster \\"east\\" are under way/i);
  assert.equal(rig.seen.length, 3);
  waiting.forEach(one => one.catch(() => {}));
});

test('a member that answers nonsense is a 503, and adds no headers of its making', async t => {
  const empty = () => Readable.from([]);
  const odd = (status: number): Transport => ({
    request: async () => ({ status, headers: {}, body: empty() }),
    upgrade: async () => ({
      status: 101,
      headers: { upgrade: 'x\r\nSet-Cookie: a', 'bad name': 'b', 'x-fine': 'c' },
      socket: Duplex.from([]),
    }),
    async [Symbol.asyncDispose]() {},
  });
  for (const status of [0, 99, 101, 199, 600, 1000]) {
    const rig = await startProxyRig(t, { transportOf: () => odd(status) });
    assert.match(await rig.send(get('/k8s/clusters/east/api')), /^HTTP\/1.1 503 /, String(status));
  }
  const rig = await startProxyRig(t, { transportOf: () => odd(200) });
  const answer = await rig.send(upgradeRequest);
  assert.match(answer, /^HTTP\/1.1 101 [^]*x-fine: c/);
  assert.doesNotMatch(answer, /set-cookie|bad name/i);
});

test('answers cannot reach beyond the page they are shown on', async t => {
  const rig = await startProxyRig(t, {
    answer: (_req, res) =>
      void res
        .writeHead(302, {
          'Set-Cookie': 'R_SESS=x',
          Location: '/login',
          'Access-Control-Allow-Origin': '*',
          Connection: 'X-Hop',
          'X-Hop': '1',
        })
        .end(),
  });
  const answer = await rig.send(get('/k8s/clusters/east/ui'));
  assert.match(answer, /location: \/k8s\/clusters\/east\/login/i);
  assert.match(answer, /content-security-policy: sandbox/i);
  assert.doesNotMatch(answer, /set-cookie|access-control|x-hop/i);
});
