import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { difference, equalSets, hasPath, intersection, isSubset, printPaths, recursiveDifference, setOfPaths, union } from './field-set.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';

const element = fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:1', 'i:0');
const path = fc.array(element, { minLength: 1, maxLength: 3 });
const paths = fc.array(path, { maxLength: 8 });
const text = (p: string[]) => p.join('/');
const membersOf = (ps: string[][]) => new Set(ps.map(text));
const allPaths = (...lists: string[][][]) => lists.flat();

function holdsExactly(set: ReturnType<typeof setOfPaths>, expected: Set<string>, universe: string[][]): void {
  for (const p of universe) assert.equal(hasPath(set, p), expected.has(text(p)), text(p));
  assert.equal(printPaths(set).length, expected.size);
}

test('sets of paths obey the algebra of sets', () => {
  fc.assert(
    fc.property(paths, paths, (ps, qs) => {
      const [a, b] = [setOfPaths(ps), setOfPaths(qs)];
      const [left, right] = [membersOf(ps), membersOf(qs)];
      const universe = allPaths(ps, qs);
      holdsExactly(a, left, universe);
      holdsExactly(union(a, b), left.union(right), universe);
      holdsExactly(intersection(a, b), left.intersection(right), universe);
      holdsExactly(difference(a, b), left.difference(right), universe);
      assert.ok(equalSets(union(a, b), union(b, a)));
      assert.equal(isSubset(a, b), left.isSubsetOf(right));
    }),
  );
});

test('a recursive difference takes what lies below too', () => {
  fc.assert(
    fc.property(paths, paths, (ps, qs) => {
      const right = membersOf(qs);
      const isCovered = (p: string[]) => p.some((_, i) => right.has(text(p.slice(0, i + 1))));
      const expected = new Set(ps.filter(p => !isCovered(p)).map(text));
      holdsExactly(recursiveDifference(setOfPaths(ps), setOfPaths(qs)), expected, allPaths(ps, qs));
    }),
  );
});

test('FieldsV1 survives a round trip', () => {
  fc.assert(
    fc.property(paths, ps => {
      const wire = JSON.stringify(encodeFieldsV1(setOfPaths(ps)));
      const back = decodeFieldsV1(JSON.parse(wire));
      assert.ok(equalSets(back, setOfPaths(ps)));
      assert.equal(JSON.stringify(encodeFieldsV1(back)), wire);
    }),
  );
});

test('elements are written in the order of the real server', () => {
  const set = setOfPaths(
    ['i:2', 'i:10', 'v:"b"', 'v:10', 'v:9', 'k:{"port":443}', 'k:{"port":80}', 'f:z', 'f:Z', 'f:a']
      .map(e => ['f:list', e])
      .concat([['f:list']]),
  );
  const list = encodeFieldsV1(set)['f:list'];
  assert.deepEqual(Object.keys(list as object), [
    '.',
    'f:Z',
    'f:a',
    'f:z',
    'k:{"port":80}',
    'k:{"port":443}',
    'v:9',
    'v:10',
    'v:"b"',
    'i:2',
    'i:10',
  ]);
});

test('elements in another spelling are the same element', () => {
  const set = decodeFieldsV1({ 'f:l': { 'k:{ "b": 1, "a":"x" }': {}, 'v: "a<b"': {}, 'q:future': {} } });
  assert.deepEqual(Object.keys(set['f:l'] ?? {}), ['k:{"a":"x","b":1}', 'v:"a\\u003cb"']);
});

test('elements that cannot be read are errors', () => {
  assert.throws(() => decodeFieldsV1({ x: {} }), /key must be 2 characters long:/);
  assert.throws(() => decodeFieldsV1({ foo: {} }), /missing colon: foo/);
  assert.throws(() => decodeFieldsV1({ 'i:x': {} }));
  assert.throws(() => decodeFieldsV1({ 'f:a': 3 }));
});

test('paths are printed members first', () => {
  const set = setOfPaths([['f:a', 'f:b'], ['f:a'], ['f:c'], ['f:a', 'k:{"n":"x","p":80}', 'v:"s"']]);
  assert.deepEqual(printPaths(set), ['.a', '.c', '.a.b', '.a[n="x",p=80][="s"]']);
});
