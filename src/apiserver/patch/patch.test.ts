import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StatusError } from '../../api/status.ts';
import type { Json } from '../../util/json.ts';
import { keyed, listOf, mapOf, number, setOf, struct, text, workload } from '../apply/merge-type-fixture.ts';
import { applyJsonPatch, jsonPatchProblems } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicMergePatch } from './strategic-merge.ts';

function statusOf(run: () => unknown): { code: number; reason: string; message: string; details: unknown } {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof StatusError, String(error));
    return { code: error.code, reason: error.reason, message: error.message, details: error.details };
  }
  return assert.fail('nothing was thrown');
}

const rejected = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};

for (const [name, doc, patch, expected] of [
  ['add sets a key', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
  ['add replaces a key', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
  ['add inserts into a list', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
  ['a dash appends', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
  ['negative indices count from the end', { a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }], { a: [1] }],
  ['replace of a missing key sets it', { a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 }],
  ['a missing value is null', { a: 1 }, [{ op: 'add', path: '/b' }], { a: 1, b: null }],
  [
    'tilde escapes',
    { 'a/b': 1, 'c~d': 1 },
    [
      { op: 'remove', path: '/a~1b' },
      { op: 'remove', path: '/c~0d' },
    ],
    {},
  ],
  ['~01 is ~1', { '~1': 1 }, [{ op: 'remove', path: '/~01' }], {}],
  ['move', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
  [
    'copy',
    { a: { b: 1 } },
    [
      { op: 'copy', from: '/a', path: '/c' },
      { op: 'add', path: '/c/b', value: 2 },
    ],
    { a: { b: 1 }, c: { b: 2 } },
  ],
  ['test of a missing key against null passes', { a: 1 }, [{ op: 'test', path: '/b', value: null }], { a: 1 }],
  ['test compares deeply', { a: { b: [1], c: 2 } }, [{ op: 'test', path: '/a', value: { c: 2, b: [1] } }], { a: { b: [1], c: 2 } }],
  ['an empty path replaces everything', { a: 1 }, [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
  ['null is no patch at all', { a: 1 }, null, { a: 1 }],
] as [string, Json, Json, Json][]) {
  test(`JSON patch: ${name}`, () => assert.deepEqual(applyJsonPatch(doc, patch), expected));
}

for (const [name, patch] of [
  ['a missing parent', [{ op: 'add', path: '/x/y', value: 1 }]],
  ['removing a missing key', [{ op: 'remove', path: '/x' }]],
  ['a failed test', [{ op: 'test', path: '/a', value: 2 }]],
  ['an unknown operation', [{ op: 'frob', path: '/a' }]],
  ['a missing path', [{ op: 'add', value: 1 }]],
  ['an index beyond the end', [{ op: 'add', path: '/l/5', value: 1 }]],
  ['a name where an index is due', [{ op: 'replace', path: '/l/x', value: 1 }]],
  ['a path through the prototype', [{ op: 'add', path: '/__proto__/polluted', value: 1 }]],
  ['a path through a scalar', [{ op: 'add', path: '/a/b', value: 1 }]],
] as [string, Json][]) {
  test(`JSON patch: ${name} is rejected without a reason`, () =>
    assert.deepEqual(
      statusOf(() => applyJsonPatch({ a: 1, l: [1] }, patch)),
      rejected,
    ));
}

test('JSON patch: bodies that are no list of operations are bad requests', () => {
  assert.equal(
    statusOf(() => applyJsonPatch({}, { op: 'add' })).message,
    'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
  );
  assert.equal(statusOf(() => applyJsonPatch({}, [{ op: 'add', path: 3 }])).code, 400);
});

test('JSON patch: more than 10000 operations are too many', () => {
  const patch = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 }));
  const { code, message } = statusOf(() => applyJsonPatch({ a: 1 }, patch));
  assert.equal(code, 413);
  assert.equal(message, 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001');
});

test('JSON patch: copies may not grow the object beyond 3 MiB', () => {
  const doc = { a: 'x'.repeat(1024 * 1024), l: [] };
  const copy = { op: 'copy', from: '/a', path: '/l/-' };
  assert.equal((applyJsonPatch(doc, [copy, copy]) as { l: string[] }).l.length, 2);
  assert.equal(statusOf(() => applyJsonPatch(doc, [copy, copy, copy])).code, 422);
});

test('JSON patch: keys named __proto__ are ordinary keys', () => {
  const result = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { a: 1 } }]);
  assert.equal(JSON.stringify(result), '{"__proto__":{"a":1}}');
  assert.equal(Object.getPrototypeOf(result), Object.prototype);
});

test('JSON patch: unknown fields of operations are named', () => {
  assert.deepEqual(
    jsonPatchProblems([
      { op: 'test', path: '/a' },
      { op: 'test', path: '/a', foo: 1 },
    ]),
    ['json patch unknown field "[1].foo"'],
  );
});

for (const [doc, patch, expected] of [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  [{ a: [1] }, { a: [{ b: null, c: 1 }, null] }, { a: [{ c: 1 }, null] }],
] as [Json, Json, Json][]) {
  test(`merge patch: ${JSON.stringify(doc)} with ${JSON.stringify(patch)}`, () => assert.deepEqual(applyMergePatch(doc, patch), expected));
}

test('merge patch: only objects are patches', () => {
  assert.equal(statusOf(() => applyMergePatch({}, [])).code, 400);
  assert.equal(statusOf(() => applyMergePatch({}, null)).message, 'Invalid JSON Patch');
});

test('merge patch: applying twice is applying once', () => {
  const leaf = fc.constantFrom<Json[]>(null, 1, 'x', [1], []);
  const key = fc.constantFrom('a', 'b', 'c');
  const object = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf))) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(object, object, (doc, patch) => {
      const once = applyMergePatch(doc, patch);
      assert.deepEqual(applyMergePatch(once, patch), once);
    }),
  );
});

