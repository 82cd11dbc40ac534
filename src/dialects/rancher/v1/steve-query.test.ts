import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, JsonObject } from '../../../util/json.ts';
import { parseFieldPath, valuesAt, withoutField } from './field-path.ts';
import { defaultLimit, matchesFilters, parseFilter, parseSteveQuery, sortObjects } from './steve-query.ts';

const pod = (name: string, more: JsonObject = {}): JsonObject => ({
  metadata: { name, labels: { 'app.kubernetes.io/name': 'web' }, fields: [name, '1/1'] },
  spec: { containers: [{ image: 'nginx:1' }, { image: 'redis' }] },
  ...more,
});

const matching = (text: string, obj = pod('shop-1')) => matchesFilters(obj, parseSteveQuery(new URLSearchParams(text)));

test('a filter without quotes is content with a part of the value', () => {
  assert.equal(matching('filter=metadata.name=shop'), true);
  assert.equal(matching("filter=metadata.name='shop'"), false);
  assert.equal(matching("filter=metadata.name='shop-1'"), true);
});

test('commas are or, repeated filters are and', () => {
  assert.equal(matching('filter=metadata.name=nothing,spec.containers.image=redis'), true);
  assert.equal(matching('filter=metadata.name=shop&filter=metadata.name=nothing'), false);
});

test('a negated filter holds for what is absent', () => {
  assert.equal(matching('filter=metadata.name!=shop'), false);
  assert.equal(matching('filter=metadata.namespace!=shop'), true);
});

test('lists of values and commas in quotes', () => {
  assert.equal(matching("filter=metadata.name in ('shop-1','shop-2')"), true);
  assert.equal(matching("filter=metadata.name notin ('shop-1')"), false);
  assert.deepEqual(parseFilter("a='x,y',b=z"), [
    { path: ['a'], isNegated: false, values: [{ text: 'x,y', isExact: true }] },
    { path: ['b'], isNegated: false, values: [{ text: 'z', isExact: false }] },
  ]);
});

test('brackets hold names with dots, and numbers of items', () => {
  assert.equal(matching('filter=metadata.labels[app.kubernetes.io/name]=web'), true);
  assert.equal(matching('filter=metadata.fields[1]=1/1'), true);
  assert.equal(matching('filter=metadata.fields.1=2/2'), false);
});

test('what cannot be read is not heard', () => {
  const query = parseSteveQuery(
    new URLSearchParams('filter=nonsense&filter=&sort=,-,..&limit=-3&page=x&pagesize=1e9&exclude=[[&continue='),
  );
  assert.deepEqual(query.filters, []);
  assert.deepEqual(query.sort, []);
  assert.equal(query.limit, defaultLimit);
  assert.equal(query.page, 1);
  assert.equal(query.pageSize, 0);
  assert.deepEqual(query.exclude, []);
  assert.equal(query.continueToken, undefined);
});

test('sorts by several keys, numbers as numbers, the absent first', () => {
  const objects = [pod('b', { size: 10 }), pod('a', { size: 9 }), pod('c')];
  const names = (text: string) => {
    const { sort } = parseSteveQuery(new URLSearchParams({ sort: text }));
    return sortObjects(objects, sort).map(obj => (obj['metadata'] as JsonObject)['name']);
  };
  assert.deepEqual(names('size'), ['c', 'a', 'b']);
  assert.deepEqual(names('-size'), ['b', 'a', 'c']);
  assert.deepEqual(names('metadata.labels[app.kubernetes.io/name],-metadata.name'), ['c', 'b', 'a']);
});

test('a field that is left out leaves the object it was taken from alone', () => {
  const obj = pod('a');
  const without = withoutField(obj, ['metadata', 'labels']);
  assert.deepEqual(valuesAt(without, ['metadata', 'labels']), []);
  assert.equal(valuesAt(obj, ['metadata', 'name'])[0], 'a');
  assert.notDeepEqual(obj, without);
  assert.equal(withoutField(obj, ['nothing', 'here']), obj);
});

test('no query, path or object makes it fail', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  const pieces = fc.array(fc.constantFrom("'", '(', ')', '[', ']', '.', ',', '=', '!', ' in ', 'a', '0', '-', '__proto__'), {
    maxLength: 20,
  });
  const value = fc.jsonValue() as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(
      fc.oneof(
        text,
        pieces.map(all => all.join('')),
      ),
      value,
      (words, anything) => {
        const query = parseSteveQuery(
          new URLSearchParams([
            ['filter', words],
            ['sort', words],
            ['exclude', words],
            ['limit', words],
          ]),
        );
        const obj = { metadata: anything };
        matchesFilters(obj, query);
        sortObjects([obj, { metadata: null }], query.sort);
        for (const path of query.exclude) withoutField(obj, path);
        const path = parseFieldPath(words);
        if (path) assert.ok(path.length > 0 && path.every(step => step !== ''));
      },
    ),
  );
});
