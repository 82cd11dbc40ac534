import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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
