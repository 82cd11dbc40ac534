import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../api/object.ts';
import { createKey } from '../pki/certificate-authority.ts';
import { memoryCluster, type MemoryCluster } from './memory-cluster.ts';
import { namespaceFurnitureController, tokenSecretController } from './service-account-controllers.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';

const namespaces = { group: '', resource: 'namespaces' };
const accounts = { group: '', resource: 'serviceaccounts' };
const configMaps = { group: '', resource: 'configmaps' };
const secrets = { group: '', resource: 'secrets' };
const addNamespace = (cluster: MemoryCluster, name: string, phase = 'Active') =>
  cluster.put(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, status: { phase } });
const addAccount = (cluster: MemoryCluster, uid: string, secretNames: string[] = []) =>
  cluster.put(accounts, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot', namespace: 'shop', uid },
    ...(secretNames.length > 0 && { secrets: secretNames.map(name => ({ name })) }),
  });
const tokenSecret = (annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  metadata: { name: 's', namespace: 'shop', annotations: { 'kubernetes.io/service-account.name': 'robot', ...annotations } },
});

test('every active namespace is furnished, and again when the furniture goes', async () => {
  const cluster = memoryCluster();
  addNamespace(cluster, 'old');
  using controller = namespaceFurnitureController(cluster, { rootCa: 'PEM' });
  addNamespace(cluster, 'shop');
  addNamespace(cluster, 'gone', 'Terminating');
  await controller.idle();
  for (const name of ['old', 'shop']) {
    assert.ok(cluster.peek(accounts, name, 'default'), name);
    assert.deepEqual(cluster.peek(configMaps, name, 'kube-root-ca.crt')?.['data'], { 'ca.crt': 'PEM' });
  }
  assert.equal(cluster.peek(accounts, 'gone', 'default'), undefined);

  cluster.drop(accounts, 'shop', 'default');
  cluster.drop(configMaps, 'shop', 'kube-root-ca.crt');
  const changed = cluster.peek(configMaps, 'old', 'kube-root-ca.crt');
  assert.ok(changed);
  cluster.put(configMaps, { ...changed, data: { 'ca.crt': 'forged', more: 'x' } });
  await controller.idle();
  assert.ok(cluster.peek(accounts, 'shop', 'default'));
  assert.ok(cluster.peek(configMaps, 'shop', 'kube-root-ca.crt'));
  assert.deepEqual(cluster.peek(configMaps, 'old', 'kube-root-ca.crt')?.['data'], { 'ca.crt': 'PEM' });
});

test('token secrets are filled, and leave with their account', async () => {
  const cluster = memoryCluster();
  const tokens = serviceAccountTokens({ signingKey: createKey() });
  using controller = tokenSecretController(cluster, { rootCa: 'PEM', tokens });
  addAccount(cluster, 'uid-1', ['s']);
  cluster.put(secrets, tokenSecret());
  await controller.idle();
  const filled = cluster.peek(secrets, 'shop', 's');
  const data = filled?.['data'] as Record<string, string>;
  const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();
  assert.equal(filled?.metadata.annotations?.['kubernetes.io/service-account.uid'], 'uid-1');
  assert.deepEqual([decode(data['namespace']), decode(data['ca.crt'])], ['shop', 'PEM']);
  assert.deepEqual(JSON.parse(Buffer.from(decode(data['token']).split('.')[1] ?? '', 'base64url').toString()), {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': 'shop',
    'kubernetes.io/serviceaccount/secret.name': 's',
    'kubernetes.io/serviceaccount/service-account.name': 'robot',
    'kubernetes.io/serviceaccount/service-account.uid': 'uid-1',
    sub: 'system:serviceaccount:shop:robot',
  });

  cluster.drop(accounts, 'shop', 'robot');
  await controller.idle();
  assert.equal(cluster.peek(secrets, 'shop', 's'), undefined);
});

test('a token secret of an account of another life is removed', async () => {
  const cluster = memoryCluster();
  addAccount(cluster, 'uid-2');
  cluster.put(secrets, tokenSecret({ 'kubernetes.io/service-account.uid': 'uid-1' }));
  using controller = tokenSecretController(cluster, { rootCa: 'PEM', tokens: serviceAccountTokens({ signingKey: createKey() }) });
  await controller.idle();
  assert.equal(cluster.peek(secrets, 'shop', 's'), undefined);
});

test('an account forgets a secret that is gone', async () => {
  const cluster = memoryCluster();
  addAccount(cluster, 'uid-1', ['s', 'kept']);
  using controller = tokenSecretController(cluster, { rootCa: 'PEM', tokens: serviceAccountTokens({ signingKey: createKey() }) });
  cluster.put(secrets, tokenSecret());
  await controller.idle();
  cluster.drop(secrets, 'shop', 's');
  await controller.idle();
  assert.deepEqual(cluster.peek(accounts, 'shop', 'robot')?.['secrets'], [{ name: 'kept' }]);
});
