import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeflate } from 'node:zlib';
import { eventually } from '../../../../../test/helpers/eventually.ts';
import { pack, picture, RfbServer } from '../../../../../test/helpers/rfb-server.ts';
import { ByteReader } from './byte-reader.ts';
import { decodeZrle } from './decode-zrle.ts';
import { Inflater } from './inflater.ts';
import { keysymOf, scanCodeOf } from './key-codes.ts';
import { RfbClient, type Screen } from './rfb-client.ts';
import { typeText, untypable } from './type-text.ts';

/** A canvas without a browser. */
function plainScreen() {
  const size = { width: 0, height: 0 };
  let pixels = new Uint8ClampedArray();
  const copied: string[] = [];
  const screen: Screen = {
    resize(width, height) {
      Object.assign(size, { width, height });
      pixels = new Uint8ClampedArray(width * height * 4);
    },
    draw({ x, y, width, height }, drawn) {
      for (let row = 0; row < height; row++)
        pixels.set(drawn.subarray(row * width * 4, (row + 1) * width * 4), ((y + row) * size.width + x) * 4);
    },
    copy(from, { x, y, width, height }) {
      for (let row = 0; row < height; row++) {
        const at = ((from.y + row) * size.width + from.x) * 4;
        pixels.set(pixels.slice(at, at + width * 4), ((y + row) * size.width + x) * 4);
      }
    },
    pointer() {},
    copied: text => void copied.push(text),
  };
  return {
    screen,
    size,
    copied,
    colorAt: (x: number, y: number) => [...pixels.subarray((y * size.width + x) * 4, (y * size.width + x) * 4 + 4)],
  };
}

/** A client and a server, byte by byte when it is `torn`. */
function talk({ isTorn = false } = {}) {
  const shown = plainScreen();
  const client: RfbClient = new RfbClient(bytes => server.hear(Buffer.from(bytes)), shown.screen);
  const hear = (bytes: Uint8Array) =>
    isTorn ? bytes.forEach(byte => client.hear(Uint8Array.of(byte))) : client.hear(new Uint8Array(bytes));
  const server: RfbServer = new RfbServer(bytes => queueMicrotask(() => hear(bytes)));
  return { ...shown, client, server };
}

for (const isTorn of [false, true])
  test(`a picture comes, changes and is copied${isTorn ? ', one byte at a time' : ''}`, async () => {
    const { client, server, size, colorAt } = talk({ isTorn });
    assert.equal(await client.open(), 'machine');
    assert.deepEqual(size, { width: 320, height: 200 });
    const ended = client.run().catch((error: unknown) => (error as Error).message);
    const { plain, copied, answer, ground } = picture;
    await eventually(() => colorAt(copied.x + 15, copied.y + 15).join() === [...plain.color, 255].join());
    assert.deepEqual(colorAt(0, 0), [...ground, 255]);
    assert.deepEqual(colorAt(319, 199), [...ground, 255]);
    assert.deepEqual(colorAt(plain.x, plain.y), [...plain.color, 255]);
    assert.deepEqual(colorAt(plain.x + plain.width, plain.y), [...ground, 255]);
    client.pressKey({ key: 'Enter', code: 'Enter' }, true);
    client.pressKey({ key: 'Enter', code: 'Enter' }, false);
    client.movePointer(10.4, 2000, 1);
    await eventually(() => colorAt(answer.x + answer.width - 1, answer.y + answer.height - 1).join() === [...answer.color, 255].join());
    assert.deepEqual(server.heard.slice(1), ['key ff0d at 28 down', 'key ff0d at 28 up', 'pointer 10,199 buttons 1']);
    client.close(new Error('gone'));
    assert.equal(await ended, 'gone');
  });

test('texts go to the machine as keys or into its clipboard, and come from there', async () => {
  const { client, server, copied } = talk();
  await client.open();
  client.run().catch(() => {});
  const { signal } = new AbortController();
  await eventually(() => server.heard.length > 0);
  // By then the machine has said that it takes keys by their places.
  await eventually(() => {
    client.pressKey({ key: 'a', code: 'KeyA' }, false);
    return server.heard.at(-1) === 'key 61 at 30 up';
  });
  server.heard.length = 0;
  await typeText(client, 'Up?\r\n', { signal, pauseMs: 0 });
  assert.deepEqual(server.heard, [
    ...['key ffe1 at 42 down', 'key 55 at 22 down', 'key 55 at 22 up', 'key ffe1 at 42 up'],
    ...['key 70 at 25 down', 'key 70 at 25 up'],
    ...['key ffe1 at 42 down', 'key 3f at 53 down', 'key 3f at 53 up', 'key ffe1 at 42 up'],
    ...['key ff0d at 28 down', 'key ff0d at 28 up'],
  ]);
  client.copyText('Grüße\n');
  assert.equal(server.heard.at(-1), 'clipboard "Grüße\\n"');
  await eventually(() => copied.includes('Grüße\n'), Boolean, { what: 'what the machine copied' });
  client.close(new Error('gone'));
});

