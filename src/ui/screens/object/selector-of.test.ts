import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selectorOf } from './selector-of.ts';

test('a workload names its pods by labels and by expressions', () => {
  const of = (selector: object) => selectorOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: {}, spec: { selector } });
  assert.equal(of({ matchLabels: { app: 'web', tier: 'one' } }), 'app=web,tier=one');
  const matchExpressions = [
    { key: 'a', operator: 'In', values: ['x', 'y'] },
    { key: 'b', operator: 'NotIn', values: ['z'] },
    { key: 'c', operator: 'Exists' },
    { key: 'd', operator: 'DoesNotExist' },
  ];
  assert.equal(of({ matchExpressions }), 'a in (x,y),b notin (z),c,!d');
  assert.equal(of({}), undefined);
});
