import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conditionsOf, phaseOf } from './conditions.ts';
import { judged } from './judge-object.ts';

test('a kind may call anything its conditions, and is shown all the same', () => {
  for (const status of [
    undefined,
    null,
    3,
    'Ready',
    [],
    { conditions: 'none' },
    { conditions: {} },
    { conditions: [null, 'x', { type: 1 }] },
    { phase: {} },
  ]) {
    const object = { metadata: {}, status };
    assert.deepEqual(conditionsOf(object), []);
    assert.equal(phaseOf(object), undefined);
    assert.equal(judged(object), undefined);
  }
  const ready = { type: 'Ready', status: 'True', reason: 7, message: 'good' };
  const object = { metadata: {}, status: { conditions: [ready, { type: 'Odd', status: {} }], phase: 'Bound' } };
  assert.deepEqual(conditionsOf(object), [
    { type: 'Ready', status: 'True', reason: undefined, message: 'good', lastTransitionTime: undefined },
  ]);
  assert.deepEqual(judged(object), { tone: 'good', word: 'Ready', why: 'good' });
});

test('a cluster that is not reached is not on its way, however often the hub tries', () => {
  const condition = (type: string, status: string) => ({ type, status, reason: 'AgentDisconnected', message: 'No agent' });
  const conditions = [condition('Connected', 'False'), condition('Ready', 'False'), condition('Reconciling', 'True')];
  assert.deepEqual(judged({ metadata: {}, status: { conditions } }), { tone: 'bad', word: 'Agent disconnected', why: 'No agent' });
  assert.equal(judged({ metadata: {}, status: { conditions: conditions.slice(1) } })?.tone, 'info');
});
