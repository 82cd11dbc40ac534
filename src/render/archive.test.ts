import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { maxFiles, maxUnpackedBytes, readFolderArchive } from './archive.ts';
import { readChartArchive } from './chart/chart-archive.ts';
import { tarHeader, writeArchive, writeTar, type PackedFile } from './write-archive.ts';

const file = (name: string, text = 'x'): PackedFile => ({ name, data: Buffer.from(text) });
const entry = (header: Parameters<typeof tarHeader>[0]): Buffer => gzipSync(Buffer.concat([tarHeader(header), Buffer.alloc(1024)]));

test('what was packed is read, long names and byte order marks included', () => {
  const long = `web/${'deep/'.repeat(40)}file.yaml`;
  const files = readChartArchive(writeArchive([file('web/Chart.yaml', '\ufeffname: web'), file(long, 'long')]));
  assert.deepEqual(
    files.map(({ name, data }) => [name, data.toString()]),
    [
      ['Chart.yaml', 'name: web'],
      [long.slice('web/'.length), 'long'],
    ],
  );
});

test('the same files are the same bytes', () => {
  const files = [file('a/b'), file('a/c')];
  assert.ok(writeArchive(files).equals(writeArchive(files)));
});

const hostilePaths: readonly [string, RegExp][] = [
  ['web/../../etc/passwd', /parent directory/],
  ['web/..', /parent directory/],
  ['web/..\\..\\x', /parent directory/],
  ['web//etc/passwd', /absolute paths/],
  ['web/c:/windows', /illegally named files/],
  ['web/./', /no files in chart archive/],
  ['web/.', /outside the base directory/],
  ['Chart.yaml', /not in base directory/],
];
for (const [path, words] of hostilePaths) {
  test(`a chart with the path ${JSON.stringify(path)} is refused`, () => {
    assert.throws(() => readChartArchive(writeArchive([file(path)])), words);
  });
}

for (const path of ['../x', '/etc/passwd', 'a/../../x', '..\\x', 'c:/x', '.', '..']) {
  test(`a folder with the path ${JSON.stringify(path)} is refused`, () => {
    assert.throws(() => readFolderArchive(writeArchive([file(path)])), /leads out of it|absolute path/);
  });
}

for (const [type, what] of Object.entries({
  1: 'a hard link',
  2: 'a symbolic link',
  3: 'a device',
  4: 'a block device',
  6: 'a pipe',
  S: 'a sparse file',
})) {
  test(`${what} is refused`, () => {
    const archive = entry({ name: 'web/x', sizeBytes: 0, type, link: '/etc/passwd' });
    assert.throws(() => readChartArchive(archive), /not a plain file/);
    assert.throws(() => readFolderArchive(archive), /not a plain file/);
  });
}

/** Gzipped pieces, one after the other, are the gzipped whole. */
const repeated = (piece: Buffer, times: number): Buffer => {
  const packed = gzipSync(piece, { level: 9 });
  return Buffer.concat(Array.from({ length: times }, () => packed));
};

test('a bomb is refused before it is unpacked whole', () => {
  const megabyte = 1024 * 1024;
  const head = gzipSync(tarHeader({ name: 'web/x', sizeBytes: 4000 * megabyte }));
  const bomb = Buffer.concat([head, repeated(Buffer.alloc(4 * megabyte), 1000)]);
  assert.ok(bomb.length * 800 < 4000 * megabyte);
  assert.throws(() => readChartArchive(bomb), /larger than the maximum size/);
});

test('files that are too much only together are refused', () => {
  const half = Buffer.alloc(maxUnpackedBytes / 2 + 1);
  const archive = gzipSync(
    writeTar([
      { name: 'web/a', data: half },
      { name: 'web/b', data: half },
    ]),
    { level: 1 },
  );
  assert.throws(() => readChartArchive(archive), /decompressed chart is larger than the maximum size/);
});

test('very many files are refused', () => {
  const headers = Buffer.concat(Array.from({ length: 1000 }, () => tarHeader({ name: 'web/x', sizeBytes: 0 })));
  assert.throws(() => readFolderArchive(repeated(headers, maxFiles / 1000 + 1)), /more than 100000 files/);
  assert.throws(() => readChartArchive(repeated(headers, 1000)), /larger than the maximum size/);
});

test('two files with one name are refused, unless they are the same', () => {
  assert.throws(() => readChartArchive(writeArchive([file('web/a', '1'), file('web/a', '2')])), /two different files "a"/);
  assert.throws(() => readFolderArchive(writeArchive([file('a', '1'), file('./a', '2')])), /two different files "a"/);
  assert.equal(readChartArchive(writeArchive([file('web/a', '1'), file('web/./a', '1')])).length, 1);
});

test('a size that only a PAX header tells is the size', () => {
  const record = Buffer.from('9 size=3\n');
  const tar = Buffer.concat([
    tarHeader({ name: 'pax', sizeBytes: record.length, type: 'x' }),
    Buffer.concat([record, Buffer.alloc(512 - record.length)]),
    tarHeader({ name: 'web/a', sizeBytes: 0 }),
    Buffer.concat([Buffer.from('abc'), Buffer.alloc(509)]),
    writeTar([file('web/b')]),
  ]);
  assert.deepEqual(
    readChartArchive(gzipSync(tar)).map(({ name, data }) => [name, data.toString()]),
    [
      ['a', 'abc'],
      ['b', 'x'],
    ],
  );
});

test('a header with a wrong sum is refused', () => {
  const header = tarHeader({ name: 'web/x', sizeBytes: 0 });
  header[0] = 0x58;
  assert.throws(() => readChartArchive(gzipSync(header)), /invalid tar header/);
});

test('any files come back as they were packed', () => {
  const name = fc
    .string({ minLength: 1, maxLength: 150, unit: fc.constantFrom('a', 'B', '0', '-', '.x', 'ü', '/y') })
    .map(text => `f${text}`);
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 1500 })), { selector: ([path]) => path, maxLength: 8 }), files => {
      const packed = files.map(([path, data]) => ({ name: path, data: Buffer.concat([Buffer.from('.'), data]) }));
      const read = readFolderArchive(writeArchive(packed));
      assert.deepEqual(
        [...read],
        packed.map(({ name, data }) => [name, data]),
      );
    }),
    { numRuns: 200 },
  );
});

test('any damage to an archive ends in files or in an error', () => {
  const tar = writeTar([file('web/Chart.yaml', 'name: web'), file(`web/${'x'.repeat(120)}`)]);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(tar.length - 1), fc.nat(255)), { maxLength: 6 }), damage => {
      const damaged = Buffer.from(tar);
      for (const [at, byte] of damage) damaged[at] = byte;
      try {
        readChartArchive(gzipSync(damaged, { level: 1 }));
      } catch (error) {
        assert.ok(error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError), String(error));
      }
    }),
    { numRuns: 300 },
  );
});
