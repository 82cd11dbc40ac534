import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { ifObjectsLeft } from './if-objects-left.ts';

const ref = (name: string) => ({ group: '', version: 'v1', kind: 'ConfigMap', namespace: 'shop', name, health: 'Current' as const });

function workOf(name: string, objects: string[], spec: Partial<Work['spec']> = {}): Work {
  const metadata = { name, namespace: 'c-m-1', uid: `uid-${name}` };
  const work = newObject(Work, metadata, { release: { name, namespace: 'shop' }, manifests: [], ...spec });
  return { ...work, status: { objects: objects.map(ref) } };
}

test('objects that others have pass to the highest of them, the rest goes', () => {
  const work = workOf('web', ['a', 'b', 'c'], { priority: 9 });
  const works = [
    work,
    workOf('low', ['a'], { priority: 1 }),
    workOf('high', ['a'], { priority: 5 }),
    workOf('plans', ['b'], { sync: 'DryRun' }),
  ];
  assert.equal(ifObjectsLeft(work, works), 'If it left, ConfigMap shop/a would pass to work "high", the other 2 would be deleted.');
});

test('what nobody else has is deleted, or stays when asked to', () => {
  assert.equal(ifObjectsLeft(workOf('web', ['a']), []), 'If it left, its object would be deleted.');
  assert.match(ifObjectsLeft(workOf('web', ['a', 'b'], { onDelete: 'Keep' }), []), /its 2 objects would stay, since spec.onDelete is Keep/);
  assert.match(ifObjectsLeft(workOf('web', []), []), /nothing would change/);
});

test('many objects are counted', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];
  const text = ifObjectsLeft(workOf('web', all), [workOf('other', all)]);
  assert.equal(text.match(/would pass to work/g)?.length, 3);
  assert.match(text, /2 more would pass to others\.$/);
});