const item = struct({ name: text, value: number, other: text, nested: mapOf(text) });
const type = struct({
  simple: text,
  scalars: setOf(text, { patchStrategy: ['merge'] }),
  replaced: listOf(text),
  items: keyed(item, ['name'], { patchStrategy: ['merge'], patchMergeKey: 'name' }),
  plainItems: listOf(item),
  retaining: struct({ name: text, value: text, kind: text }, { patchStrategy: ['retainKeys'] }),
  whole: struct({ a: text, b: text }, { patchStrategy: ['replace'] }),
  labels: mapOf(text),
});

for (const [name, doc, patch, expected] of [
  ['maps merge and null deletes', { labels: { a: '1', b: '2' } }, { labels: { a: null, c: '3' } }, { labels: { b: '2', c: '3' } }],
  ['nulls without a match vanish', {}, { labels: { a: null }, simple: null }, { labels: {} }],
  [
    'lists without a strategy are replaced',
    { replaced: ['a'], plainItems: [{ name: 'a' }] },
    { replaced: ['b'], plainItems: [] },
    { replaced: ['b'], plainItems: [] },
  ],
  ['primitives merge, new ones first', { scalars: ['a', 'b'] }, { scalars: ['c', 'a'] }, { scalars: ['c', 'a', 'b'] }],
  ['primitives can be deleted', { scalars: ['a', 'b', 'c'] }, { '$deleteFromPrimitiveList/scalars': ['b'] }, { scalars: ['a', 'c'] }],
  [
    'primitives follow the order asked for',
    { scalars: ['a', 'b', 'c'] },
    { '$setElementOrder/scalars': ['d', 'a'], scalars: ['d'] },
    { scalars: ['d', 'a', 'b', 'c'] },
  ],
  [
    'items merge by key',
    { items: [{ name: '1', value: 1 }] },
    { items: [{ name: '1', other: 'x' }] },
    { items: [{ name: '1', value: 1, other: 'x' }] },
  ],
  ['new items come first', { items: [{ name: '1' }] }, { items: [{ name: '2' }] }, { items: [{ name: '2' }, { name: '1' }] }],
  [
    'an item can be deleted',
    { items: [{ name: '1' }, { name: '2' }] },
    { items: [{ name: '1', $patch: 'delete' }] },
    { items: [{ name: '2' }] },
  ],
  ['deleting the last item leaves an empty list', { items: [{ name: '1' }] }, { items: [{ name: '1', $patch: 'delete' }] }, { items: [] }],
  ['a list can be replaced', { items: [{ name: '1' }] }, { items: [{ $patch: 'replace' }, { name: '2' }] }, { items: [{ name: '2' }] }],
  ['deleting from a list that is not there leaves it empty', {}, { items: [{ name: '1', $patch: 'delete' }] }, { items: [] }],
  [
    'items follow the order asked for',
    { items: [{ name: '1' }, { name: '2' }, { name: '3' }] },
    { '$setElementOrder/items': [{ name: '3' }, { name: '1' }], items: [{ name: '3', value: 3 }] },
    { items: [{ name: '2' }, { name: '3', value: 3 }, { name: '1' }] },
  ],
  [
    'items only the server has keep their place',
    { items: [{ name: '1' }, { name: 's' }, { name: '2' }] },
    { '$setElementOrder/items': [{ name: '1' }, { name: '2' }, { name: '3' }], items: [{ name: '3' }] },
    { items: [{ name: '1' }, { name: 's' }, { name: '2' }, { name: '3' }] },
  ],
  [
    'an order alone sorts',
    { items: [{ name: '1' }, { name: '2' }] },
    { '$setElementOrder/items': [{ name: '2' }, { name: '1' }] },
    { items: [{ name: '2' }, { name: '1' }] },
  ],
  ['an order for nothing does nothing', {}, { '$setElementOrder/items': [{ name: '2' }] }, {}],
  ['a map can be cleared', { labels: { a: '1' } }, { labels: { $patch: 'delete' } }, { labels: {} }],
  ['a map can be replaced', { labels: { a: '1' } }, { labels: { $patch: 'replace', b: '2' } }, { labels: { b: '2' } }],
  ['a map of strategy replace is replaced', { whole: { a: '1' } }, { whole: { b: '2' } }, { whole: { b: '2' } }],
  [
    'retainKeys drops the other keys',
    { retaining: { name: 'n', value: 'v' } },
    { retaining: { $retainKeys: ['name', 'kind'], kind: 'k' } },
    { retaining: { name: 'n', kind: 'k' } },
  ],
  ['a changed shape is replaced', { labels: { a: '1' } }, { labels: 'x' }, { labels: 'x' }],
] as [string, Json, Json, Json][]) {
  test(`strategic merge: ${name}`, () => {
    const before = JSON.stringify([doc, patch]);
    assert.deepEqual(applyStrategicMergePatch(doc, patch, type), expected);
    assert.equal(JSON.stringify([doc, patch]), before);
  });
}

