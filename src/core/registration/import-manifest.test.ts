import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PodSpec } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import { importManifest, importObjects } from './import-manifest.ts';

const options = {
  clusterId: 'c-m-ab12cd34',
  token: 'b'.repeat(54),
  server: 'https://hub.example.com:7443',
  caChecksum: 'ab'.repeat(32),
  image: 'drover/drover:1.0.0',
  version: '1.0.0',
};
const documentsOf = (text: string) => text.split(/^---\n/m).map(document => readYaml(document).value);

test('the objects come in the order in which they can be made', () => {
  const names = importObjects(options).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  assert.deepEqual(names.slice(2, 6), [
    'Namespace cattle-system',
    'ServiceAccount cattle',
    'ClusterRole cattle-admin',
    'ClusterRoleBinding cattle-admin-binding',
  ]);
  assert.match(names[6]!, /^Secret cattle-credentials-[0-9a-f]{10}$/);
  assert.equal(names[7], 'Deployment cattle-cluster-agent');
});

test('what people want of the agent is in its Deployment, and the rest is as ever', () => {
  const agent = {
    env: [
      { name: 'HTTPS_PROXY', value: 'http://proxy' },
      { name: 'STRICT_VERIFY', value: 'false' },
    ],
    tolerations: [{ key: 'gpu', operator: 'Exists' }],
    resources: { limits: { memory: '1Gi' } },
    priority: { value: 1000 },
    disruptionBudget: { minAvailable: 1 },
  };
  const objects = importObjects({ ...options, installUuid: 'uuid-1', registry: 'registry.example.com', agent });
  const { spec } = (objects.at(-1) as KubeObject & { spec: { template: { spec: PodSpec } } }).spec.template;
  const env = new Map(spec.containers[0]!.env!.map(({ name, value }) => [name, value]));
  assert.deepEqual(
    ['HTTPS_PROXY', 'STRICT_VERIFY', 'CATTLE_INSTALL_UUID', 'CATTLE_SYSTEM_DEFAULT_REGISTRY'].map(name => env.get(name)),
    ['http://proxy', 'false', 'uuid-1', 'registry.example.com'],
  );
  assert.equal(env.size, spec.containers[0]!.env!.length, 'no variable twice');
  assert.equal(spec.tolerations?.length, 4);
  assert.deepEqual(spec.containers[0]!.resources, { limits: { memory: '1Gi' } });
  assert.equal(spec.priorityClassName, 'cattle-cluster-agent-priority-class');
  assert.deepEqual(
    objects.slice(7, 9).map(({ kind }) => kind),
    ['PriorityClass', 'PodDisruptionBudget'],
  );
});

test('for a cluster that needs its namespace, deleting by the manifest cannot take it away', () => {
  const kinds = importObjects({ ...options, keepsNamespace: true }).map(({ kind }) => kind);
  assert.ok(!kinds.includes('Namespace'));
  assert.equal(kinds.length, importObjects(options).length - 1);
});

test('another token or address makes the Deployment roll', () => {
  const secretOf = (changed: object) => importObjects({ ...options, ...changed })[6]!.metadata.name;
  assert.equal(new Set([secretOf({}), secretOf({ token: 'c'.repeat(54) }), secretOf({ server: 'https://other' })]).size, 3);
  assert.equal(secretOf({}), secretOf({ image: 'another' }));
});

test('whatever the values are, the text means the same objects', () => {
  const text = fc.string({ unit: 'binary-ascii' });
  fc.assert(
    fc.property(fc.record({ server: text, image: text, version: text, caChecksum: text }), values => {
      const wanted = importObjects({ ...options, ...values });
      assert.deepEqual(documentsOf(importManifest({ ...options, ...values })), JSON.parse(JSON.stringify(wanted)));
    }),
  );
});
