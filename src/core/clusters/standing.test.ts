import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { afterProbe, delayBeforeProbe, impatienceMs, probeTimeoutMs, type Answer, type Probe, type Standing } from './standing.ts';

const ready: Answer = { kind: 'ready' };
const silent: Answer = { kind: 'silent', why: 'connection refused' };

const probeAt = (second: number, answer: Answer, tookMs = 10): Probe => ({
  answer,
  startedAt: second * 1000,
  endedAt: second * 1000 + tookMs,
});

const after = (...probes: Probe[]): Standing => probes.reduce<Standing | undefined>(afterProbe, undefined)!;

test('the first answer stands, good or bad', () => {
  assert.equal(after(probeAt(0, ready)).answer.kind, 'ready');
  assert.equal(after(probeAt(0, silent)).answer.kind, 'silent');
});

test('a member whose server restarts within ten seconds is not lost', () => {
  const standing = after(probeAt(0, ready), probeAt(10, silent), probeAt(12, silent), probeAt(14, { kind: 'unready', failing: ['etcd'] }));
  assert.equal(standing.answer.kind, 'ready');
  assert.equal(afterProbe(standing, probeAt(16, ready)).doubt, undefined);
});

test('one long silence is not enough, a second one is', () => {
  const doubtful = after(probeAt(0, ready), probeAt(10, silent, 10_000));
  assert.equal(doubtful.answer.kind, 'ready');
  assert.equal(afterProbe(doubtful, probeAt(22, silent)).answer.kind, 'silent');
});

test('a missing agent or credential is believed at once', () => {
  assert.equal(after(probeAt(0, ready), probeAt(1, { kind: 'no-agent' })).answer.kind, 'no-agent');
  assert.equal(after(probeAt(0, ready), probeAt(1, { kind: 'no-credential', why: 'x' })).answer.kind, 'no-credential');
});

test('the first good answer brings a lost member back', () => {
  assert.equal(after(probeAt(0, silent), probeAt(1, silent), probeAt(2, ready)).answer.kind, 'ready');
});

test('a probe that was overtaken does not count', () => {
  const returned = after(probeAt(0, silent), probeAt(5, ready));
  assert.equal(afterProbe(returned, { answer: silent, startedAt: 3000, endedAt: 13_000 }), returned);
});

test('the words for a silence stay the first ones', () => {
  const standing = after(probeAt(0, silent), probeAt(1, { kind: 'silent', why: 'no answer within 10 s' }));
  assert.deepEqual(standing.answer, silent);
});

test('last seen moves with every answer and stays with every silence', () => {
  assert.equal(after(probeAt(1, { kind: 'refused' }), probeAt(5, silent)).seenAt, 1010);
});

test('the clock is compared with the middle of the probe', () => {
  const standing = after({ answer: ready, startedAt: 10_000, endedAt: 12_000, memberTime: 71_000 });
  assert.equal(standing.clockAheadMs, 60_500);
});

/** Plays the probes of a member that is up or down over time, as the observer does, and tells what was believed when. */
function play(isUpAt: (ms: number) => boolean, { hangs, random, forMs }: { hangs: boolean; random: () => number; forMs: number }) {
  const believed: { at: number; isReady: boolean }[] = [];
  let standing: Standing | undefined;
  const pending: Probe[] = [];
  let nextAt: number | undefined = 0;
  for (let now = 0; now < forMs; now += 50) {
    for (const probe of pending.filter(one => one.endedAt <= now)) {
      pending.splice(pending.indexOf(probe), 1);
      standing = afterProbe(standing, probe);
      believed.push({ at: now, isReady: standing.answer.kind === 'ready' });
      const due = now + delayBeforeProbe(standing, random());
      nextAt = nextAt === undefined ? due : Math.min(nextAt, due);
    }
    if (nextAt === undefined || nextAt > now) continue;
    const answer = isUpAt(now) ? ready : silent;
    pending.push({ answer, startedAt: now, endedAt: now + (answer === silent && hangs ? probeTimeoutMs : 50) });
    const impatience = impatienceMs(standing);
    nextAt = impatience === undefined ? undefined : now + impatience;
  }
  return believed;
}

test('a loss shows within 40 s and a return within 5 s, whether the member refuses or hangs', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 45_000, max: 120_000 }),
      fc.boolean(),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (lostAt, downMs, hangs, randoms) => {
        const returnedAt = lostAt + downMs;
        const isUpAt = (ms: number) => ms < lostAt || ms >= returnedAt;
        const believed = play(isUpAt, { hangs, random: () => randoms.next().value as number, forMs: returnedAt + 20_000 });
        const lost = believed.find(({ at, isReady }) => at > lostAt && !isReady);
        const returned = believed.find(({ at, isReady }) => at > returnedAt && isReady);
        assert.ok(lost && lost.at - lostAt <= 40_000, `lost after ${lost && lost.at - lostAt}`);
        assert.ok(returned && returned.at - returnedAt <= 5_000, `returned after ${returned && returned.at - returnedAt}`);
        assert.ok(!believed.some(({ at, isReady }) => at > returned.at && !isReady));
      },
    ),
    { numRuns: 200 },
  );
});
