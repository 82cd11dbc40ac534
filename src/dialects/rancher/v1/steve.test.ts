import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ClusterRole, ClusterRoleBinding, ConfigMap, Namespace, RoleBinding, Secret } from '../../../api/builtin-kinds.ts';
import { Cluster } from '../../../api/cluster.ts';
import type { PolicyRule } from '../../../api/kubernetes.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { JsonObject } from '../../../util/json.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { boss, eastId, person, startRancherViewsRig } from '../../../../test/helpers/rancher-views-rig.ts';
import { NormanError } from '../v3/norman-error.ts';
import { isStevePath, parseSteveTarget } from './steve-target.ts';

const anna = person('anna');
const json = { 'content-type': 'application/json' };
const api = 'rbac.authorization.k8s.io';

async function bind(client: KubeClient, user: string, name: string, rules: PolicyRule[], namespace?: string): Promise<void> {
  await client.apply(ClusterRole, { apiVersion: `${api}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  const binding = { subjects: [{ apiGroup: api, kind: 'User', name: user }], roleRef: { apiGroup: api, kind: 'ClusterRole', name } };
  if (namespace === undefined)
    await client.apply(ClusterRoleBinding, { apiVersion: `${api}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, ...binding });
  else await client.apply(RoleBinding, { apiVersion: `${api}/v1`, kind: 'RoleBinding', metadata: { name, namespace }, ...binding });
}

const configMap = (namespace: string, name: string, labels: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data: { colour: name },
});

const dataOf = (body: JsonObject) => body['data'] as JsonObject[];
const ids = (body: JsonObject) => dataOf(body).map(one => one['id']);

test('the root leads to the schemas, and schemas to collections', async t => {
  const rig = await startRancherViewsRig(t);
  const root = await rig.ask('/v1', { as: boss });
  assert.equal(root.status, 200);
  assert.equal(root.headers.get('x-api-schemas'), `${rig.url}/v1/schemas`);
  const schemas = new Map(dataOf((await rig.ask('/v1/schemas', { as: boss })).body).map(one => [one['id'], one]));
  const cluster = schemas.get('management.cattle.io.cluster')!;
  assert.equal(cluster['pluralName'], 'management.cattle.io.clusters');
  assert.equal((cluster['links'] as JsonObject)['collection'], `${rig.url}/v1/management.cattle.io.clusters`);
  assert.deepEqual(cluster['resourceMethods'], ['GET', 'PUT', 'PATCH', 'DELETE']);
  assert.ok(schemas.has('pod'));
  assert.ok(schemas.has('cluster.x-k8s.io.machine'));
  assert.equal((await rig.ask('/v1/schemas/pod', { as: boss })).body['id'], 'pod');
  assert.deepEqual(dataOf((await rig.ask('/v1/cluster.x-k8s.io.machines', { as: boss })).body), []);
});

test('only types that somebody can use have a schema', async t => {
  const rig = await startRancherViewsRig(t);
  await bind(rig.hub.client, 'anna', 'maps', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }]);
  const found = new Map(dataOf((await rig.ask('/v1/schemas', { as: anna })).body).map(one => [one['id'], one]));
  assert.equal(found.has('secret'), false);
  assert.deepEqual(found.get('configmap')!['collectionMethods'], ['GET']);
  assert.deepEqual(found.get('configmap')!['resourceMethods'], ['GET']);
});

test('objects are as Kubernetes has them, with their state, columns and links', async t => {
  const rig = await startRancherViewsRig(t);
  const { status, body } = await rig.ask(`/v1/management.cattle.io.clusters/${eastId}`, { as: boss });
  assert.equal(status, 200);
  assert.deepEqual([body['id'], body['type'], body['kind']], [eastId, 'management.cattle.io.cluster', 'Cluster']);
  const metadata = body['metadata'] as JsonObject;
  assert.equal((metadata['state'] as JsonObject)['name'], 'active');
  assert.equal((metadata['fields'] as string[])[0], eastId);
  assert.equal(metadata['managedFields'], undefined);
  const links = body['links'] as JsonObject;
  assert.equal(links['self'], `${rig.url}/v1/management.cattle.io.clusters/${eastId}`);
  assert.equal(links['view'], `${rig.url}/apis/management.cattle.io/v3/clusters/${eastId}`);
  assert.ok(links['update'] && links['remove']);
});

