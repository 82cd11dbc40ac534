import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { patchManifests, type ManifestPatch } from './patch-manifests.ts';

const deployment = `# Made by hand
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  template:
    spec:
      containers:
        - { name: web, image: web:1 }
        - { name: sidecar, image: side:1 }
`;
const configMap =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web, namespace: other, annotations: { keep: "yes" } }\ndata: { a: "1" }\n';
const clusterRole = 'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: { name: web }\n';
const documents = [deployment, configMap, clusterRole];

const patched = (patches: readonly ManifestPatch[], texts = documents) => patchManifests({ documents: texts, patches, namespace: 'shop' });
const objectAt = (results: readonly (readonly string[])[], i: number): JsonObject => {
  const { value } = readYaml(results[i]![0]!);
  assert.ok(isJsonObject(value));
  return value;
};
const labels = '- { op: add, path: /metadata/labels, value: { patched: "yes" } }';

test('a strategic merge patch merges lists by their keys and leaves other documents to the letter', () => {
  const patch = `apiVersion: apps/v1
kind: Deployment
metadata: { name: any }
spec: { template: { spec: { containers: [{ name: sidecar, image: side:2 }] } } }`;
  const results = patched([{ patch, target: { kind: 'Deployment' } }]);
  const { spec, metadata } = objectAt(results, 0) as { spec: { template: { spec: JsonObject } }; metadata: JsonObject };
  assert.deepEqual(spec.template.spec, {
    containers: [
      { name: 'sidecar', image: 'side:2' },
      { name: 'web', image: 'web:1' },
    ],
  });
  assert.deepEqual(metadata, { name: 'web', labels: { app: 'web' } });
  assert.deepEqual(results.slice(1), [[configMap], [clusterRole]]);
});

const targets: readonly [name: string, target: ManifestPatch['target'], hit: readonly number[]][] = [
  ['kind', { kind: 'ConfigMap' }, [1]],
  ['group and version', { group: 'apps', version: 'v1' }, [0]],
  ['a pattern for the name', { name: 'w.*' }, [0, 1, 2]],
  ['a pattern must fit the whole', { name: 'w' }, []],
  ['a star is everything', { group: '*', kind: '*', name: '*' }, [0, 1, 2]],
  ['the namespace that it will have', { namespace: 'shop' }, [0]],
  ['the namespace that it has', { namespace: 'oth.r' }, [1]],
  ['labels', { labelSelector: 'app in (web, api)' }, [0]],
  ['annotations', { annotationSelector: 'keep=yes' }, [1]],
];
for (const [name, target, hit] of targets)
  test(`operations are for the objects of the target: ${name}`, () => {
    const results = patched([{ patch: labels, target }]);
    const changed = results.flatMap(([text], i) => (text === documents[i] ? [] : [i]));
    assert.deepEqual(changed, hit);
  });

test('objects that named no namespace still name none', () => {
  const [[text]] = patched([{ patch: labels, target: { kind: 'Deployment' } }]) as [[string]];
  assert.ok(!text.includes('namespace'));
});

test('patches come one after the other, and one may delete an object', () => {
  const remove = { patch: 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\n$patch: delete', target: { kind: 'ConfigMap' } };
  const replace = { patch: '- { op: replace, path: /metadata/labels/patched, value: "again" }', target: { kind: 'Deployment' } };
  const results = patched([{ patch: labels, target: { kind: 'Deployment' } }, replace, remove]);
  assert.deepEqual((objectAt(results, 0)['metadata'] as JsonObject)['labels'], { patched: 'again' });
  assert.deepEqual(results[1], []);
});

test('without a target a merge patch is for the object that it names, where there is one', () => {
  const patch = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web }\ndata: { b: "2" }';
  assert.deepEqual(objectAt(patched([{ patch }]), 1)['data'], { a: '1', b: '2' });
  assert.deepEqual(patched([{ patch }], [deployment]), [[deployment]]);
});

test('lists are unfolded when an item is patched', () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify(readYaml(configMap).value)}\n- ${JSON.stringify(readYaml(clusterRole).value)}\n`;
  const results = patched([{ patch: labels, target: { kind: 'ClusterRole' } }], [list]);
  assert.equal(results[0]!.length, 2);
});

const faults: readonly [name: string, patch: ManifestPatch, words: RegExp][] = [
  ['no patch at all', { patch: 'hello' }, /patch 1: unable to parse SM or JSON patch/],
  ['operations without a target', { patch: labels }, /patch 1: must specify a target/],
  [
    'a path that is not there',
    { patch: '- { op: remove, path: /spec/nosuch }', target: { kind: 'Deployment' } },
    /patch 1: .*remove.*\/spec\/nosuch/,
  ],
];
for (const [name, patch, words] of faults) test(`${name} is told, with its number`, () => assert.throws(() => patched([patch]), words));
