import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { clusterProviders } from './cluster-providers.ts';

const known: Record<string, string> = {
  'infrastructure.cluster.x-k8s.io/v1beta1/AWSCluster/team/dev': 'infrastructure',
  'controlplane.cluster.x-k8s.io/v1beta1/K0sControlPlane/team/dev-cp': 'control plane',
};
const source = {
  async read({ group, version, kind, namespace, name }: ObjectRef): Promise<KubeObject | undefined> {
    const what = known[`${group}/${version}/${kind}/${namespace}/${name}`];
    return what === undefined ? undefined : ({ apiVersion: `${group}/${version}`, kind, metadata: { name }, spec: { what } } as KubeObject);
  },
};
const whatOf = async (cluster: Parameters<typeof clusterProviders>[0]) =>
  Object.fromEntries(
    Object.entries(await clusterProviders(cluster, source)).map(([name, obj]) => [name, (obj as { spec?: { what?: string } }).spec?.what]),
  );
const both = { InfrastructureProvider: 'infrastructure', KubeadmControlPlane: 'control plane' };
const metadata = { name: 'dev', namespace: 'team' };

test('references of Cluster API lead to what is behind a cluster, whatever its kinds are', async () => {
  const infrastructureRef = { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1', kind: 'AWSCluster', name: 'dev', namespace: 'team' };
  const controlPlaneRef = { apiVersion: 'controlplane.cluster.x-k8s.io/v1beta1', kind: 'K0sControlPlane', name: 'dev-cp' };
  const spec = { infrastructureRef, controlPlaneRef };
  assert.deepEqual(await whatOf({ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', metadata, spec }), both);
});

test('newer references name no version', async () => {
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'dev' };
  const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'K0sControlPlane', name: 'dev-cp' };
  const spec = { infrastructureRef, controlPlaneRef };
  assert.deepEqual(await whatOf({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata, spec }), both);
});

test('what is missing, and what is no cluster of Cluster API, has nothing behind it', async () => {
  const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSCluster', name: 'gone' };
  assert.deepEqual(await whatOf({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata, spec: { infrastructureRef } }), {});
  assert.deepEqual(await whatOf({ apiVersion: 'lib.projectsveltos.io/v1beta1', kind: 'SveltosCluster', metadata, spec: {} }), {});
});
