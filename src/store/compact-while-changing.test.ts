import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { compactWhileChanging } from './compact-while-changing.ts';
import { memoryJournal } from './journal.ts';
import { Store } from './store.ts';

const minuteMs = 60_000;

test('old history is forgotten, and a store without history is left in peace', async t => {
  let nowMs = 0;
  let looks = 0;
  const store = await Store.open(memoryJournal(), {
    now: () => {
      looks++;
      return nowMs;
    },
  });
  const compaction = compactWhileChanging(store, { everyMs: 1 });
  t.after(() => compaction[Symbol.dispose]());
  const key = { resource: '/configmaps', namespace: 'default', name: 'a' };
  const before = await store.write(key, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } }, undefined);
  await store.write(key, undefined, before);
  await eventually(
    () => looks,
    seen => seen > 0,
  );
  assert.equal(store.history.since('/configmaps', before.revision)?.length, 1);

  nowMs += 6 * minuteMs;
  await eventually(
    () => store.history.isEmpty,
    isEmpty => isEmpty,
  );
  const seen = looks;
  await new Promise(resolve => setImmediate(resolve));
  assert.equal(looks, seen);
});
