import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { afterCorrection, fightHeldUntil, isFight, nextCorrectionAt, noFight, type Fight } from './watch-drift-fight.ts';

const minute = 60_000;

test('the first correction is made at once', () => {
  assert.ok(nextCorrectionAt(noFight) <= 0);
  assert.equal(isFight(afterCorrection(noFight, 5)), false);
});

test('each further correction waits twice as long, up to five minutes', () => {
  const waits: number[] = [];
  let fight: Fight = noFight;
  let now = 0;
  for (let i = 0; i < 12; i++) {
    fight = afterCorrection(fight, now);
    waits.push(nextCorrectionAt(fight) - now);
    now = nextCorrectionAt(fight);
  }
  assert.deepEqual(waits.slice(0, 4), [1000, 2000, 4000, 8000]);
  assert.deepEqual(waits.slice(-2), [5 * minute, 5 * minute]);
});

test('an object that stayed right for long starts afresh', () => {
  const once = afterCorrection(noFight, 0);
  const twice = afterCorrection(once, 1000);
  assert.equal(isFight(twice), true);
  assert.equal(fightHeldUntil(twice), 3000);
  assert.equal(isFight(afterCorrection(twice, 1000 + minute + 1)), false);
});

test('whoever fights back at once is answered fewer than 30 times in an hour', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 200 }), { minLength: 1, maxLength: 20 }), delays => {
      let fight: Fight = noFight;
      let corrections = 0;
      for (let now = 0; now < 60 * minute; corrections++) {
        fight = afterCorrection(fight, now);
        now = Math.max(nextCorrectionAt(fight), now + delays[corrections % delays.length]!);
      }
      assert.ok(corrections < 30, `${corrections}`);
    }),
  );
});