test('lists are filtered, sorted and cut into pages', async t => {
  const rig = await startRancherViewsRig(t);
  for (const name of ['a', 'b', 'c']) await rig.hub.client.create(ConfigMap, configMap(eastId, `map-${name}`, { of: name }));
  const ask = async (query: string) => (await rig.ask(`/v1/configmaps/${eastId}?${query}`, { as: boss })).body;
  const wanted = 'filter=metadata.name=map-';
  assert.deepEqual(
    ids(await ask(`${wanted}&sort=-metadata.name`)),
    ['c', 'b', 'a'].map(name => `${eastId}/map-${name}`),
  );
  const page = await ask(`${wanted}&sort=metadata.name&pagesize=2&page=2`);
  assert.deepEqual([ids(page), page['count'], page['pages']], [[`${eastId}/map-c`], 3, 2]);
  assert.deepEqual(ids(await ask('labelSelector=of=b')), [`${eastId}/map-b`]);
  const [without] = dataOf(await ask(`${wanted}&exclude=data&limit=1`));
  assert.equal(without!['data'], undefined);
  const first = await ask('limit=1');
  assert.equal(dataOf(first).length, 1);
  assert.ok(Number(first['count']) > 1);
  assert.ok(ids(await ask(`limit=1&continue=${encodeURIComponent(String(first['continue']))}`))[0] !== ids(first)[0]);
});

test('lists are narrowed to projects and namespaces', async t => {
  const rig = await startRancherViewsRig(t);
  const { client } = rig.member;
  const namespace = (name: string, metadata: object) =>
    client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...metadata } });
  await namespace('annotated', { annotations: { 'field.cattle.io/projectId': `${eastId}:p-shop0` } });
  await namespace('labelled', { labels: { 'field.cattle.io/projectId': 'p-shop0' } });
  await namespace('other', {});
  for (const one of ['annotated', 'labelled', 'other']) await client.create(ConfigMap, configMap(one, 'map'));
  const ask = async (query: string) =>
    ids((await rig.ask(`/k8s/clusters/${eastId}/v1/configmaps?filter=metadata.name='map'&${query}`, { as: boss })).body);
  assert.deepEqual(await ask('projectsornamespaces=p-shop0'), ['annotated/map', 'labelled/map']);
  assert.deepEqual(await ask('projectsornamespaces=other,p-none0'), ['other/map']);
  assert.deepEqual(await ask('projectsornamespaces!=p-shop0'), ['other/map']);
});

test('a list that takes several answers is one list', async t => {
  const rig = await startRancherViewsRig(t);
  // The only one that a controller makes.
  await eventually(() => rig.hub.client.get(ConfigMap, { namespace: eastId, name: 'kube-root-ca.crt' }));
  const names = Array.from({ length: 1100 }, (_, i) => `many-${i}`);
  await Promise.all(names.map(name => rig.hub.client.create(ConfigMap, configMap(eastId, name))));
  const all = (await rig.hub.client.list(ConfigMap, { namespace: eastId })).items.length;
  const whole = (await rig.ask(`/v1/configmaps/${eastId}?exclude=data`, { as: boss })).body;
  assert.deepEqual([new Set(ids(whole)).size, whole['count'], whole['continue']], [all, all, undefined]);
  const part = (await rig.ask(`/v1/configmaps/${eastId}?limit=1050`, { as: boss })).body;
  assert.deepEqual([dataOf(part).length, part['count']], [1050, all]);
  const rest = (await rig.ask(`/v1/configmaps/${eastId}?continue=${encodeURIComponent(String(part['continue']))}`, { as: boss })).body;
  assert.equal(new Set([...ids(part), ...ids(rest)]).size, all);
});

test('who has rights in single namespaces lists those', async t => {
  const rig = await startRancherViewsRig(t);
  const maps = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list'] }];
  await rig.hub.client.create(ConfigMap, configMap(eastId, 'mine'));
  await bind(rig.hub.client, 'anna', 'door', [
    { apiGroups: ['management.cattle.io'], resources: ['clusters'], verbs: ['get'], resourceNames: [eastId] },
  ]);
  await bind(rig.hub.client, 'anna', 'maps', maps, eastId);
  const { body } = await rig.ask('/v1/configmaps?filter=metadata.name=mine', { as: anna });
  assert.deepEqual(ids(body), [`${eastId}/mine`]);
  assert.deepEqual(ids((await rig.ask('/v1/management.cattle.io.clusters', { as: anna })).body), [eastId]);
  assert.deepEqual(ids((await rig.ask('/v1/management.cattle.io.clusters?labelSelector=of=nobody', { as: anna })).body), []);
  assert.equal((await rig.ask('/v1/management.cattle.io.clusters?labelSelector=(', { as: anna })).status, 400);
  const refused = await rig.ask('/v1/secrets', { as: anna });
  assert.deepEqual([refused.status, refused.body['code'], refused.body['type']], [403, 'Forbidden', 'error']);
});

