import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundTo, judgeToken, newToken, secretOf, tokenPattern, tokenSecret } from './registration-token.ts';

const now = new Date('2026-11-16T12:00:00Z');
const in1Hour = new Date(now.getTime() + 3_600_000);
const secret = tokenSecret('b'.repeat(54), { namespace: 'c-m-ab12cd34', expiresAt: in1Hour });

test('tokens have the form that Rancher gives them, and none is like another', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  assert.ok(tokens.every(token => tokenPattern.test(token)));
  assert.equal(new Set(tokens).size, 100);
});

test('a Secret is found by its token and by no other', () => {
  assert.equal(secretOf('b'.repeat(54), [secret]), secret);
  assert.equal(secretOf('c'.repeat(54), [secret]), undefined);
  assert.equal(secretOf('b'.repeat(54), [{ ...secret, type: 'Opaque' }]), undefined);
  assert.equal(secretOf('b'.repeat(54), [{ ...secret, data: {} }]), undefined);
});

test('a token is good until it expires, and then for nobody', () => {
  assert.equal(judgeToken(secret, { now }), 'unbound');
  assert.equal(judgeToken(secret, { now: in1Hour }), 'expired');
  assert.equal(judgeToken(boundTo(secret, 'u'), { now: in1Hour, clusterUid: 'u' }), 'expired');
  assert.equal(judgeToken({ ...secret, data: { ...secret.data, expiresAt: btoa('soon') } }, { now }), 'expired');
});

test('a token that was used is good for the same member only', () => {
  assert.equal(judgeToken(boundTo(secret, 'u'), { now, clusterUid: 'u' }), 'valid');
  assert.equal(judgeToken(boundTo(secret, 'u'), { now, clusterUid: 'v' }), 'foreign');
  assert.equal(judgeToken(boundTo(secret, 'u'), { now }), 'valid');
});
