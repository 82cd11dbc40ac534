import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, parseLabels, printLabels } from '../../src/ui/screens/clusters/labels.ts';

test('labels are written and read as lines', () => {
  const labels = { env: 'prod', 'example.com/empty': '', odd: 'a=b' };
  assert.deepEqual(parseLabels(printLabels(labels)), labels);
  assert.deepEqual(parseLabels('  env = prod \n\n'), { env: 'prod' });
});

test('only what differs is sent, and what is gone is taken away', () => {
  assert.deepEqual(changesOf({ a: '1', b: '2', c: '3' }, { a: '1', b: '5', d: '4' }), { b: '5', c: null, d: '4' });
});
