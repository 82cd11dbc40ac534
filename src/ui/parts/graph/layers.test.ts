import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeNodes } from './layers.ts';

const place = (nodes: Record<string, string[]>) =>
  Object.fromEntries(
    placeNodes(Object.entries(nodes).map(([id, after]) => ({ id, after }))).map(({ node, column, row }) => [node.id, `${column}.${row}`]),
  );

test('each stands right of all that it comes after', () => {
  assert.deepEqual(place({ web: ['db', 'certs'], db: ['certs'], certs: [], logs: [] }), {
    certs: '0.0',
    logs: '0.1',
    db: '1.0',
    web: '2.0',
  });
});

test('a circle, itself and strangers are no trap', () => {
  const placed = place({ a: ['b'], b: ['a'], c: ['c', 'gone'] });
  assert.deepEqual(Object.keys(placed).toSorted(), ['a', 'b', 'c']);
  assert.equal(new Set(Object.values(placed)).size, 3);
});

test('followers stand in the order of those they follow', () => {
  assert.deepEqual(place({ a: [], b: [], ofB: ['b'], ofA: ['a'] }), { a: '0.0', b: '0.1', ofA: '1.0', ofB: '1.1' });
});
