import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { guardServer, serverLimits } from './server-limits.ts';

let server: Server;
const seen: { url: string; headers: number; body: string }[] = [];

before(async () => {
  server = createServer(serverLimits, async (req, res) => {
    let body = '';
    try {
      for await (const chunk of req) body += chunk;
    } catch {
      return;
    }
    seen.push({ url: req.url!, headers: req.rawHeaders.length / 2, body });
    res.end('ok');
  });
  guardServer(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

after(() => server.close());

/** Sends bytes and waits until the server hangs up, or has been quiet for a moment. */
async function talk(text: string): Promise<{ statuses: string[]; isClosed: boolean; answer: string }> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let answer = '';
  let isClosed = false;
  socket.on('error', () => {});
  socket.on('data', chunk => (answer += chunk));
  socket.on('end', () => (isClosed = true));
  socket.write(text);
  await Promise.race([once(socket, 'close'), new Promise(resolve => setTimeout(resolve, 150))]);
  socket.destroy();
  return { statuses: [...answer.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(match => match[1]!), isClosed, answer };
}

const post = (headers: string, body: string) => `POST /x HTTP/1.1\r\nHost: h\r\n${headers}\r\n\r\n${body}`;
const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n';

test('requests whose end is disputed are refused, and nothing after them is heard', async () => {
  const cases: Record<string, string> = {
    'length and chunks': post('Content-Length: 6\r\nTransfer-Encoding: chunked', `0\r\n\r\n${smuggled}`),
    'chunks and length': post('Transfer-Encoding: chunked\r\nContent-Length: 4', `0\r\n\r\n${smuggled}`),
    'two lengths': post(`Content-Length: 0\r\nContent-Length: ${smuggled.length}`, smuggled),
    'a list of lengths': post(`Content-Length: 0, ${smuggled.length}`, smuggled),
    'a signed length': post('Content-Length: +0', smuggled),
    'an unknown coding': post('Transfer-Encoding: xchunked', `0\r\n\r\n${smuggled}`),
    'chunks that are not last': post('Transfer-Encoding: chunked, identity', `0\r\n\r\n${smuggled}`),
    'a size that is no number': post('Transfer-Encoding: chunked', `zz\r\n\r\n${smuggled}`),
    'a folded header': post('X-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 0', smuggled),
    'a space before the colon': post('Content-Length : 0', smuggled),
    'bare line feeds': `GET /x HTTP/1.1\nHost: h\nX: y\n\n${smuggled}`,
    'a NUL in a header': post('X-A: \0\r\nContent-Length: 0', smuggled),
    'no host': 'GET /x HTTP/1.1\r\n\r\n',
    'no HTTP at all': '\x16\x03\x01\x00\xa5hello\r\n\r\n',
  };
  for (const [name, text] of Object.entries(cases)) {
    seen.length = 0;
    const { statuses, isClosed } = await talk(text);
    assert.deepEqual(statuses, ['400'], name);
    assert.ok(isClosed, name);
    assert.ok(!seen.some(({ url }) => url === '/smuggled'), name);
  }
});

test('an unknown method is not allowed anywhere', async () => {
  const { statuses, isClosed, answer } = await talk('FROB /api/v1/pods HTTP/1.1\r\nHost: h\r\n\r\n');
  assert.deepEqual(statuses, ['405']);
  assert.ok(isClosed);
  assert.match(answer, /"reason":"MethodNotAllowed"/);
});

test('headers have a size, and none of them is lost', async () => {
  seen.length = 0;
  await talk(`GET /x HTTP/1.1\r\nHost: h\r\n${'X-A: b\r\n'.repeat(5000)}\r\n`);
  assert.equal(seen[0]?.headers, 5001);
  const { statuses, isClosed } = await talk(`GET /x HTTP/1.1\r\nHost: h\r\nX-A: ${'b'.repeat(1_100_000)}\r\n\r\n`);
  assert.deepEqual(statuses, ['431']);
  assert.ok(isClosed);
});

test('a client that is slow with its headers is not waited for long', () => {
  assert.ok(server.headersTimeout <= 32_000 && server.headersTimeout > 0);
  assert.ok(server.requestTimeout <= 70_000 && server.requestTimeout > 0);
});
