import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { startHub } from '../helpers/hub.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const big = 'x'.repeat(500_000);
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { big } });

/** A file system of 64 MiB of our own, or undefined where we may not mount one. */
function mountSmallDisk(): { dir: string; unmount(): void } | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'drover-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', dir], { stdio: 'pipe' });
  } catch {
    rmSync(dir, { recursive: true });
    return undefined;
  }
  return {
    dir,
    unmount() {
      execFileSync('umount', [dir]);
      rmSync(dir, { recursive: true });
    },
  };
}

test(
  'a full disk refuses writes with 503, serves reads, watches and deletes, and heals without a restart',
  { timeout: 120_000 },
  async t => {
    const disk = mountSmallDisk();
    if (!disk) {
      assert.notEqual(process.env.CI, 'true', 'CI may mount a tmpfs');
      return t.skip('needs the right to mount a tmpfs');
    }
    t.after(() => disk.unmount());
    const dataDir = join(disk.dir, 'data');
    await using hub = await startHub({ dataDir });
    // Space that somebody else gives back later.
    const ballast = join(disk.dir, 'ballast');
    writeFileSync(ballast, Buffer.alloc(12 * 1024 * 1024));

    let stored = 0;
    let refusal;
    for (; stored < 200; stored++) {
      refusal = await hub.request('POST', collection, configMap(`big-${stored}`));
      if (refusal.code !== 201) break;
    }
    assert.equal(refusal?.code, 503);
    const status = refusal.json<{ reason: string; message: string; details: { retryAfterSeconds: number } }>();
    assert.equal(status.reason, 'ServiceUnavailable');
    assert.match(status.message, /storage full/);
    assert.ok(refusal.headers['retry-after']);

    assert.equal((await hub.request('GET', `${collection}/big-0`)).code, 200);
    const list = (await hub.request('GET', collection)).json<{ metadata: { resourceVersion: string }; items: unknown[] }>();
    assert.ok(list.items.length >= stored);

    const stream = await hub.target.stream(`${collection}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
    assert.equal((await hub.request('DELETE', `${collection}/big-0`)).code, 200);
    await eventually(() => stream.lines.some(line => line.includes('"DELETED"') && line.includes('big-0')));
    stream.close();

    rmSync(ballast);
    await eventually(async () => (await hub.request('POST', collection, configMap('after'))).code === 201, Boolean, { timeoutMs: 20_000 });
  },
);
