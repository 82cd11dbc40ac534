import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../../api/define-kind.ts';
import { ClusterRegistrationToken } from '../kinds/cluster.ts';
import { endOfTime, planToken } from './plan-token.ts';

const minuteMs = 60_000;
const start = new Date('2026-11-16T12:00:00Z');
const later = (minutes: number) => new Date(start.getTime() + minutes * minuteMs);

function rules() {
  let made = 0;
  return { defaultTtlMinutes: 43_200, defaultGraceMinutes: 180, makeToken: () => `token-${++made}` };
}

const tokenObject = (spec: ClusterRegistrationToken['spec'], status?: ClusterRegistrationToken['status']): ClusterRegistrationToken => ({
  ...newObject(ClusterRegistrationToken, { name: 'default-token', namespace: 'c-m-ab12cd34', uid: 'uid-1' }, spec),
  ...(status && { status }),
});

test('a token is made once and has no end', () => {
  const first = planToken(tokenObject({}), start, rules());
  assert.deepEqual(first, { status: { token: 'token-1' }, accepted: [{ token: 'token-1', expiresAt: endOfTime }], nextAt: undefined });
  const again = planToken(tokenObject({}, first.status), later(1_000_000), rules());
  assert.deepEqual(again, first);
});

test('a token with a time to live is replaced, and the old one can be used for the grace period', () => {
  const make = rules();
  const spec = { ttl: 100, gracePeriod: 20 };
  const first = planToken(tokenObject(spec), start, make);
  const end = new Date(first.status.expiresAt!);
  assert.ok(end >= later(100) && end <= later(110), `${end.toISOString()} is 100 minutes and at most a tenth later`);
  assert.deepEqual(planToken(tokenObject(spec, first.status), later(99), make).status, first.status);

  const second = planToken(tokenObject(spec, first.status), end, make);
  assert.deepEqual([second.status.token, second.status.previousToken], ['token-2', 'token-1']);
  assert.deepEqual(second.nextAt, new Date(end.getTime() + 20 * minuteMs));
  const third = planToken(tokenObject(spec, second.status), second.nextAt!, make);
  assert.deepEqual([third.status.token, third.status.previousToken], ['token-2', undefined]);
});

test('a grace period stays below the time to live, and both have a least', () => {
  const { accepted, status } = planToken(tokenObject({ ttl: 1, gracePeriod: 500 }), start, rules());
  const end = new Date(status.expiresAt!);
  assert.ok(end >= later(30));
  assert.equal(accepted[0]!.expiresAt.getTime() - Math.floor(end.getTime() / 1000) * 1000 < 25 * minuteMs, true);
});

test('there is always a token that can be used, and never more than two', () => {
  const minutes = fc.integer({ min: 0, max: 200 });
  fc.assert(
    fc.property(fc.option(minutes, { nil: undefined }), fc.option(minutes, { nil: undefined }), fc.array(minutes), (ttl, grace, steps) => {
      const make = rules();
      const spec = { ...(ttl !== undefined && { ttl }), ...(grace !== undefined && { gracePeriod: grace }) };
      let status: ClusterRegistrationToken['status'] = {};
      let now = start;
      for (const step of [0, ...steps]) {
        now = new Date(now.getTime() + step * minuteMs);
        const plan = planToken(tokenObject(spec, status), now, make);
        assert.ok(plan.accepted.length >= 1 && plan.accepted.length <= 2);
        assert.ok(plan.accepted.every(({ expiresAt }) => expiresAt > now));
        assert.equal(plan.accepted[0]!.token, plan.status.token);
        assert.ok(plan.nextAt === undefined || plan.nextAt > now);
        status = plan.status;
      }
    }),
  );
});

test('a time that nobody can read counts as none', () => {
  const plan = planToken(tokenObject({ ttl: 60 }, { token: 'kept', expiresAt: 'soon' }), start, rules());
  assert.equal(plan.status.token, 'kept');
  assert.ok(new Date(plan.status.expiresAt!) >= later(60));
});
