import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openSqliteJournal } from '../../src/store/sqlite-journal.ts';
import { Store } from '../../src/store/store.ts';

const keys = 64;
const payload = 'x'.repeat(16 * 1024);
const mebibyte = 1024 * 1024;

test('the file levels off under churn, and compaction shows its progress', { timeout: 180_000 }, async t => {
  const dir = mkdtempSync(join(tmpdir(), 'drover-churn-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'hub.db');
  const store = await Store.open(await openSqliteJournal(file));

  /** Writes each key in turn, many at a time, so that batches form. */
  const churn = async (writes: number) => {
    for (let done = 0; done < writes; done += keys) {
      await Promise.all(
        Array.from({ length: keys }, (_, i) => {
          const key = { resource: '/configmaps', namespace: 'default', name: `key-${i}` };
          const obj = {
            kind: 'ConfigMap',
            apiVersion: 'v1',
            metadata: { name: key.name, namespace: 'default' },
            data: { payload, done: String(done) },
          };
          return store.write(key, obj, store.getHead(key));
        }),
      );
    }
  };

  // The window of history holds 64 MiB of superseded values: about 4,000 writes of this size.
  await churn(8000);
  const compactedBefore = store.history.compactedRevision;
  const sizeBefore = statSync(file).size;
  await churn(8000);
  const compactedAfter = store.history.compactedRevision;
  const sizeAfter = statSync(file).size;
  await store.close();

  assert.ok(compactedBefore > 0);
  assert.ok(compactedAfter >= compactedBefore + 7000, `compaction went from ${compactedBefore} to ${compactedAfter}`);
  assert.ok(sizeAfter <= sizeBefore + 16 * mebibyte, `file grew from ${sizeBefore} to ${sizeAfter} bytes`);
  assert.ok(sizeAfter <= 128 * mebibyte, `file has ${sizeAfter} bytes`);
});
