import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withReadiness, type Course } from './conditions.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

test('what keeps something from being ready is there while it is so, and since when', () => {
  const say = (present: Parameters<typeof withReadiness>[0], course: Course | undefined, second: number) =>
    withReadiness(present, [{ type: 'Ready', status: course ? 'False' : 'True', reason: 'Why', message: 'why' }], {
      course,
      now: at(second),
      generation: 2,
    });
  const told = (list: ReturnType<typeof say>) =>
    list.map(
      ({ type, status, lastTransitionTime, observedGeneration }) =>
        `${type} ${status} ${lastTransitionTime.slice(17)} ${observedGeneration}`,
    );
  const first = say(undefined, 'Reconciling', 0);
  assert.deepEqual(told(first), ['Ready False 00Z 2', 'Reconciling True 00Z 2']);
  const still = say(first, 'Reconciling', 1);
  assert.deepEqual(still, first);
  const stuck = say(still, 'Stalled', 2);
  assert.deepEqual(told(stuck), ['Ready False 00Z 2', 'Stalled True 02Z 2']);
  assert.deepEqual(told(say(stuck, undefined, 3)), ['Ready True 03Z 2']);
  assert.deepEqual(withReadiness(stuck, [], { course: undefined, now: at(4) }), stuck, 'who knows nothing of Ready leaves it');
});
