import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../util/json.ts';
import { mergeValues, renderValues, type ValuesData } from './template-values.ts';

const data: ValuesData = {
  cluster: { metadata: { name: 'east', labels: { tier: 'dev' } }, spec: { replicas: 3 } },
  resources: {
    settings: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'kcm-system', uid: 'u', resourceVersion: '7' },
      data: { region: 'eu', size: 'small' },
    },
  },
};

const cases: readonly [name: string, text: string, expected: JsonObject][] = [
  ['plain YAML stays', 'a: {b: 1}', { a: { b: 1 } }],
  ['nothing is no values', '', {}],
  [
    'the cluster is there',
    'name: {{ .Cluster.metadata.name }}\ntier: {{ .Cluster.metadata.labels.tier | upper }}',
    { name: 'east', tier: 'DEV' },
  ],
  ['objects of the hub are there', 'region: {{ .MgmtResources.settings.data.region }}', { region: 'eu' }],
  ['getResource gives the object', 'region: {{ (getResource "settings").data.region }}', { region: 'eu' }],
  ['getField gives a field', 'size: {{ getField "settings" "data.size" }}', { size: 'small' }],
  [
    'copy gives YAML without what the server wrote',
    'obj:\n{{ copy "settings" | indent 2 }}',
    {
      obj: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: 'kcm-system' },
        data: { region: 'eu', size: 'small' },
      },
    },
  ],
  [
    'setField and removeField change a copy',
    'a:\n{{ setField "settings" "data.size" "large" | indent 2 }}\nb:\n{{ removeField "settings" "metadata" | indent 2 }}',
    {
      a: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: 'kcm-system' },
        data: { region: 'eu', size: 'large' },
      },
      b: { apiVersion: 'v1', kind: 'ConfigMap', data: { region: 'eu', size: 'small' } },
    },
  ],
  [
    'chained functions take what the one before gave',
    '{{ $o := getResource "settings" }}{{ $o = chainSetField $o "data.zone" "a" }}{{ $o = chainRemoveField $o "data.size" }}{{ toYaml $o.data }}',
    { region: 'eu', zone: 'a' },
  ],
];
for (const [name, text, expected] of cases) test(name, () => assert.deepEqual(renderValues(text, data), expected));

test('a key that is missing is an error that names it', () => {
  assert.throws(() => renderValues('x: {{ .Cluster.metadata.nosuch }}', data), /cannot render the values: .*nosuch/);
  assert.throws(() => renderValues('x: {{ getResource "nosuch" }}', data), /resource "nosuch" is not known/);
});

test('values must be a map', () => {
  assert.throws(() => renderValues('- 1', data), /must be a map/);
  assert.throws(() => renderValues('a: [', data), /no YAML/);
});

test('a template that does not end is ended', () => {
  assert.throws(
    () => renderValues('x: {{ range until 10000 }}{{ range until 10000 }}{{ . }}{{ end }}{{ end }}', data),
    /cannot render the values/,
  );
});

test('merging keeps what the upper values do not say, and never joins lists', () => {
  assert.deepEqual(mergeValues({ a: { b: 1, c: [1] }, d: 1 }, { a: { c: [2] } }), { a: { b: 1, c: [2] }, d: 1 });
  const values = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
  fc.assert(fc.property(values, one => assert.deepEqual(mergeValues(one, {}), { ...one })));
  fc.assert(fc.property(values, one => assert.deepEqual(mergeValues({}, one), { ...one })));
});
