import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { planNodes, type NodePlan } from './sandbox-nodes.ts';

const plan = fc.record({
  count: fc.integer({ min: 0, max: 20 }),
  capacity: fc.dictionary(fc.constantFrom('cpu', 'memory', 'pods'), fc.constantFrom('1', '4', '8Gi'), { noNullPrototype: true }),
});

/** The sizes of the nodes after the changes, by their numbers. */
function carryOut(nodes: Map<number, NodePlan['capacity']>, before: NodePlan | undefined, wanted: NodePlan) {
  const { resize, create, remove } = planNodes(before, wanted);
  for (const n of [...resize, ...create]) nodes.set(n, wanted.capacity);
  for (const n of remove) nodes.delete(n);
  return nodes;
}

test('after any plans in a row there are the nodes of the last one, in its size', () => {
  fc.assert(
    fc.property(fc.array(plan, { minLength: 1, maxLength: 6 }), plans => {
      const nodes = new Map<number, NodePlan['capacity']>();
      let before: NodePlan | undefined;
      for (const wanted of plans) {
        carryOut(nodes, before, wanted);
        before = wanted;
      }
      const last = plans.at(-1)!;
      assert.deepEqual(
        [...nodes].sort(([a], [b]) => a - b),
        Array.from({ length: last.count }, (_, n) => [n, last.capacity]),
      );
    }),
  );
});

test('a plan that is carried out again changes nothing', () => {
  fc.assert(
    fc.property(plan, wanted => {
      assert.deepEqual(planNodes(wanted, wanted), { resize: [], create: [], remove: [] });
    }),
  );
});
