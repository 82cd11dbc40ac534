import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Deployment, Namespace, Pod, RoleBinding, Secret } from '../../../../api/builtin-kinds.ts';
import { Cluster } from '../../../../api/cluster.ts';
import type { PolicyRule } from '../../../../api/kubernetes.ts';
import type { JsonObject } from '../../../../util/json.ts';
import type { KubeClient } from '../../../../client/kube-client.ts';
import {
  boss,
  eastId,
  person,
  projectId,
  startRancherViewsRig,
  type RancherViewsRig,
} from '../../../../../test/helpers/rancher-views-rig.ts';
import { Project } from '../../kinds/project.ts';
import { ReplicaSet } from './workload-kinds.ts';

const anna = person('anna');
const inShop = { 'field.cattle.io/projectId': projectId };
const json = { 'content-type': 'application/json' };

const namespace = (name: string, annotations: Record<string, string> = {}): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations },
});

async function grant(client: KubeClient, user: string, name: string, rules: PolicyRule[], place?: string): Promise<void> {
  const api = 'rbac.authorization.k8s.io';
  await client.apply(ClusterRole, { apiVersion: `${api}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  const subjects = [{ apiGroup: api, kind: 'User', name: user }];
  const roleRef = { apiGroup: api, kind: 'ClusterRole', name };
  if (place === undefined)
    await client.apply(ClusterRoleBinding, { apiVersion: `${api}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, subjects, roleRef });
  else
    await client.apply(RoleBinding, {
      apiVersion: `${api}/v1`,
      kind: 'RoleBinding',
      metadata: { name, namespace: place },
      subjects,
      roleRef,
    });
}

const rule = (group: string, resources: string[], verbs: string[], resourceNames?: string[]): PolicyRule => ({
  apiGroups: [group],
  resources,
  verbs,
  ...(resourceNames && { resourceNames }),
});

/** Anna may know the cluster and its project on the hub, and sees two namespaces of the member, one of them in the project. */
async function admitAnna({ hub, member }: RancherViewsRig): Promise<void> {
  await grant(hub.client, 'anna', 'door', [
    rule(Cluster.group, ['clusters'], ['get'], ['east']),
    rule(Project.group, ['projects'], ['get']),
  ]);
  await member.client.create(Namespace, namespace('shop', inShop));
  await member.client.create(Namespace, namespace('private'));
  await grant(member.client, 'anna', 'shop-namespaces', [rule('', ['namespaces'], ['get'], ['shop'])]);
  await grant(
    member.client,
    'anna',
    'shop-view',
    [rule('', ['pods'], ['get', 'list']), rule('apps', ['deployments', 'replicasets', 'statefulsets', 'daemonsets'], ['get', 'list'])],
    'shop',
  );
}

const dataOf = (body: JsonObject) => body['data'] as JsonObject[];
const names = (body: JsonObject) => dataOf(body).map(one => one['name']);

test('a root below a cluster leads clients to its own schemas', async t => {
  const rig = await startRancherViewsRig(t);
  const { status, headers, body } = await rig.ask(`/v3/cluster/${eastId}/schemas`, { as: boss });
  assert.equal(status, 200);
  assert.equal(headers.get('x-api-schemas'), `${rig.url}/v3/cluster/${eastId}/schemas`);
  const schemas = new Map(dataOf(body).map(one => [one['id'], one]));
  for (const id of ['namespace', 'persistentVolume', 'storageClass', 'namespaceMove']) assert.ok(schemas.has(id), id);
  const { links, collectionMethods, resourceActions } = schemas.get('namespace')! as {
    links: JsonObject;
    collectionMethods: string[];
    resourceActions: JsonObject;
  };
  assert.equal(links['collection'], `${rig.url}/v3/cluster/${eastId}/namespaces`);
  assert.deepEqual(collectionMethods, ['GET', 'POST']);
  assert.deepEqual(resourceActions, { move: { input: 'namespaceMove' } });
});