test('what no key writes is known before', () => {
  const all = Array.from({ length: 95 }, (_none, i) => String.fromCharCode(32 + i)).join('');
  assert.deepEqual(untypable(`${all}\t\r\n`), []);
  assert.deepEqual(untypable('a€ü€'), ['€', 'ü']);
});

test('every kind of tile is drawn', async () => {
  const [a, b, c] = [
    [1, 2, 3],
    [4, 5, 6],
    [7, 8, 9],
  ] as const;
  const kinds: Record<string, number[]> = {
    plain: [0, ...a, ...b, ...c, ...a, ...b, ...c],
    'one colour': [1, ...b],
    'palette of two': [2, ...a, ...b, 0b01000000, 0b10100000],
    'palette of three': [3, ...a, ...b, ...c, 0b00011000, 0b00011000],
    'palette of five': [5, ...a, ...b, ...c, ...a, ...a, 0x01, 0x20, 0x01, 0x20],
    runs: [128, ...a, 3, ...b, 1],
    'palette and runs': [130, ...a, ...b, 128, 2, 1, 128, 1],
  };
  const wanted: Record<string, readonly (readonly number[])[]> = {
    plain: [a, b, c, a, b, c],
    'one colour': [b, b, b, b, b, b],
    'palette of two': [a, b, a, b, a, b],
    'palette of three': [a, b, c, a, b, c],
    'palette of five': [a, b, c, a, b, c],
    runs: [a, a, a, a, b, b],
    'palette and runs': [a, a, a, b, a, a],
  };
  const packer = createDeflate();
  const inflater = new Inflater();
  for (const [name, bytes] of Object.entries(kinds)) {
    inflater.write(new Uint8Array(await pack(packer, Buffer.from(bytes))));
    const pixels = new Uint8ClampedArray(6 * 4);
    await decodeZrle(inflater.reader, { width: 3, height: 2 }, pixels);
    assert.deepEqual(
      [...pixels],
      wanted[name]!.flatMap(color => [...color, 255]),
      name,
    );
  }
  inflater.close(new Error('over'));
  packer.destroy();
});

test('a tile with more pixels than it has room for is refused', async () => {
  const reader = new ByteReader();
  reader.push(Uint8Array.of(128, 1, 2, 3, 200));
  await assert.rejects(decodeZrle(reader, { width: 2, height: 2 }, new Uint8ClampedArray(16)), /too many pixels/);
});

test('what does not speak VNC without a password is refused in words', async () => {
  const say = (...parts: (string | number[])[]) => {
    const client = new RfbClient(() => {}, plainScreen().screen);
    for (const part of parts) client.hear(typeof part === 'string' ? new TextEncoder().encode(part) : Uint8Array.from(part));
    return client.open();
  };
  await assert.rejects(say('RFB 003.003\n'), /speaks "RFB 003.003"/);
  await assert.rejects(say('HTTP/1.1 200 OK'), /speaks "HTTP/);
  await assert.rejects(say('RFB 003.008\n', [0, 0, 0, 0, 4], 'busy'), /^Error: busy$/);
  await assert.rejects(say('RFB 003.008\n', [1, 2]), /password/);
  await assert.rejects(say('RFB 003.008\n', [1, 1], [0, 0, 0, 1, 0, 0, 0, 2], 'no'), /^Error: no$/);
});

test('keys have names and places', () => {
  assert.equal(keysymOf({ key: 'a', code: 'KeyA' }), 0x61);
  assert.equal(keysymOf({ key: 'ü', code: 'BracketLeft' }), 0xfc);
  assert.equal(keysymOf({ key: '€', code: 'KeyE' }), 0x010020ac);
  assert.equal(keysymOf({ key: 'F12', code: 'F12' }), 0xffc9);
  assert.equal(keysymOf({ key: 'Shift', code: 'ShiftRight' }), 0xffe2);
  assert.equal(keysymOf({ key: 'Dead', code: 'Equal' }), undefined);
  const places = { Escape: 1, Digit0: 11, KeyQ: 16, Enter: 28, ControlLeft: 29, KeyA: 30, ShiftLeft: 42, KeyZ: 44, AltLeft: 56, Space: 57 };
  for (const [code, place] of Object.entries({ ...places, F1: 59, F10: 68, Numpad7: 71, IntlBackslash: 86, F12: 88, Delete: 0xd3 }))
    assert.equal(scanCodeOf(code), place, code);
  assert.equal(scanCodeOf('LaunchMail'), undefined);
});
