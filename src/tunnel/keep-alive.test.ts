import assert from 'node:assert/strict';
import type { Http2Session } from 'node:http2';
import { test } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { keepAlive } from './keep-alive.ts';

/** A session that counts its pings and answers them while it is told to. */
function kept() {
  const seen = { pings: 0, isAnswering: true, isDead: false };
  const ping = (done: (error: Error | null) => void) => {
    seen.pings++;
    if (seen.isAnswering) done(null);
  };
  const session = { destroyed: false, ping } as unknown as Http2Session;
  const alive = keepAlive(session, { pingEveryMs: 50, pingDeadlineMs: 300, onDead: () => (seen.isDead = true) });
  return { seen, alive };
}

test('whoever is asked nothing is pinged, and is gone when it does not answer', async () => {
  const { seen, alive } = kept();
  using _alive = alive;
  await eventually(() => seen.pings >= 10, Boolean);
  assert.equal(seen.isDead, false);
  seen.isAnswering = false;
  await eventually(() => seen.isDead, Boolean);
});

test('whoever answers other questions is not pinged, and is gone when it answers no more', async () => {
  const { seen, alive } = kept();
  using _alive = alive;
  seen.isAnswering = false;
  let questions = 0;
  const asking = setInterval(() => {
    questions++;
    alive.answered(performance.now());
  }, 5);
  await eventually(() => questions >= 100, Boolean);
  clearInterval(asking);
  assert.deepEqual([seen.pings, seen.isDead], [0, false]);
  await eventually(() => seen.isDead, Boolean);
  assert.notEqual(seen.pings, 0);
});

test('the answer to a question of long ago says nothing of now', async () => {
  const { seen, alive } = kept();
  using _alive = alive;
  seen.isAnswering = false;
  const asking = setInterval(() => alive.answered(performance.now() - 51), 5);
  await eventually(() => seen.isDead, Boolean);
  clearInterval(asking);
});
