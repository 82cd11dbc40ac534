import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { tempDir } from '../../test/helpers/temp-dir.ts';
import { Secret } from '../api/builtin-kinds.ts';
import { fileBlobs, secretBlobs, type KeptBlobs } from './kept-blobs.ts';

const signal = AbortSignal.timeout(120_000);

const stores: Record<string, (t: TestContext) => Promise<KeptBlobs>> = {
  async files(t) {
    const scratch = tempDir('blobs');
    t.after(() => scratch[Symbol.dispose]());
    return fileBlobs(scratch.dir);
  },
  secrets: async t => secretBlobs((await startMemoryServer(t)).client, 'default'),
};

for (const [name, open] of Object.entries(stores))
  test(`what is kept in ${name} is found again, whatever its name and size`, async t => {
    const blobs = await open(t);
    assert.deepEqual(await blobs.names('work', signal), []);
    assert.equal(await blobs.get('work', 'c-m-1/web', signal), undefined);
    // Random bytes cannot be packed: this takes several Secrets.
    const large = randomBytes(2_000_000);
    await blobs.put('work', 'c-m-1/web', Buffer.from('one'), signal);
    await blobs.put('work', 'c-m-1/web', Buffer.from('two'), signal);
    await blobs.put('content', 'sha256:../../odd', large, signal);
    assert.deepEqual(await blobs.names('work', signal), ['c-m-1/web']);
    assert.equal(String(await blobs.get('work', 'c-m-1/web', signal)), 'two');
    assert.ok((await blobs.get('content', 'sha256:../../odd', signal))?.equals(large));
    await blobs.delete('content', 'sha256:../../odd', signal);
    await blobs.delete('content', 'sha256:../../odd', signal);
    assert.deepEqual([await blobs.names('content', signal), await blobs.get('content', 'sha256:../../odd', signal)], [[], undefined]);
  });

test('nothing is left of Secrets that were deleted', async t => {
  const { client } = await startMemoryServer(t);
  const blobs = secretBlobs(client, 'default');
  await blobs.put('content', 'a', randomBytes(2_000_000), signal);
  await blobs.delete('content', 'a', signal);
  assert.deepEqual((await client.list(Secret, { namespace: 'default' })).items, []);
});

test('what is damaged counts as missing', async t => {
  using scratch = tempDir('blobs');
  t.diagnostic(scratch.dir);
  const blobs = fileBlobs(scratch.dir);
  await blobs.put('work', 'a', Buffer.from('one'), signal);
  const [file = ''] = readdirSync(join(scratch.dir, 'works'));
  writeFileSync(join(scratch.dir, 'works', file), 'nonsense');
  assert.equal(await blobs.get('work', 'a', signal), undefined);
});
