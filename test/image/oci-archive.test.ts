import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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
