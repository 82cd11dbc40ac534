import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOwner } from './owner-argument.ts';

const cases: readonly [words: string[], expected: string | undefined][] = [
  [['mcs/web'], 'MultiClusterService web'],
  [['mcs', 'web'], 'MultiClusterService web'],
  [['MultiClusterServices.k0rdent.mirantis.com/web'], 'MultiClusterService web'],
  [['nmcs/web'], 'NamespacedMultiClusterService web'],
  [['cld/dev'], 'ClusterDeployment dev'],
  [['clusterdeployment', 'dev'], 'ClusterDeployment dev'],
  [['serviceset/dev-1'], 'ServiceSet dev-1'],
  [['work/web'], undefined],
  [['web'], undefined],
];
for (const [words, expected] of cases)
  test(`"${words.join(' ')}" means ${expected ?? 'no owner of services'}`, () => {
    const owner = parseOwner(words);
    assert.equal(owner && `${owner.kind.kind} ${owner.name}`, expected);
  });

test('an owner without a name, and two at once, are refused', () => {
  assert.throws(() => parseOwner(['mcs']), /which MultiClusterService is meant is not said/);
  assert.throws(() => parseOwner(['mcs/a', 'b']), /one MultiClusterService at a time/);
});
