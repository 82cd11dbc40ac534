import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaultLimit, maxLimit, pageOf, parseListQuery, type ListQuery } from './list-query.ts';
import { noGrants, type Entry, type NormanType } from './norman-type.ts';

const type: NormanType = {
  id: 'cluster',
  plural: 'clusters',
  fields: {
    name: { type: 'string' },
    state: { type: 'enum' },
    internal: { type: 'boolean', default: false },
    nodeCount: { type: 'int', default: 0 },
    labels: { type: 'map[string]' },
  },
  collectionMethods: ['GET'],
  resourceMethods: ['GET'],
  hasLabelSelector: true,
};
const parse = (query: string) => parseListQuery(new URLSearchParams(query), type);
const entry = (id: string, fields: Record<string, unknown> = {}): Entry => ({
  id,
  fields: () => ({ name: `name-of-${id}`, labels: {}, ...fields }) as never,
  grants: async () => noGrants,
});
const idsOf = (entries: readonly Entry[], query: string) => pageOf(entries, parse(query), type.fields).items.map(({ id }) => id);

test('what is no field, or no modifier of it, changes nothing', () => {
  const all = [entry('b'), entry('a')];
  for (const query of [
    'nonsense=1&removed_null=1&system=false&all=true',
    'name_like=x',
    'internal_in=true',
    'labels=x',
    'toString=1',
    '__proto__=1',
  ])
    assert.deepEqual(idsOf(all, query), ['a', 'b'], query);
});

test('filters compare texts; what is absent has the default of its field', () => {
  const all = [
    entry('a', { state: 'active', internal: true }),
    entry('b', { state: 'pending', nodeCount: 3 }),
    entry('c', { state: 'removing' }),
  ];
  for (const [query, ids] of [
    ['name=name-of-b', ['b']],
    ['name=name-of-b&name=name-of-a', ['b']],
    ['id=c', ['c']],
    ['state_ne=active&state_ne=pending', ['b', 'c']],
    ['state_in=active&state_in=removing', ['a', 'c']],
    ['state_notin=active&state_notin=removing', ['b']],
    ['internal=false', ['b', 'c']],
    ['internal_ne=false', ['a']],
    ['nodeCount=0', ['a', 'c']],
  ] as const)
    assert.deepEqual(idsOf(all, query), ids, query);
});

test('labels select as in Kubernetes', () => {
  const all = [entry('a', { labels: { env: 'prod' } }), entry('b', { labels: { env: 'dev' } }), entry('c')];
  assert.deepEqual(idsOf(all, 'labelSelector=env in (prod,dev),env!=dev'), ['a']);
  assert.throws(() => parse('labelSelector=a%3D%3D%3Db'), { status: 422, code: 'InvalidFormat' });
});

test('a list is sorted by a field that it has, and else by id', () => {
  const all = [entry('a', { name: 'z' }), entry('b', { name: 'y' }), entry('c', { name: 'y' })];
  assert.deepEqual(idsOf(all, 'sort=name'), ['b', 'c', 'a']);
  assert.deepEqual(idsOf(all, 'sort=name&order=desc'), ['a', 'c', 'b']);
  assert.deepEqual(idsOf(all, 'sort=labels&order=desc'), ['c', 'b', 'a']);
});

test('limits that make no sense are the usual one', () => {
  for (const [text, limit] of [
    ['', defaultLimit],
    ['limit=x', defaultLimit],
    ['limit=0', defaultLimit],
    ['limit=-5', defaultLimit],
    ['limit=-1', maxLimit],
    ['limit=99999', maxLimit],
    ['limit=7', 7],
  ] as const)
    assert.equal(parse(text).limit, limit, text);
});

test('who follows the pages sees every item once, in order', () => {
  const ids = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { maxLength: 40 });
  fc.assert(
    fc.property(ids, fc.integer({ min: 1, max: 12 }), fc.boolean(), (names, limit, isDescending) => {
      const entries = names.map(name => entry(name));
      const base: ListQuery = { ...parse(''), limit, isDescending };
      const seen: string[] = [];
      let marker: string | undefined;
      do {
        const page = pageOf(entries, { ...base, marker }, type.fields);
        assert.equal(page.total, names.length);
        assert.ok(page.items.length <= limit);
        assert.equal(page.isPartial, page.items.length < names.length);
        seen.push(...page.items.map(({ id }) => id));
        marker = page.next;
      } while (marker !== undefined);
      assert.deepEqual(seen, isDescending ? names.toSorted().reverse() : names.toSorted());
    }),
  );
});

test('a page keeps its place when the item it begins with has gone', () => {
  const left = ['a', 'b', 'd', 'e'].map(name => entry(name));
  assert.deepEqual(idsOf(left, 'limit=2&marker=c'), ['d', 'e']);
  assert.deepEqual(idsOf(left, 'limit=2&marker=c&order=desc'), ['b', 'a']);
  assert.deepEqual(idsOf(left, 'limit=2&marker=x'), []);
});

test('any query can be read', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string())), pairs => {
      const query = parseListQuery(new URLSearchParams(pairs.filter(([key]) => key !== 'labelSelector')), type);
      assert.ok(query.limit >= 1 && query.limit <= maxLimit);
      for (const { field } of query.filters) assert.ok(field === 'id' || Object.hasOwn(type.fields, field));
    }),
  );
});
