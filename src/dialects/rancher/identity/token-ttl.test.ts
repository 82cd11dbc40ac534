import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { tokenTtlMs } from './token-ttl.ts';

const minuteMs = 60_000;
const settings = (values: Record<string, number>) => ({ number: (name: string) => values[name] ?? 0 });
const usual = settings({
  'auth-user-session-ttl-minutes': 960,
  'auth-token-default-ttl-minutes': 100,
  'auth-token-max-ttl-minutes': 200,
  'kubeconfig-default-token-ttl-minutes': 300,
  'kubeconfig-max-token-ttl-minutes': 400,
});

test('a session lasts as long as the setting says, whatever is asked for', () => {
  assert.equal(tokenTtlMs('session', undefined, usual), 960 * minuteMs);
  assert.equal(tokenTtlMs('session', 1, usual), 960 * minuteMs);
});

test('an API token lasts as long as asked, at most as long as the setting says', () => {
  assert.equal(tokenTtlMs('api', undefined, usual), 100 * minuteMs);
  assert.equal(tokenTtlMs('api', 5, usual), 5);
  assert.equal(tokenTtlMs('api', 201 * minuteMs, usual), 200 * minuteMs);
  assert.equal(tokenTtlMs('api', 0, usual), 200 * minuteMs);
  assert.equal(tokenTtlMs('api', 0, settings({})), 0);
});

test('what stands in a kubeconfig always ends, and nothing outlasts its limit', () => {
  const minutes = fc.integer({ min: 0, max: 200_000 });
  fc.assert(
    fc.property(minutes, minutes, fc.option(fc.integer({ min: -5, max: 1e13 }), { nil: undefined }), (byDefault, max, wanted) => {
      const chosen = settings({ 'kubeconfig-default-token-ttl-minutes': byDefault, 'kubeconfig-max-token-ttl-minutes': max });
      const ttl = tokenTtlMs('kubeconfig', wanted, chosen);
      assert.ok(ttl > 0);
      if (max > 0) assert.ok(ttl <= max * minuteMs);
    }),
  );
});
