import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../util/json.ts';
import { renderMap, renderText } from './render-text.ts';

const settings: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'kcm-system', uid: 'u', resourceVersion: '7' },
  data: { region: 'eu', size: 'small' },
};
const objects = { settings };
const dot: JsonObject = {
  Cluster: { metadata: { name: 'east', labels: { tier: 'dev' } }, spec: { replicas: 3 } },
  MgmtResources: objects,
  InfrastructureProvider: { spec: { region: 'eu-1' } },
};
const filled = (text: string): JsonObject => renderMap({ name: 'values', text, dot, objects });

const cases: readonly [name: string, text: string, expected: JsonObject][] = [
  ['plain YAML stays', 'a: {b: 1}', { a: { b: 1 } }],
  ['nothing is no values', '', {}],
  [
    'the cluster is there, and functions of Sprig',
    'name: {{ .Cluster.metadata.name }}\ntier: {{ .Cluster.metadata.labels.tier | upper }}',
    { name: 'east', tier: 'DEV' },
  ],
  ['what is behind the cluster is there', 'region: {{ .InfrastructureProvider.spec.region }}', { region: 'eu-1' }],
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
  [
    'values can be read and written as YAML, JSON and TOML',
    'a: {{ (fromYaml "x: 1").x }}\nb: {{ (fromJson "{\\"x\\": 2}").x }}\nc: {{ index (fromJsonArray "[3]") 0 }}\nd: {{ index (fromYamlArray "- 4") 0 }}\ne: {{ toJson (dict "x" 5) }}\nf: {{ (fromToml "x = 6").x }}\ng: {{ toToml (dict "x" 7) | trim | quote }}',
    { a: 1, b: 2, c: 3, d: 4, e: { x: 5 }, f: 6, g: 'x = 7' },
  ],
];
for (const [name, text, expected] of cases) test(name, () => assert.deepEqual(filled(text), expected));

test('a key that is missing is an error that names the line and the key', () => {
  assert.throws(() => filled('a: 1\nx: {{ .Cluster.metadata.nosuch }}'), /values:2:\d+: .*nosuch/);
  assert.throws(() => filled('x: {{ getResource "nosuch" }}'), /values:1:\d+: .*resource "nosuch" is not known/);
});

test('what is no map is told', () => {
  assert.throws(() => filled('- 1'), /must be a map/);
  assert.throws(() => filled('a: ['), /no YAML/);
});

test('a template that takes too much is ended', () => {
  const text = 'x: {{ range until 10000 }}{{ range until 10000 }}{{ . }}{{ end }}{{ end }}';
  assert.throws(() => renderText({ name: 'values', text, dot, objects }), /values:1:\d+: .*(too many steps|too long|too large)/);
  assert.throws(() => filled('{{ range until 1000000000 }}{{ end }}'), /too large/);
});
