import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { mountedRefs } from './mounted-refs.ts';

const workload = (pod: object): KubeObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { template: { spec: pod } },
  }) as KubeObject;
const named = (pod: object): string[] => mountedRefs(workload(pod)).map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);

test('files and variables count, each object once', () => {
  const pod = {
    volumes: [
      { configMap: { name: 'files' } },
      { secret: { secretName: 'keys' } },
      { projected: { sources: [{ configMap: { name: 'more' } }, { secret: { name: 'token' } }, { downwardAPI: {} }] } },
      { emptyDir: {} },
    ],
    containers: [
      {
        envFrom: [{ configMapRef: { name: 'files' } }, { secretRef: { name: 'login' } }],
        env: [{ valueFrom: { configMapKeyRef: { name: 'one', key: 'a' } } }, { valueFrom: { fieldRef: {} } }, { name: 'x', value: 'y' }],
      },
    ],
    initContainers: [{ env: [{ valueFrom: { secretKeyRef: { name: 'first', key: 'a' } } }] }],
  };
  assert.deepEqual(named(pod), [
    'ConfigMap shop/files',
    'ConfigMap shop/more',
    'ConfigMap shop/one',
    'Secret shop/keys',
    'Secret shop/token',
    'Secret shop/login',
    'Secret shop/first',
  ]);
});

test('a workload that uses none has none', () => assert.deepEqual(named({ containers: [{}] }), []));
