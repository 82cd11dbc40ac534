import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ReleaseStatus } from './helm-release.ts';
import { lastGood, planDelivery, recordsToTrim, revisionsOnMember } from './plan-delivery.ts';
import type { Progress, ReleaseRecord } from './release-record.ts';

function record(revision: number, status: ReleaseStatus, progress?: Partial<Progress>): ReleaseRecord {
  return {
    release: {
      name: 'web',
      namespace: 'shop',
      revision,
      status,
      description: '',
      notes: '',
      chart: { metadata: {}, parts: ['null'] },
      config: {},
      manifest: '',
      hooks: [],
      applyMethod: '',
      labels: {},
      rest: { release: {}, info: {} },
    },
    progress: progress && { inputs: 'a', attempt: 1, ended: [], ...progress },
  };
}

const planned = (records: readonly ReleaseRecord[], inputs = 'a'): string => {
  const plan = planDelivery(records, inputs);
  if (plan.type === 'begin')
    return `begin ${plan.revision} ${plan.isUpgrade ? 'upgrade' : 'install'}${plan.abandoned ? ' abandoning' : ''}`;
  if (plan.type === 'undo') return `undo ${plan.failed.release.revision} ${plan.undoing ? 'going on' : 'anew'}`;
  return `${plan.type} ${plan.record.release.revision}`;
};

const ours = {};
const cases: readonly [what: string, records: readonly ReleaseRecord[], plan: string][] = [
  ['nothing is there', [], 'begin 1 install'],
  ['it is there', [record(3, 'deployed', ours)], 'unchanged 3'],
  ['it is there, by other inputs', [record(3, 'deployed', { inputs: 'b' })], 'begin 4 upgrade'],
  ['it is there, by another program', [record(3, 'deployed')], 'begin 4 upgrade'],
  ['it was begun', [record(1, 'deployed', { inputs: 'b' }), record(2, 'pending-upgrade', ours)], 'continue 2'],
  ['something else was begun', [record(1, 'deployed', ours), record(2, 'pending-upgrade', { inputs: 'b' })], 'begin 3 upgrade abandoning'],
  ['another program began something', [record(1, 'pending-install')], 'begin 2 install abandoning'],
  ['the first try failed', [record(1, 'failed', ours)], 'begin 2 install'],
  ['a later try failed', [record(1, 'superseded', ours), record(2, 'deployed', ours), record(3, 'failed', ours)], 'begin 4 upgrade'],
  ['it was uninstalled', [record(1, 'superseded', ours), record(2, 'uninstalled', ours)], 'begin 3 install'],
  ['it was being uninstalled', [record(2, 'uninstalling', ours)], 'begin 3 install abandoning'],
  ['it failed and must go', [record(1, 'failed', { mustUndo: true })], 'undo 1 anew'],
  ['it failed and is going', [record(1, 'uninstalling', { mustUndo: true })], 'undo 1 anew'],
  ['it failed and other inputs came', [record(1, 'failed', { inputs: 'b', mustUndo: true })], 'begin 2 install'],
  [
    'it failed and is being rolled back',
    [
      record(1, 'deployed', { inputs: 'b' }),
      record(2, 'failed', { mustUndo: true }),
      record(3, 'pending-rollback', { inputs: 'b', undoes: 2 }),
    ],
    'undo 2 going on',
  ],
  [
    'it failed, was rolled back, and nobody was told',
    [record(2, 'failed', { mustUndo: true }), record(3, 'deployed', { inputs: 'b', undoes: 2 })],
    'undo 2 going on',
  ],
  ['it failed and was rolled back', [record(2, 'failed', ours), record(3, 'deployed', { inputs: 'b', undoes: 2 })], 'begin 4 upgrade'],
];

for (const [what, records, plan] of cases) test(`when ${what}: ${plan}`, () => assert.equal(planned(records), plan));

const statuses = ['deployed', 'superseded', 'failed', 'uninstalled', 'uninstalling', 'pending-install', 'pending-upgrade'] as const;
const history = fc
  .array(fc.tuple(fc.constantFrom(...statuses), fc.boolean()), { maxLength: 12 })
  .map(all => all.map(([status, isOurs], i) => record(i + 1, status, isOurs ? ours : undefined)));

test('a new revision has a number that no other has', () => {
  fc.assert(
    fc.property(history, records => {
      const plan = planDelivery(records, 'a');
      if (plan.type === 'begin') assert.equal(plan.revision, records.length + 1);
    }),
  );
});

test('trimming leaves as many as asked for, the newest and the deployed one', () => {
  fc.assert(
    fc.property(history, fc.integer({ min: 1, max: 15 }), (records, keep) => {
      const trimmed = recordsToTrim(records, keep);
      const left = records.filter(one => !trimmed.includes(one));
      assert.ok(left.length <= Math.max(keep, 2) || records.length <= keep);
      assert.ok(left.length >= Math.min(keep, records.length));
      const deployed = records.findLast(({ release }) => release.status === 'deployed');
      for (const one of [records.at(-1), deployed]) assert.ok(one === undefined || left.includes(one));
      const oldest = left.find(one => one !== deployed && one !== records.at(-1));
      for (const one of trimmed) assert.ok(!oldest || one.release.revision < oldest.release.revision);
    }),
  );
});

test('what was uninstalled does not count as there', () => {
  fc.assert(
    fc.property(history, records => {
      const gone = records.findLastIndex(({ release }) => release.status === 'uninstalled');
      for (const one of revisionsOnMember(records)) assert.ok(records.indexOf(one) > gone);
      const good = lastGood(records);
      assert.ok(!good || records.indexOf(good) > gone);
    }),
  );
});
