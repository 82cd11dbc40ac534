import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work, workReasons } from '../../api/work.ts';
import { judgeWait } from './judge-wait.ts';

function judged(reason: string, status: Condition['status'], more: { observed?: number; stalled?: boolean } = {}): string {
  const lastTransitionTime = '2026-05-01T11:30:00Z';
  const conditions: Condition[] = [{ type: 'Ready', status, reason, message: 'why', lastTransitionTime }];
  if (more.stalled) conditions.push({ type: 'Stalled', status: 'True', reason, message: 'why', lastTransitionTime });
  const work = newObject(Work, { name: 'web', generation: 2 }, { release: { name: 'web', namespace: 'shop' } });
  return judgeWait({ ...work, status: { observedGeneration: more.observed ?? 2, conditions } }).is;
}

test('waiting ends when the present spec is ready, or is planned and nothing more', () => {
  assert.equal(judged(workReasons.healthy, 'True'), 'done');
  assert.equal(judged(workReasons.planned, 'False'), 'done');
  assert.equal(judged(workReasons.healthy, 'True', { observed: 1 }), 'waiting');
});

test('waiting goes on while time can help', () => {
  for (const reason of [workReasons.delivering, workReasons.progressing, workReasons.applyFailed, workReasons.clusterUnreachable])
    assert.equal(judged(reason, 'False'), 'waiting', reason);
});

test('waiting ends in failure when only a person or another Work can help', () => {
  assert.equal(judged(workReasons.renderFailed, 'False', { stalled: true }), 'failed');
  assert.equal(judged(workReasons.outranked, 'False'), 'failed');
  assert.equal(judged(workReasons.suspended, 'False'), 'failed');
});

test('a Work that nobody has looked at is waited for', () => {
  const work = newObject(Work, { name: 'web', generation: 1 }, { release: { name: 'web', namespace: 'shop' } });
  assert.equal(judgeWait(work).is, 'waiting');
  assert.equal(judgeWait({ ...work, metadata: { ...work.metadata, deletionTimestamp: '2026-05-01T11:30:00Z' } }).is, 'failed');
});
