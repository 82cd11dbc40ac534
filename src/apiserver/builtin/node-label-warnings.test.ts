import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeLabelWarning } from './node-label-warnings.ts';

test('old labels of nodes are warned about, and no others', () => {
  assert.equal(nodeLabelWarning('beta.kubernetes.io/os'), 'deprecated since v1.14; use "kubernetes.io/os" instead');
  for (const label of ['kubernetes.io/os', 'constructor', 'toString']) assert.equal(nodeLabelWarning(label), undefined, label);
});
