import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { withFolders } from '../../scripts/image/drover-image.ts';
import { writeImage } from '../../scripts/image/oci-archive.ts';
import { writeTar, type TarEntry } from '../../scripts/image/tar.ts';

const entries: TarEntry[] = [
  { path: 'bin/tool', type: 'file', data: Buffer.from('tool'), mode: 0o755 },
  { path: 'bin/sh', type: 'link', target: '/bin/tool' },
  { path: `deep/${'folder/'.repeat(12)}file-with-a-rather-long-name.txt`, type: 'file', data: Buffer.from('far') },
];

test('an image is the same, byte for byte, whenever it is written', () => {
  const write = () => writeImage({ name: 'a.test/b:1', layers: [withFolders(entries)], config: { Entrypoint: ['/bin/tool'] } });
  assert.equal(write().digest, write().digest);
  assert.ok(write().archive.equals(write().archive));
});

test('other programs can read the archive', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-tar-'));
  try {
    execFileSync('tar', ['x', '-C', dir], { input: writeTar(withFolders(entries)) });
    const listed = execFileSync('find', [dir, '-not', '-type', 'd', '-printf', '%P %y %m %l\n'], { encoding: 'utf8' });
    assert.match(listed, /^bin\/tool f 755 $/m);
    assert.match(listed, /^bin\/sh l \d+ \/bin\/tool$/m);
    assert.match(listed, /file-with-a-rather-long-name\.txt f 644 $/m);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});

test('a path that no archive can hold is refused', () => {
  assert.throws(() => writeTar([{ path: 'x'.repeat(300), type: 'file', data: Buffer.alloc(0) }]), /too long for a tar archive/);
});

test('an image for several processors has one name, and shares what is not of a processor', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'drover-index-'));
  try {
    const system = (text: string): TarEntry[] => [{ path: 'bin/node', type: 'file', data: Buffer.from(text), mode: 0o755 }];
    const systems = { amd64: system('x'), arm64: system('y') };
    const { archive, digest } = writeImage({ name: 'a.test/b:1', systems, layers: [withFolders(entries)], config: {} });
    execFileSync('tar', ['x', '-C', dir], { input: archive });
    interface Index {
      readonly manifests: readonly { digest: string; mediaType: string; platform?: { architecture: string } }[];
    }
    const read = <T>(file: string) => JSON.parse(readFileSync(path.join(dir, file), 'utf8')) as T;
    const blob = <T>(name: string) => read<T>(`blobs/${name.replace(':', '/')}`);
    const [named, ...others] = read<Index>('index.json').manifests;
    assert.deepEqual([named?.digest, named?.mediaType, others.length], [digest, 'application/vnd.oci.image.index.v1+json', 0]);
    const images = blob<Index>(digest).manifests.map(({ digest: image, platform }) => {
      const manifest = blob<{ config: { digest: string }; layers: { digest: string }[] }>(image);
      const config = blob<{ architecture: string; rootfs: { diff_ids: string[] } }>(manifest.config.digest);
      assert.equal(config.architecture, platform?.architecture);
      assert.equal(config.rootfs.diff_ids.length, 2);
      return { architecture: config.architecture, layers: manifest.layers.map(layer => layer.digest) };
    });
    assert.deepEqual(
      images.map(({ architecture }) => architecture),
      ['amd64', 'arm64'],
    );
    assert.notEqual(images[0]!.layers[0], images[1]!.layers[0]);
    assert.equal(images[0]!.layers[1], images[1]!.layers[1]);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
