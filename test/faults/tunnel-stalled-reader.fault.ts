import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { startTestTunnel } from '../helpers/tunnel-rig.ts';

const id = 'c-m-test1234';
const mebibyte = 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 'x');

/** Sends as fast as it is read, and counts. */
function endlessBody() {
  let sent = 0;
  return {
    get sent() {
      return sent;
    },
    write(res: { write(chunk: Buffer): boolean; once(event: 'drain', listener: () => void): void; end(): void }) {
      const more = () => {
        while (sent < 64 * mebibyte) {
          sent += chunk.length;
          if (!res.write(chunk)) return void res.once('drain', more);
        }
        res.end();
      };
      more();
    },
  };
}

test('64 MiB that nobody reads do not grow memory and do not stop 500 requests beside them', { timeout: 120_000 }, async t => {
  const bodies = Array.from({ length: 8 }, endlessBody);
  let next = 0;
  await using tunnel = await startTestTunnel((req, res) => {
    if (req.url === '/large') bodies[next++]!.write(res);
    else res.end('ok');
  });
  const transport = tunnel.hub.sessions.transport(id);
  for (let i = 0; i < 50; i++) await text((await transport.request({ method: 'GET', path: '/' })).body);
  const before = process.memoryUsage().rss;

  const stalled = await Promise.all(bodies.map(() => transport.request({ method: 'GET', path: '/large' })));
  const times: number[] = [];
  for (let i = 0; i < 500; i++) {
    const startedAt = performance.now();
    assert.equal(await text((await transport.request({ method: 'GET', path: '/' })).body), 'ok');
    times.push(performance.now() - startedAt);
  }
  const grown = process.memoryUsage().rss - before;
  times.sort((a, b) => a - b);
  const sent = bodies.map(body => body.sent);
  t.diagnostic(`500 requests: p50 ${times[250]!.toFixed(1)} ms, p99 ${times[495]!.toFixed(1)} ms`);
  t.diagnostic(
    `each of 8 stalled streams took ${(Math.max(...sent) / 1024).toFixed(0)} KiB of 65536; memory grew by ${(grown / mebibyte).toFixed(0)} MiB`,
  );
  // Hub, agent and API server share this process, with the buffers of the sockets between them.
  assert.ok(Math.max(...sent) < 8 * mebibyte, `a stalled stream took ${Math.max(...sent)} bytes`);
  assert.ok(grown < 100 * mebibyte, `memory grew by ${grown} bytes`);

  // One of them is read after all, and is whole.
  let size = 0;
  for await (const part of stalled[0]!.body) size += (part as Buffer).length;
  assert.equal(size, 64 * mebibyte);
  for (const { body } of stalled) body.destroy();
});

test('an upload that the API server does not read does not stop others', { timeout: 60_000 }, async () => {
  await using tunnel = await startTestTunnel((req, res) => {
    if (req.method === 'POST') req.pause();
    else res.end('ok');
  });
  const transport = tunnel.hub.sessions.transport(id);
  const { Readable } = await import('node:stream');
  let read = 0;
  const body = new Readable({
    read() {
      read += chunk.length;
      this.push(read > 64 * mebibyte ? null : chunk);
    },
  });
  const aborter = new AbortController();
  const upload = transport.request({ method: 'POST', path: '/upload', body, signal: aborter.signal });
  upload.catch(() => {});
  for (let i = 0; i < 200; i++) assert.equal(await text((await transport.request({ method: 'GET', path: '/' })).body), 'ok');
  assert.ok(read < 16 * mebibyte, `${read} bytes were taken from the sender`);
  aborter.abort(new Error('enough'));
  await assert.rejects(upload, /enough/);
});
