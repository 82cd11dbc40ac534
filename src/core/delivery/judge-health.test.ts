import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../api/object.ts';
import answers from './recorded/health-answers.json' with { type: 'json' };
import { healthCases } from './health-cases.ts';
import { judgeHealth } from './judge-health.ts';

const recorded: Record<string, { health: string; message: string }> = answers;

test('every object is judged as kstatus judges it, in the same words', () => {
  assert.deepEqual(Object.keys(healthCases), Object.keys(recorded));
  for (const [name, obj] of Object.entries(healthCases)) {
    const { health, message } = judgeHealth(obj);
    const answer = recorded[name]!;
    // What kstatus fails on is unknown, and we have words of our own for it.
    if (answer.health === 'Unknown') assert.equal(health, 'Unknown', name);
    else assert.deepEqual({ health, message }, answer, name);
  }
});

test('what is not there is not found', () => {
  assert.equal(judgeHealth(undefined).health, 'NotFound');
});

test('whatever an object holds, the answer is one of those that there are', () => {
  const kinds = fc.constantFrom(...Object.values(healthCases).map(({ apiVersion, kind }) => ({ apiVersion, kind })));
  const condition = fc.record({
    type: fc.constantFrom('Ready', 'Available', 'Complete', 'Stalled'),
    status: fc.constantFrom('True', 'False'),
  });
  const status = fc.oneof(fc.anything(), fc.record({ conditions: fc.oneof(fc.anything(), fc.array(condition)), phase: fc.anything() }));
  const known = new Set(['Current', 'InProgress', 'Failed', 'Terminating', 'NotFound', 'Unknown']);
  fc.assert(
    fc.property(kinds, fc.anything(), status, (kind, spec, state) => {
      const obj = { ...kind, metadata: { name: 'x' }, spec, status: state } as KubeObject;
      assert.ok(known.has(judgeHealth(obj).health));
    }),
  );
});
