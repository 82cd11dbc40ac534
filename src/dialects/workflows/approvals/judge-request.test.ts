import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalRequest } from '../kinds/approval-request.ts';
import { judgeRequest, supersedes } from './judge-request.ts';
import { requestFor, requestName } from './request-approval.ts';

const now = new Date('2026-01-01T12:00:00Z');
const run = { kind: 'WorkflowRun' as const, namespace: 'shop', name: 'r', uid: 'u1' };
const request = (spec: Partial<ApprovalRequest['spec']> = {}, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  ...requestFor(run, 'wave/a/before/g', { workflow: 'w', ...spec }),
  ...more,
});

test('what was decided stays decided, also after its time', () => {
  const expiresAt = '2026-01-01T11:00:00Z';
  const decisions = [{ user: 'bob', decision: 'Approve' as const, at: '2026-01-01T10:00:00Z' }];
  assert.equal(judgeRequest(request({ expiresAt, decisions }), now).phase, 'Approved');
  assert.equal(judgeRequest(request({ expiresAt }), now).phase, 'Expired');
  const late = [{ user: 'bob', decision: 'Approve' as const, at: '2026-01-01T11:30:00Z' }];
  assert.equal(judgeRequest(request({ expiresAt, decisions: late }), now).phase, 'Expired');
  assert.equal(judgeRequest(request({ decisions }, { status: { phase: 'Expired' } }), now).phase, 'Expired');
});

test('one rejection is enough, whoever approved before', () => {
  const decisions = [
    { user: 'bob', decision: 'Approve' as const },
    { user: 'eve', decision: 'Reject' as const, comment: 'no' },
  ];
  const verdict = judgeRequest(request({ minApprovals: 2, decisions }), now);
  assert.deepEqual([verdict.phase, verdict.message], ['Rejected', 'Reject by eve: no']);
});

test('only what can be chosen counts', () => {
  const decisions = [
    { user: 'bob', decision: 'Approve' as const },
    { user: 'bob', decision: 'Retry' as const },
  ];
  const verdict = judgeRequest(request({ choices: ['Retry', 'Ignore'], decisions }), now);
  assert.deepEqual([verdict.phase, verdict.decision?.decision], ['Approved', 'Retry']);
});

test('a newer request takes the place of older ones of the same workflow, service and infrastructure where it says so', () => {
  const older = request({ service: 's', infrastructure: 'i' });
  older.metadata.creationTimestamp = '2026-01-01T10:00:00Z';
  const newer = (spec: Partial<ApprovalRequest['spec']>) => {
    const made = requestFor({ ...run, name: 'r2', uid: 'u2' }, 'wave/a/before/g', {
      workflow: 'w',
      service: 's',
      infrastructure: 'i',
      ...spec,
    });
    made.metadata.creationTimestamp = '2026-01-01T11:00:00Z';
    return made;
  };
  assert.equal(supersedes(newer({ autoRejectPrevious: true }), older), true);
  assert.equal(supersedes(newer({}), older), false);
  assert.equal(supersedes(newer({ autoRejectPrevious: true, service: 'other' }), older), false);
  assert.equal(supersedes(older, newer({ autoRejectPrevious: true })), false);
  assert.equal(judgeRequest(older, now, { isSuperseded: true }).phase, 'Superseded');
});

test('the same place of a run has one request, every attempt its own', () => {
  assert.equal(requestName(run, 'step/p/g/s/1'), requestName(run, 'step/p/g/s/1'));
  assert.notEqual(requestName(run, 'step/p/g/s/1'), requestName(run, 'step/p/g/s/2'));
  assert.notEqual(requestName(run, 'a'), requestName({ ...run, uid: 'u2' }, 'a'));
});
