import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../api/object.ts';
import { startMemoryCluster, type MemoryCluster } from '../../test/helpers/memory-cluster.ts';
import { createKey } from '../pki/certificate-authority.ts';
import { namespaceFurnitureController, tokenSecretController } from './service-account-controllers.ts';
import { serviceAccountTokens } from './service-account-tokens.ts';

const accounts = { group: '', version: 'v1', resource: 'serviceaccounts' };
const configMaps = { group: '', version: 'v1', resource: 'configmaps' };
const secrets = { group: '', version: 'v1', resource: 'secrets' };
const namespace = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
const addAccount = (cluster: MemoryCluster, secretNames: string[] = []) =>
  cluster.add({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'robot', namespace: 'shop' },
    ...(secretNames.length > 0 && { secrets: secretNames.map(name => ({ name })) }),
  });
const tokenSecret = (annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'kubernetes.io/service-account-token',
  metadata: { name: 's', namespace: 'shop', annotations: { 'kubernetes.io/service-account.name': 'robot', ...annotations } },
});

test('every active namespace is furnished, and again when the furniture goes', async () => {
  using cluster = await startMemoryCluster({ namespaces: ['old', 'gone'] });
  await cluster.remove(namespace('gone'));
  using controller = namespaceFurnitureController(cluster, { rootCa: 'PEM' });
  await cluster.add(namespace('shop'));
  await controller.idle();
  for (const name of ['old', 'shop']) {
    assert.ok(cluster.peek(accounts, name, 'default'), name);
    assert.deepEqual(cluster.peek(configMaps, name, 'kube-root-ca.crt')?.['data'], { 'ca.crt': 'PEM' });
  }
  assert.equal(cluster.peek(accounts, 'gone', 'default'), undefined);

  await cluster.delete(accounts, { namespace: 'shop', name: 'default' });
  await cluster.delete(configMaps, { namespace: 'shop', name: 'kube-root-ca.crt' });
  const changed = cluster.peek(configMaps, 'old', 'kube-root-ca.crt');
  assert.ok(changed);
  await cluster.put({ ...changed, data: { 'ca.crt': 'forged', more: 'x' } });
  await controller.idle();
  assert.ok(cluster.peek(accounts, 'shop', 'default'));
  assert.ok(cluster.peek(configMaps, 'shop', 'kube-root-ca.crt'));
  assert.deepEqual(cluster.peek(configMaps, 'old', 'kube-root-ca.crt')?.['data'], { 'ca.crt': 'PEM' });
});

test('token secrets are filled, and leave with their account', async () => {
  using cluster = await startMemoryCluster({ namespaces: ['shop'] });
  const tokens = serviceAccountTokens({ signingKey: createKey() });
  using controller = tokenSecretController(cluster, { rootCa: 'PEM', tokens });
  const account = await addAccount(cluster, ['s']);
  await cluster.add(tokenSecret());
  await controller.idle();
  const filled = cluster.peek(secrets, 'shop', 's');
  const data = filled?.['data'] as Record<string, string>;
  const decode = (text: string | undefined) => Buffer.from(text ?? '', 'base64').toString();
  assert.equal(filled?.metadata.annotations?.['kubernetes.io/service-account.uid'], account.metadata.uid);
  assert.deepEqual([decode(data['namespace']), decode(data['ca.crt'])], ['shop', 'PEM']);
  assert.deepEqual(JSON.parse(Buffer.from(decode(data['token']).split('.')[1] ?? '', 'base64url').toString()), {
    iss: 'kubernetes/serviceaccount',
    'kubernetes.io/serviceaccount/namespace': 'shop',
    'kubernetes.io/serviceaccount/secret.name': 's',
    'kubernetes.io/serviceaccount/service-account.name': 'robot',
    'kubernetes.io/serviceaccount/service-account.uid': account.metadata.uid,
    sub: 'system:serviceaccount:shop:robot',
  });

  await cluster.delete(accounts, { namespace: 'shop', name: 'robot' });
  await controller.idle();
  assert.equal(cluster.peek(secrets, 'shop', 's'), undefined);
});

test('a token secret of an account of another life is removed', async () => {
  using cluster = await startMemoryCluster({ namespaces: ['shop'] });
  await addAccount(cluster);
  await cluster.add(tokenSecret({ 'kubernetes.io/service-account.uid': 'uid-1' }));
  using controller = tokenSecretController(cluster, { rootCa: 'PEM', tokens: serviceAccountTokens({ signingKey: createKey() }) });
  await controller.idle();
  assert.equal(cluster.peek(secrets, 'shop', 's'), undefined);
});

test('an account forgets a secret that is gone', async () => {
  using cluster = await startMemoryCluster({ namespaces: ['shop'] });
  await addAccount(cluster, ['s', 'kept']);
  using controller = tokenSecretController(cluster, { rootCa: 'PEM', tokens: serviceAccountTokens({ signingKey: createKey() }) });
  await cluster.add(tokenSecret());
  await controller.idle();
  await cluster.delete(secrets, { namespace: 'shop', name: 's' });
  await controller.idle();
  assert.deepEqual(cluster.peek(accounts, 'shop', 'robot')?.['secrets'], [{ name: 'kept' }]);
});
