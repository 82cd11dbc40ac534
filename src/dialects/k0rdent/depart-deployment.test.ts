import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { removableSets } from './depart-deployment.ts';
import { ServiceSet } from './kinds/service-set.ts';

const set = (name: string, multiClusterService?: string) =>
  newObject(ServiceSet, { name, namespace: 'n' }, { cluster: 'c', provider: {}, ...(multiClusterService && { multiClusterService }) });
const names = (sets: readonly ServiceSet[]) => sets.map(one => one.metadata.name);
const dependenciesOf = (name: string) => ({ b: ['a'], c: ['b'], x: ['y'], y: ['x'] })[name] ?? [];

test('what others depend on goes after them', () => {
  const all = [set('own'), set('of-a', 'a'), set('of-b', 'b'), set('of-c', 'c')];
  assert.deepEqual(names(removableSets(all, { dependenciesOf })), ['own', 'of-c']);
  assert.deepEqual(names(removableSets(all.slice(0, 3), { dependenciesOf })), ['own', 'of-b']);
  assert.deepEqual(names(removableSets(all.slice(0, 2), { dependenciesOf })), ['own', 'of-a']);
});

test('a circle does not hold anybody', () => {
  assert.deepEqual(names(removableSets([set('of-x', 'x'), set('of-y', 'y')], { dependenciesOf })), ['of-x', 'of-y']);
});
