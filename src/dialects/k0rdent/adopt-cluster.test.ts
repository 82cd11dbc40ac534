import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Secret } from '../../api/builtin-kinds.ts';
import { KubeconfigError, readKubeconfigSecret } from './adopt-cluster.ts';

const kubeconfig = (cluster: object, user: object) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://east.example:6443', ...cluster } }],
    users: [{ name: 'u', user }],
  });
const secret = (data: Record<string, string>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'kcm-system', name: 'east' },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

test('the kubeconfig is found under any single key, and under "value" among several', () => {
  const text = kubeconfig({}, { token: 't' });
  for (const data of [{ anything: text }, { value: text, other: 'x' }])
    assert.equal(readKubeconfigSecret(secret(data)).connection.server, 'https://east.example:6443');
  assert.throws(() => readKubeconfigSecret(secret({})), /Secret kcm-system\/east must have a kubeconfig/);
  assert.throws(() => readKubeconfigSecret(secret({ value: 'a: [' })), KubeconfigError);
  assert.throws(() => readKubeconfigSecret(secret({ value: '{}' })), KubeconfigError);
});

test('files and programs of the hub are not used for others', () => {
  const cases = [
    kubeconfig({ 'certificate-authority': '/etc/passwd' }, { token: 't' }),
    kubeconfig({}, { tokenFile: '/var/run/token' }),
    kubeconfig({}, { 'client-certificate': '/a', 'client-key': '/b' }),
    kubeconfig({}, { exec: { command: 'sh', apiVersion: 'client.authentication.k8s.io/v1' } }),
    kubeconfig({}, { 'auth-provider': { name: 'gcp' } }),
  ];
  for (const text of cases) assert.throws(() => readKubeconfigSecret(secret({ value: text })), /would be a file or program of the hub/);
});
