import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Deployment, Pod, Service } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { cleanChild } from './clean-child.ts';

const namespace = 'default';
const claims = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  resource: 'persistentvolumeclaims',
  scope: 'Namespaced',
} as KindRef;
const replicaSets = { group: 'apps', version: 'v1', kind: 'ReplicaSet', resource: 'replicasets', scope: 'Namespaced' } as KindRef;
const labels = { app: 'db' };
const podSpec = (claim?: string) => ({
  containers: [{ name: 'c', image: 'i' }],
  ...(claim && { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
});
const owner = (kind: string, { metadata }: KubeObject) => ({
  metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind, name: metadata.name!, uid: metadata.uid!, controller: true }] },
});

test('load balancers and volumes go, with what uses them, and nothing else', async t => {
  const { client } = await startMemoryServer(t);
  const create = (kind: KindRef, name: string, rest: object, more: { metadata?: object } = {}) => {
    const { group, version } = kind;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    return client.create(kind, {
      apiVersion,
      kind: kind.kind,
      ...rest,
      metadata: { name, namespace, labels, ...more.metadata },
    } as KubeObject);
  };
  const ports = [{ port: 80 }];
  await create(Service, 'outside', { spec: { type: 'LoadBalancer', ports } });
  await create(Service, 'inside', { spec: { ports } });
  const template = { metadata: { labels }, spec: podSpec('data') };
  const deployment = await create(Deployment, 'db', { spec: { selector: { matchLabels: labels }, template } });
  const set = await create(replicaSets, 'db-1', { spec: { selector: { matchLabels: labels }, template } }, owner('Deployment', deployment));
  await create(Pod, 'db-1-x', { spec: podSpec('data') }, owner('ReplicaSet', set));
  await create(Pod, 'plain', { spec: podSpec() });
  await create(claims, 'data', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } });
  const { signal } = new AbortController();

  assert.deepEqual(await cleanChild(client, signal), ['PersistentVolumeClaim default/data', 'Service default/outside']);
  const left = async (kind: KindRef) =>
    (await client.list(kind, { namespace })).items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(one => one.metadata.name);
  assert.ok((await left(Service)).includes('inside') && !(await left(Service)).includes('outside'));
  assert.deepEqual(await left(Deployment), []);
  assert.ok((await left(Pod)).includes('plain'));
  assert.deepEqual(await left(claims), []);
});
