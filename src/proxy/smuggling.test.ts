import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startProxyRig, type ProxyRig, type RigOptions } from '../../test/helpers/proxy-rig.ts';
import { guardServer } from '../apiserver/http/server-limits.ts';

const smuggled = 'GET /api/v1/secrets HTTP/1.1\r\nHost: member\r\nImpersonate-User: system:admin\r\n\r\n';
const path = '/k8s/clusters/east/api/v1/namespaces/shop/pods';
const request = (method: string, head: string, body: string) => `${method} ${path} HTTP/1.1\r\nHost: hub\r\n${head}\r\n\r\n${body}`;
const chunked = (...chunks: string[]) => `${chunks.map(chunk => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n`;

const refusesUpgrades: RigOptions = {
  guard: guardServer,
  upgrade: (_req, socket) => void socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
};

/** The member must have seen this one request, or nothing. */
async function saysNoMore(rig: ProxyRig, bytes: string, what: string): Promise<void> {
  const before = rig.seen.length;
  await rig.send(bytes);
  const urls = rig.seen.slice(before).map(({ url }) => url);
  assert.ok(urls.length <= 1 && urls.every(url => url === '/api/v1/namespaces/shop/pods'), `${what}: ${urls.join()}`);
  const names = rig.seen.slice(before).flatMap(({ headers }) => headers['impersonate-user'] ?? []);
  assert.ok(
    names.every(name => name === 'jane'),
    `${what}: ${names.join()}`,
  );
}

test('a request within the body of another stays there, whoever counts the bytes', async t => {
  const rig = await startProxyRig(t, refusesUpgrades);
  const close = 'Connection: close';
  const length = `Content-Length: ${smuggled.length}`;
  const cases: Record<string, string> = {
    'a body of that length': request('POST', `${close}\r\n${length}`, smuggled),
    'a body in chunks': request('POST', `${close}\r\nTransfer-Encoding: chunked`, `${chunked(smuggled)}\r\n`),
    'a GET with a body': request('GET', `${close}\r\n${length}`, smuggled),
    'a DELETE with chunks': request('DELETE', `${close}\r\nTransfer-Encoding: chunked`, `${chunked(smuggled)}\r\n`),
    'a length that is to stay here': request('POST', `Connection: close, Content-Length\r\n${length}`, smuggled),
    'a coding that is to stay here': request(
      'POST',
      'Connection: close, Transfer-Encoding\r\nTransfer-Encoding: chunked',
      `${chunked(smuggled)}\r\n`,
    ),
    'a trailer that says who asks': request(
      'POST',
      `${close}\r\nTransfer-Encoding: chunked\r\nTrailer: Impersonate-User`,
      `${chunked('{}')}Impersonate-User: system:admin\r\n\r\n`,
    ),
    'a length and chunks': request('POST', `${close}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked`, `${chunked('')}\r\n${smuggled}`),
    'two lengths': request('POST', `${close}\r\nContent-Length: 0\r\n${length}`, smuggled),
    'a coding nobody knows': request('POST', `${close}\r\nTransfer-Encoding: gzip, chunked`, `${chunked(smuggled)}\r\n`),
    'a folded header': request('POST', `${close}\r\nX-A: b\r\n Transfer-Encoding: chunked\r\nContent-Length: 0`, smuggled),
    'lines that end in line feeds': request('POST', `${close}\nContent-Length: 0`, '').replaceAll('\r\n', '\n') + smuggled,
    'a carriage return in a header': request('POST', `${close}\r\nX-A: b\rImpersonate-User: system:admin\r\nContent-Length: 0`, ''),
    'an upgrade with a body': request('POST', `Connection: Upgrade\r\nUpgrade: websocket\r\n${length}`, smuggled),
    'an upgrade to HTTP/2': request(
      'GET',
      'Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk',
      smuggled,
    ),
    'an expectation': request('POST', `${close}\r\nExpect: 100-continue\r\n${length}`, smuggled),
  };
  for (const [what, bytes] of Object.entries(cases)) await saysNoMore(rig, bytes, what);
});

test('whatever the body holds, the member hears the requests that were authorised and no others', async t => {
  const rig = await startProxyRig(t, refusesUpgrades);
  const part = fc.constantFrom(smuggled, '0\r\n\r\n', '\r\n\r\n', 'GET / HTTP/1.1\r\n', 'a', '\r\n', '5\r\n');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 6 }), fc.boolean(), async (parts, isChunked) => {
      const body = parts.join('');
      const head = `Connection: close\r\n${isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`}`;
      await saysNoMore(rig, request('POST', head, isChunked ? `${chunked(...parts)}\r\n` : body), body);
    }),
    { numRuns: 60 },
  );
});
