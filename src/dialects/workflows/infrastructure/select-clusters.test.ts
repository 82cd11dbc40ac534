import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clustersExpression, clustersInWords, type ResolvedCluster } from './resolved-cluster.ts';
import { infraId } from './infra-id.ts';
import { isEmptySelection, selectClusters, type ClusterSelection } from './select-clusters.ts';

const cluster = (name: string, labels: Record<string, string> = {}, id = `c-m-${name.padStart(8, '0')}`): ResolvedCluster => ({
  id,
  name,
  labels,
});
const names = (selection: ClusterSelection, clusters: readonly ResolvedCluster[]) =>
  selectClusters(selection, clusters).map(one => one.name);

const five = [
  cluster('a', { env: 'prod', region: 'eu' }),
  cluster('b', { env: 'prod-eu', region: 'eu' }),
  cluster('c', { env: 'dev', region: 'eu' }),
  cluster('d', { env: 'prod', region: 'us' }),
  cluster('e'),
];

test('resolve_and_or_labels', () => {
  const criteria = [
    { labelName: ' env ', labelValues: 'prod, prod-eu' },
    { labelName: 'region', labelValues: 'eu' },
  ];
  assert.deepEqual(names({ clusterSelectionCriteria: criteria }, five), ['a', 'b']);
});

test('two criteria of the same label intersect', () => {
  const criteria = [
    { labelName: 'env', labelValues: 'prod,dev' },
    { labelName: 'env', labelValues: 'dev, prod-eu' },
  ];
  assert.deepEqual(names({ clusterSelectionCriteria: criteria }, five), ['c']);
});

test('a criterion without values matches no cluster, not even one whose label is empty', () => {
  const blank = [cluster('x', { env: '' })];
  assert.deepEqual(names({ clusterSelectionCriteria: [{ labelName: 'env', labelValues: ' , ' }] }, blank), []);
});

test('names of objects that JavaScript has are no labels', () => {
  assert.deepEqual(names({ clusterSelectionCriteria: [{ labelName: 'constructor', labelValues: 'x' }] }, five), []);
});

test('selector, names and exclusions are all demanded', () => {
  const selection: ClusterSelection = {
    clusterSelector: { matchExpressions: [{ key: 'env', operator: 'Exists' }] },
    clusterNames: ['a', 'b', 'd', 'e'],
    exclude: { clusterNames: ['b'], selector: { matchLabels: { region: 'us' } } },
  };
  assert.deepEqual(names(selection, five), ['a']);
  assert.deepEqual(names({ clusterNames: [five[3]!.id] }, five), ['d']);
});

test('an exclusion that demands nothing excludes nobody', () => {
  assert.equal(selectClusters({ allowAllClusters: true, exclude: { selector: {} } }, five).length, 5);
});

test('resolve_empty_criteria_rejected', () => {
  const blank = { labelName: 'env', labelValues: ' ' };
  for (const selection of [{}, { clusterSelector: {} }, { clusterNames: [] }, { clusterSelectionCriteria: [blank, blank] }])
    assert.equal(isEmptySelection(selection), true, JSON.stringify(selection));
  for (const selection of [
    { allowAllClusters: true },
    { clusterNames: ['a'] },
    { clusterSelectionCriteria: [blank, { ...blank, labelValues: 'x' }] },
  ])
    assert.equal(isEmptySelection(selection), false, JSON.stringify(selection));
  assert.equal(selectClusters({ allowAllClusters: true, clusterSelectionCriteria: [blank] }, five).length, 5);
});

test('rancher_clusters_expression_joined_by_comma', () => {
  assert.equal(clustersExpression([cluster('a'), cluster('b')]), 'a,b');
  assert.equal(clustersInWords([cluster('cd-play-test-cluster'), cluster('local')]), '[cd-play-test-cluster, local]');
});

test('clusters of the same name are told apart by their ids', () => {
  const twins = [cluster('a', {}, 'c-11111'), cluster('b'), cluster('a', {}, 'c-22222')];
  assert.equal(clustersInWords(twins), '[a (c-11111), b, a (c-22222)]');
});

test('the id of an infrastructure is what Java makes of the bytes', () => {
  // UUID.nameUUIDFromBytes("shop/checkout/prod".getBytes(UTF_8)), by Java itself.
  assert.equal(infraId('shop', 'checkout', 'prod'), '49bb31cc-3548-3c3d-8040-9328712b743f');
});

/** The same question asked in another way: sets of clusters that are intersected, and values that are compared one by one. */
function oracle(selection: ClusterSelection, clusters: readonly ResolvedCluster[]): string[] {
  let chosen = new Set(clusters);
  const keep = (those: ResolvedCluster[]) => (chosen = chosen.intersection(new Set(those)));
  for (const { labelName, labelValues } of selection.clusterSelectionCriteria ?? []) {
    const found: ResolvedCluster[] = [];
    for (const raw of labelValues.split(',')) {
      const value = raw.trim();
      if (value === '') continue;
      for (const one of clusters) if (Object.entries(one.labels).some(([k, v]) => k === labelName.trim() && v === value)) found.push(one);
    }
    keep(found);
  }
  for (const [k, v] of Object.entries(selection.clusterSelector?.matchLabels ?? {})) keep(clusters.filter(one => one.labels[k] === v));
  if ((selection.clusterNames ?? []).length > 0)
    keep(clusters.filter(one => selection.clusterNames!.includes(one.name) || selection.clusterNames!.includes(one.id)));
  const out = clusters.filter(one => selection.exclude?.clusterNames?.includes(one.name));
  return clusters.filter(one => chosen.has(one) && !out.includes(one)).map(one => one.id);
}

test('whatever is demanded, the chosen are those that an independent oracle chooses', () => {
  const value = fc.constantFrom('a', 'b', 'c', '');
  const key = fc.constantFrom('env', 'region', 'tier');
  const labels = fc.dictionary(key, value, { maxKeys: 3 });
  const some = fc.array(fc.record({ name: fc.constantFrom('n1', 'n2', 'n3', 'n4'), labels }), { maxLength: 8 });
  const spaced = fc.tuple(fc.constantFrom('', ' '), value, fc.constantFrom('', ' ')).map(parts => parts.join(''));
  const criterion = fc.record({
    labelName: key.map(one => ` ${one}`),
    labelValues: fc.array(spaced, { maxLength: 3 }).map(all => all.join(',')),
  });
  const selection = fc.record({
    clusterSelectionCriteria: fc.array(criterion, { maxLength: 3 }),
    clusterSelector: fc.record({ matchLabels: fc.dictionary(key, value, { maxKeys: 2 }) }),
    clusterNames: fc.array(fc.constantFrom('n1', 'n2', 'c-3'), { maxLength: 2 }),
    exclude: fc.record({ clusterNames: fc.array(fc.constantFrom('n1', 'n2'), { maxLength: 1 }) }),
  });
  fc.assert(
    fc.property(selection, some, (asked, clusters) => {
      const all = clusters.map((one, i) => ({ ...one, id: `c-${i}` }));
      assert.deepEqual(
        selectClusters(asked, all).map(one => one.id),
        oracle(asked, all),
      );
    }),
  );
});
