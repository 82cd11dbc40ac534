import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { selectorMatches, type LabelSelector } from './label-selector.ts';
import { unmetDemands } from './unmet-demands.ts';

test('each demand that fails is told', () => {
  const selector: LabelSelector = {
    matchLabels: { env: 'prod' },
    matchExpressions: [
      { key: 'region', operator: 'In', values: ['eu', 'us'] },
      { key: 'tier', operator: 'NotIn', values: ['edge'] },
      { key: 'gpu', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
    ],
  };
  assert.deepEqual(unmetDemands(selector, { env: 'test', tier: 'edge', old: '' }), [
    'env is "test", not "prod"',
    'it has no label region, and "eu" or "us" is wanted',
    'tier is "edge"',
    'it has no label gpu',
    'it has the label old',
  ]);
});

test('there is a reason exactly when the selector does not match', () => {
  const word = fc.constantFrom('a', 'b', 'c');
  const operator = fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist');
  const expression = fc.record({ key: word, operator, values: fc.array(word, { minLength: 1, maxLength: 2 }) });
  const selector = fc.record({ matchLabels: fc.dictionary(word, word), matchExpressions: fc.array(expression, { maxLength: 3 }) });
  fc.assert(
    fc.property(selector, fc.dictionary(word, word), (chosen, labels) => {
      assert.equal(unmetDemands(chosen, labels).length === 0, selectorMatches(chosen, labels));
    }),
  );
});
