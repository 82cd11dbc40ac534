import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Token } from '../people-kinds.ts';
import { tokenRows, tokenState } from './token-row.ts';

const token = (name: string, userId: string, more: object = {}) =>
  ({ metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' }, userId, ...more }) as unknown as Token;

test('whoever may list tokens sees all, and which one is the present session', () => {
  const own = [{ id: 'token-a', userId: 'u-a', current: true }];
  const rows = tokenRows(own, [token('token-a', 'u-a'), token('token-b', 'u-b', { ttl: 60_000 })], 'u-a');
  assert.deepEqual(
    rows.map(({ id, isOwn, isCurrent, expiresAt }) => [id, isOwn, isCurrent, expiresAt]),
    [
      ['token-a', true, true, undefined],
      ['token-b', false, false, '2026-01-01T00:01:00.000Z'],
    ],
  );
});

test('others see their own', () => {
  const labels = { 'authn.management.cattle.io/kind': 'session' };
  const [row] = tokenRows([{ id: 'token-a', userId: 'u-a', expiresAt: '', clusterId: '', labels }], undefined, 'u-a');
  assert.deepEqual([row?.kind, row?.expiresAt, row?.clusterId, row?.isOwn], ['Session', undefined, undefined, true]);
});

test('a token that has ended or is switched off is not called good', () => {
  const [row] = tokenRows([], [token('a', 'u-a', { expiresAt: '2026-01-02T00:00:00Z' })], 'u-a');
  assert.equal(tokenState(row!, Date.parse('2026-01-01T12:00:00Z')).word, 'Good');
  assert.equal(tokenState(row!, Date.parse('2026-01-02T00:00:00Z')).word, 'Expired');
  assert.equal(tokenState({ ...row!, isEnabled: false }, 0).word, 'Disabled');
});
