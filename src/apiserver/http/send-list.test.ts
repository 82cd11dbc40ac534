import assert from 'node:assert/strict';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { eventually } from '../../../test/helpers/eventually.ts';
import { ListBody } from '../list-body.ts';
import { sendList } from './send-list.ts';

/** A list of so many bytes, all of one letter: a byte of somebody else's list shows. */
function listOf(letter: string, size: number): ListBody {
  const items = Array.from({ length: Math.ceil(size / 50_000) }, () => Buffer.from(`"${letter.repeat(49_998)}"`));
  return new ListBody([Buffer.from('['), ...items, Buffer.from(']')], 0);
}

interface Sent {
  readonly response: ServerResponse;
  readonly done: Promise<void>;
}

async function start(t: TestContext, bodyFor: (url: string) => ListBody) {
  const sent: Sent[] = [];
  const server = createServer((req, response) => {
    const acceptsGzip = req.headers['accept-encoding'] === 'gzip';
    sent.push({ response, done: sendList({ res: response, acceptsGzip, warnings: [] }, bodyFor(req.url ?? '')) });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = (path: string, headers = {}) =>
    new Promise<IncomingMessage>((resolve, reject) => get({ port, path, headers, agent: false }, resolve).once('error', reject));
  return { open, sent };
}

async function read(res: IncomingMessage): Promise<Buffer> {
  return Buffer.concat((await Array.fromAsync(res)) as Buffer[]);
}

/** The one letter that a list is made of, or all of it when there are others. */
function letterOf(bytes: Buffer): string {
  const items = JSON.parse(bytes.toString()) as string[];
  return items.every(item => item === items[0]) ? (/^(.)\1*$/.exec(items[0]!)?.[1] ?? items[0]!) : 'many';
}

test('lists that are sent at the same time do not mix', async t => {
  const { open } = await start(t, url => listOf(url.slice(1), 3_000_000));
  const letters = [...'abcdefgh'];
  for (let round = 0; round < 3; round++) {
    const bodies = await Promise.all(letters.map(async letter => read(await open(`/${letter}`))));
    assert.deepEqual(bodies.map(letterOf), letters);
  }
});

test('a list announces its size, small or large', async t => {
  const { open } = await start(t, url => listOf('x', Number(url.slice(1))));
  for (const size of [50_000, 2_000_000]) {
    const res = await open(`/${size}`);
    assert.equal((await read(res)).length, Number(res.headers['content-length']));
  }
});

test('those who like it compressed get it so', async t => {
  const { open } = await start(t, () => listOf('z', 1_000_000));
  const res = await open('/', { 'Accept-Encoding': 'gzip' });
  assert.equal(res.headers['content-encoding'], 'gzip');
  assert.equal(letterOf(gunzipSync(await read(res))), 'z');
});

test('a reader that stops holds a few chunks and no more; one that leaves ends the sending', async t => {
  const { open, sent } = await start(t, () => listOf('s', 20_000_000));
  const stalled = await open('/');
  stalled.pause();
  const [{ response, done }] = sent as [Sent];
  await eventually(() => response.writableLength > 0);
  assert.ok(response.writableLength <= 4 * 256 * 1024, `${response.writableLength} bytes wait`);
  stalled.destroy();
  await done;

  const next = await open('/');
  assert.equal(letterOf(await read(next)), 's');
});