for (const [name, doc, patch, code, message] of [
  [
    'an item without its key',
    { items: [{ name: '1' }] },
    { items: [{ value: 1 }] },
    500,
    'map: map[value:1] does not contain declared merge key: name',
  ],
  [
    'an unknown directive',
    { labels: { a: '1' } },
    { labels: { $patch: 'frob' } },
    500,
    'unknown patch type: frob in map: map[$patch:frob]',
  ],
  [
    'merging by directive',
    { items: [{ name: '1' }] },
    { items: [{ name: '1', $patch: 'merge' }] },
    500,
    'merging lists cannot yet be specified in the patch',
  ],
  [
    'keys that are not retained',
    { retaining: {} },
    { retaining: { $retainKeys: ['name'], kind: 'k' } },
    400,
    'invalid patch format of retainKeys',
  ],
  ['an order that is no list', {}, { '$setElementOrder/items': 'x' }, 500, 'expected a []interface {}, but received a string'],
  ['an order without a field', {}, { $setElementOrder: [] }, 400, 'invalid patch format of setElementOrder list'],
  ['a deletion without a field', {}, { $deleteFromPrimitiveList: [] }, 400, 'invalid patch format of primitive list'],
  [
    'an order that leaves items out',
    {},
    { '$setElementOrder/items': [{ name: '1' }], items: [{ name: '2' }] },
    500,
    "The order in patch list:\n[map[name:2]]\n doesn't match $setElementOrder list:\n[map[name:1]]\n",
  ],
  [
    'items of different types',
    { items: [{ name: '1' }] },
    { items: ['x'] },
    500,
    'list element types are not identical: [[map[name:1]] [x]]',
  ],
] as [string, Json, Json, number, string][]) {
  test(`strategic merge refuses ${name}`, () => {
    const status = statusOf(() => applyStrategicMergePatch(doc, patch, type));
    assert.deepEqual([status.code, status.message], [code, message]);
  });
}

test('strategic merge changes one container of a pod template', () => {
  const doc = {
    spec: {
      replicas: 1,
      template: {
        spec: {
          containers: [
            { name: 'a', image: 'a:1' },
            { name: 'b', image: 'b:1' },
          ],
        },
      },
    },
  };
  const patch = { spec: { template: { spec: { containers: [{ name: 'b', image: 'b:2' }] } } } };
  assert.deepEqual(applyStrategicMergePatch(doc, patch, workload), {
    spec: {
      replicas: 1,
      template: {
        spec: {
          containers: [
            { name: 'a', image: 'a:1' },
            { name: 'b', image: 'b:2' },
          ],
        },
      },
    },
  });
});
