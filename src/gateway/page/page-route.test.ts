import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { tempDir } from '../../../test/helpers/temp-dir.ts';
import { sendError } from '../answer.ts';
import { pageRoute } from './page-route.ts';

async function start(t: TestContext): Promise<string> {
  const scratch = tempDir('page');
  t.after(() => scratch[Symbol.dispose]());
  mkdirSync(path.join(scratch.dir, 'assets'));
  writeFileSync(path.join(scratch.dir, 'index.html'), '<meta name="style-nonce" content="__NONCE__"><p>shell</p>');
  writeFileSync(path.join(scratch.dir, 'assets/a-1.js'), 'run()');
  writeFileSync(path.join(scratch.dir, 'assets/a-1.js.br'), brotliCompressSync('run()'));
  writeFileSync(path.join(scratch.dir, 'secret.pem'), 'not for pages');
  const route = pageRoute({ streams: { open: () => Promise.reject(new Error('not here')) }, dir: scratch.dir });
  const server = createServer((req, res) => void route.handle(req, res).catch((error: unknown) => sendError(req, res, error)));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('every address inside the page answers the shell, and trusts no inline script or style but its own', async t => {
  const url = await start(t);
  const nonces = new Set<string>();
  for (const place of ['/ui/', '/ui/clusters/east', '/ui/explore/v1/pods?ns=a']) {
    const res = await fetch(url + place);
    const text = await res.text();
    assert.match(text, /<p>shell<\/p>/, place);
    const policy = res.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.doesNotMatch(policy, /unsafe|\*/);
    const nonce = /'nonce-([^']+)'/.exec(policy)![1]!;
    assert.ok(text.includes(`content="${nonce}"`), 'the shell knows the number of this answer');
    nonces.add(nonce);
    assert.equal(res.headers.get('cache-control'), 'no-store');
  }
  assert.equal(nonces.size, 3);
});

test('files named by their hash are kept for ever and come packed', async t => {
  const res = await fetch(`${await start(t)}/ui/assets/a-1.js`, { headers: { 'accept-encoding': 'br' } });
  assert.equal(await res.text(), 'run()');
  assert.equal(res.headers.get('content-encoding'), 'br');
  assert.match(res.headers.get('cache-control') ?? '', /immutable/);
});

test('only files of the page are served', async t => {
  const url = await start(t);
  assert.equal((await fetch(`${url}/ui/assets/b-2.js`)).status, 404);
  for (const place of ['/ui/secret.pem', '/ui/..%2f..%2fetc/passwd', '/ui/assets%2fa-1.js'])
    assert.match(await (await fetch(url + place)).text(), /shell/, place);
  assert.equal((await fetch(`${url}/ui/`, { method: 'POST' })).status, 405);
  assert.equal((await fetch(`${url}/ui`, { redirect: 'manual' })).headers.get('location'), '/ui/');
});