test('namespaces say which project they are in and how they are', async t => {
  const rig = await startRancherViewsRig(t);
  await rig.member.client.create(Namespace, namespace('shop', { ...inShop, 'field.cattle.io/description': 'Where we sell' }));
  const { body } = await rig.ask(`/v3/clusters/${eastId}/namespaces/shop`, { as: boss });
  assert.equal(body['projectId'], projectId);
  assert.equal(body['description'], 'Where we sell');
  assert.equal(body['state'], 'active');
  assert.equal(body['type'], 'namespace');
  assert.equal((body['links'] as JsonObject)['self'], `${rig.url}/v3/cluster/${eastId}/namespaces/shop`);
  assert.ok((body['actions'] as JsonObject)['move']);
});

test('a namespace is made in a project, moved to none, and removed', async t => {
  const rig = await startRancherViewsRig(t);
  const made = await rig.ask(`/v3/cluster/${eastId}/namespaces`, {
    as: boss,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'stock', projectId, description: 'What we have' }),
  });
  assert.equal(made.status, 201);
  const { metadata } = (await rig.member.client.get(Namespace, { name: 'stock' }))!;
  assert.equal(metadata.annotations?.['field.cattle.io/projectId'], projectId);
  assert.equal(metadata.labels?.['field.cattle.io/projectId'], 'p-shop0');

  const path = `/v3/cluster/${eastId}/namespaces/stock`;
  const moved = await rig.ask(`${path}?action=move`, {
    as: boss,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ projectId: null }),
  });
  assert.equal(moved.status, 204);
  const after = (await rig.member.client.get(Namespace, { name: 'stock' }))!;
  assert.equal(after.metadata.annotations?.['field.cattle.io/projectId'], undefined);
  assert.equal(after.metadata.labels?.['field.cattle.io/projectId'], undefined);
  assert.equal(after.metadata.annotations?.['field.cattle.io/description'], 'What we have');

  const put = await rig.ask(path, { as: boss, method: 'PUT', headers: json, body: JSON.stringify({ projectId }) });
  assert.equal(put.body['projectId'], projectId);
  assert.ok([200, 204].includes((await rig.ask(path, { as: boss, method: 'DELETE' })).status));
});

test('a project of another cluster, or one that is not there, is refused and nothing changes', async t => {
  const rig = await startRancherViewsRig(t);
  await rig.member.client.create(Namespace, namespace('shop', inShop));
  for (const wrong of ['c-m-west0000:p-shop0', `${eastId}:p-none0`, 'p-shop0', `${projectId}:x`, '../../x']) {
    const { status, body } = await rig.ask(`/v3/cluster/${eastId}/namespaces/shop?action=move`, {
      as: boss,
      method: 'POST',
      headers: json,
      body: JSON.stringify({ projectId: wrong }),
    });
    assert.deepEqual([status, body['code'], body['fieldName']], [422, 'InvalidReference', 'projectId'], wrong);
  }
  const { metadata } = (await rig.member.client.get(Namespace, { name: 'shop' }))!;
  assert.equal(metadata.annotations?.['field.cattle.io/projectId'], projectId);
});

test('moving needs the right to change the namespace on the member', async t => {
  const rig = await startRancherViewsRig(t);
  await admitAnna(rig);
  const { status, body } = await rig.ask(`/v3/cluster/${eastId}/namespaces/shop?action=move`, {
    as: anna,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ projectId: null }),
  });
  assert.equal(status, 403);
  assert.match(String(body['message']), /cannot update resource "namespaces"/);
});

test('who may see single namespaces sees those', async t => {
  const rig = await startRancherViewsRig(t);
  await admitAnna(rig);
  assert.deepEqual(names((await rig.ask(`/v3/cluster/${eastId}/namespaces`, { as: anna })).body), ['shop']);
  assert.equal((await rig.ask(`/v3/cluster/${eastId}/namespaces/private`, { as: anna })).status, 404);
});

test('a cluster that somebody may not know of is not there', async t => {
  const rig = await startRancherViewsRig(t);
  for (const path of [`/v3/cluster/${eastId}/namespaces`, `/v3/project/${projectId}/pods`, `/v3/cluster/c-m-none0000/namespaces`])
    assert.equal((await rig.ask(path, { as: person('eve') })).status, 404, path);
  assert.equal((await rig.ask(`/v3/cluster/${eastId}/namespaces`)).status, 401);
});

