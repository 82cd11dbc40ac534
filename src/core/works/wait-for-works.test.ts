import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { waitsFor } from './wait-for-works.ts';

function world(...works: { name: string; after?: string[]; ready?: number }[]) {
  const all = new Map(
    works.map(({ name, after, ready }) => {
      const work = newObject(
        Work,
        { name, generation: 2 },
        { release: { name, namespace: 'shop' }, manifests: [], ...(after && { after }) },
      );
      const condition = { type: 'Ready', status: 'True' as const, reason: 'Healthy', message: '', lastTransitionTime: '' };
      const status = { conditions: ready === undefined ? [] : [{ ...condition, observedGeneration: ready }] };
      return [name, { ...work, status }] as const;
    }),
  );
  return (name: string) => waitsFor(all.get(name)!, other => all.get(other));
}

test('waits for nobody, or until all are ready', () => {
  const waits = world({ name: 'a' }, { name: 'b', after: ['a'] }, { name: 'c', ready: 2 }, { name: 'd', after: ['c'] });
  assert.equal(waits('a'), undefined);
  assert.equal(waits('b'), 'Waits until "a" is ready');
  assert.equal(waits('d'), undefined);
});

test('ready for an earlier spec is not ready', () => {
  assert.equal(world({ name: 'a', ready: 1 }, { name: 'b', after: ['a'] })('b'), 'Waits until "a" is ready');
});

test('names those that are not ready and those that are missing, sorted, and counts many', () => {
  const waits = world({ name: 'a' }, { name: 'z', after: ['no', 'a'] }, { name: 'many', after: ['5', '4', '3', '2', '1'] });
  assert.equal(waits('z'), 'Waits until "a" is ready; there is no Work "no"');
  assert.equal(waits('many'), 'There is no Work "1", "2", "3" and 2 more');
});

test('a circle is called one', () => {
  const waits = world({ name: 'a', after: ['b'] }, { name: 'b', after: ['c'] }, { name: 'c', after: ['a'] });
  assert.equal(waits('a'), 'Works wait for each other in a circle: "a" after "b" after "c" after "a"');
});