test('objects are made, changed, patched and removed', async t => {
  const rig = await startRancherViewsRig(t);
  const send = (method: string, path: string, body: object, headers = json) =>
    rig.ask(path, { as: boss, method, headers, body: JSON.stringify(body) });
  const made = await send('POST', '/v1/configmaps', { type: 'configmap', metadata: { name: 'new', namespace: eastId }, data: { a: '1' } });
  assert.equal(made.status, 201);
  const path = `/v1/configmaps/${eastId}/new`;
  const changed = await send('PUT', path, { ...made.body, data: { a: '2' } });
  assert.deepEqual([changed.status, changed.body['data']], [200, { a: '2' }]);
  const patched = await send('PATCH', path, { data: { b: '3' } }, { 'content-type': 'application/merge-patch+json' });
  assert.deepEqual(patched.body['data'], { a: '2', b: '3' });
  assert.equal((await send('PATCH', path, {}, { 'content-type': 'text/plain' })).status, 415);
  assert.ok([200, 204].includes((await rig.ask(path, { as: boss, method: 'DELETE' })).status));
  assert.equal((await rig.ask(path, { as: boss })).status, 404);
});

test('a field of the object that is called like one of ours keeps its value', async t => {
  const rig = await startRancherViewsRig(t);
  const send = (method: string, path: string, body: object) =>
    rig.ask(path, { as: boss, method, headers: json, body: JSON.stringify(body) });
  const made = await send('POST', '/v1/secrets', { _type: 'example.com/kind', metadata: { name: 'one', namespace: eastId } });
  assert.deepEqual([made.body['type'], made.body['_type']], ['secret', 'example.com/kind']);
  assert.equal((await rig.hub.client.get(Secret, { namespace: eastId, name: 'one' }))!.type, 'example.com/kind');
  assert.equal((await send('PUT', `/v1/secrets/${eastId}/one`, made.body)).status, 200);
});

test('errors have the form of /v1', async t => {
  const rig = await startRancherViewsRig(t);
  const missing = await rig.ask('/v1/nothing.of.the.kind', { as: boss });
  assert.deepEqual({ ...missing.body, message: '' }, { type: 'error', links: {}, code: 'NotFound', message: '', status: 404 });
  assert.equal((await rig.ask('/v1/pods')).status, 401);
  assert.equal((await rig.ask('/v1/configmaps/a%2Fb', { as: boss })).status, 400);
  assert.equal((await rig.ask('/v1/pods?action=remove', { as: boss, method: 'POST', headers: json, body: '{}' })).status, 422);
});

test('counts say how many there are of each type, as far as somebody may see', async t => {
  const rig = await startRancherViewsRig(t);
  for (const name of ['a', 'b']) await rig.hub.client.create(ConfigMap, configMap(eastId, name));
  await bind(rig.hub.client, 'anna', 'maps', [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }]);
  const [counts] = dataOf((await rig.ask('/v1/counts', { as: anna })).body);
  const all = (await rig.hub.client.list(ConfigMap)).items.length;
  assert.deepEqual(Object.keys(counts!['counts'] as JsonObject), ['configmap']);
  assert.equal(((counts!['counts'] as JsonObject)['configmap'] as { summary: { count: number } }).summary.count, all);
});

test('a member has a /v1 of its own, with the rights that somebody has there', async t => {
  const rig = await startRancherViewsRig(t);
  await rig.member.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await rig.member.client.create(ConfigMap, configMap('shop', 'there'));
  const path = `/k8s/clusters/${eastId}/v1`;
  const found = await rig.ask(`${path}/configmaps/shop/there`, { as: boss });
  assert.equal((found.body['links'] as JsonObject)['self'], `${rig.url}${path}/configmaps/shop/there`);
  assert.equal((await rig.ask(`${path}/configmaps`, { as: anna })).status, 404);
  await bind(rig.hub.client, 'anna', 'door', [{ apiGroups: [Cluster.group], resources: ['clusters'], verbs: ['get'] }]);
  assert.equal((await rig.ask(`${path}/configmaps`, { as: anna })).status, 403);
});

test('no path leads anywhere but to /v1', () => {
  assert.equal(isStevePath('/v1x'), false);
  assert.equal(isStevePath('/k8s/clusters/a/b/v1'), false);
  const part = fc.constantFrom('v1', 'k8s', 'clusters', 'pods', '..', '%2e%2e', '%2f', 'a', '', '%zz', '?x=1');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), parts => {
      const url = `/${parts.join('/')}`;
      if (!isStevePath(url.split('?', 1)[0]!)) return;
      try {
        const { segments } = parseSteveTarget(url);
        assert.ok(segments.every(one => one !== '' && one !== '..' && !one.includes('/')));
      } catch (error) {
        assert.ok(error instanceof NormanError);
      }
    }),
  );
});