test('a project that somebody may not see is not there, though the cluster is', async t => {
  const rig = await startRancherViewsRig(t);
  await grant(rig.hub.client, 'eve', 'eve-door', [rule(Cluster.group, ['clusters'], ['get'])]);
  assert.equal((await rig.ask(`/v3/project/${projectId}/pods`, { as: person('eve') })).status, 404);
});

const podSpec = { containers: [{ name: 'web', image: 'nginx:1' }] };
const template = { metadata: { labels: { app: 'web' } }, spec: podSpec };
const deployment = (place: string): Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: place },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template },
});

test('workloads of a project are those of its namespaces, with what ps prints', async t => {
  const rig = await startRancherViewsRig(t);
  await admitAnna(rig);
  for (const place of ['shop', 'private']) await rig.member.client.create(Deployment, deployment(place));
  for (const as of [boss, anna]) {
    const { body } = await rig.ask(`/v3/project/${projectId}/workloads`, { as });
    const [web, ...more] = dataOf(body);
    assert.deepEqual(more, []);
    assert.equal(web!['id'], 'deployment:shop:web');
    assert.deepEqual([web!['type'], web!['baseType']], ['deployment', 'workload']);
    assert.deepEqual([web!['namespaceId'], web!['projectId'], web!['scale']], ['shop', projectId, 2]);
    assert.equal((web!['containers'] as JsonObject[])[0]!['image'], 'nginx:1');
  }
  assert.equal((await rig.ask(`/v3/projects/${projectId}/workloads/deployment:private:web`, { as: boss })).status, 404);
});

test('pods without a workload are found by an empty workloadId', async t => {
  const rig = await startRancherViewsRig(t);
  await rig.member.client.create(Namespace, namespace('shop', inShop));
  const copies = await rig.member.client.create(ReplicaSet, {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-7d9', namespace: 'shop' },
    spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template },
  });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-7d9', uid: copies.metadata.uid, controller: true };
  const pod = (name: string, metadata: object): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', ...metadata },
    spec: podSpec,
  });
  await rig.member.client.create(Pod, pod('lonely', {}));
  await rig.member.client.create(Pod, pod('web-7d9-x', { labels: { 'pod-template-hash': '7d9' }, ownerReferences: [owner] }));
  const all = await rig.ask(`/v3/project/${projectId}/pods`, { as: boss });
  assert.deepEqual(
    dataOf(all.body)
      .map(one => one['workloadId'])
      .sort(),
    ['deployment:shop:web', null],
  );
  const orphans = await rig.ask(`/v3/project/${projectId}/pods?workloadId=&removed_null=1&system=false`, { as: boss });
  assert.deepEqual(names(orphans.body), ['lonely']);
});

test('of Secrets there are names and keys, never what is in them', async t => {
  const rig = await startRancherViewsRig(t);
  await rig.member.client.create(Namespace, namespace('shop', inShop));
  const hidden = Buffer.from('do not tell').toString('base64');
  await rig.member.client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'till', namespace: 'shop', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': hidden } },
    data: { pin: hidden },
  });
  const { body } = await rig.ask(`/v3/project/${projectId}/namespacedsecrets`, { as: boss });
  assert.deepEqual(dataOf(body)[0]!['dataKeys'], ['pin']);
  assert.equal(JSON.stringify(body).includes(hidden), false);
  assert.deepEqual(names((await rig.ask(`/v3/project/${projectId}/secrets`, { as: boss })).body), []);
});

test('storage classes and volumes are shown, made and removed', async t => {
  const rig = await startRancherViewsRig(t);
  const path = `/v3/cluster/${eastId}/storageclasses`;
  const made = await rig.ask(path, {
    as: boss,
    method: 'POST',
    headers: json,
    body: JSON.stringify({ name: 'fast', provisioner: 'example.com/disk' }),
  });
  assert.equal(made.status, 201);
  assert.deepEqual([made.body['id'], made.body['provisioner'], made.body['state']], ['fast', 'example.com/disk', 'active']);
  assert.equal((await rig.ask(`${path}/fast`, { as: boss, method: 'DELETE' })).status, 204);
  assert.deepEqual(names((await rig.ask(`/v3/cluster/${eastId}/persistentvolumes`, { as: boss })).body), []);
});
