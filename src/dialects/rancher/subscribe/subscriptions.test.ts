import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WebSocket } from 'ws';
import { ClusterRole, ClusterRoleBinding, ConfigMap, Deployment, Namespace, Pod, RoleBinding, Secret } from '../../../api/builtin-kinds.ts';
import { newObject } from '../../../api/define-kind.ts';
import type { PolicyRule } from '../../../api/kubernetes.ts';
import type { JsonObject } from '../../../util/json.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { boss, eastId, person, projectId, startRancherViewsRig, type RancherViewsRig } from '../../../../test/helpers/rancher-views-rig.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { keyOf, parseSubscription } from './steve-subscription.ts';

const anna = person('anna');

/** The events of a connection, without the pings. */
function heardBy(socket: WebSocket): JsonObject[] {
  const events: JsonObject[] = [];
  socket.on('message', data => {
    const event = JSON.parse(String(data)) as JsonObject;
    if (event['name'] !== 'ping') events.push(event);
  });
  return events;
}

const about = (events: readonly JsonObject[]) =>
  events.map(({ name, data }) => `${String(name)} ${String((data as JsonObject | undefined)?.['id'])}`);

/** Resolves when the server declines, with its code. */
function declined(socket: WebSocket): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  socket.on('error', () => {});
  socket.on('unexpected-response', (_req, res) => resolve(res.statusCode ?? 0));
  return promise;
}

async function mayRead({ hub }: RancherViewsRig, user: string, names: string[]): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const meta = { apiVersion: `${apiGroup}/v1`, metadata: { name: `read-${user}` } };
  const rules = [{ apiGroups: ['management.cattle.io'], resources: ['clusters'], verbs: ['get', 'watch'], resourceNames: names }];
  await hub.client.apply(ClusterRole, { ...meta, kind: 'ClusterRole', rules });
  const roleRef = { apiGroup, kind: 'ClusterRole', name: `read-${user}` };
  await hub.client.apply(ClusterRoleBinding, {
    ...meta,
    kind: 'ClusterRoleBinding',
    roleRef,
    subjects: [{ apiGroup, kind: 'User', name: user }],
  });
}

async function bind(
  { client }: RancherViewsRig['hub'],
  user: string,
  name: string,
  rules: PolicyRule[],
  namespace?: string,
): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  await client.create(ClusterRole, { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  const given = {
    apiVersion: `${apiGroup}/v1`,
    roleRef: { apiGroup, kind: 'ClusterRole', name },
    subjects: [{ apiGroup, kind: 'User', name: user }],
  };
  if (namespace === undefined) await client.create(ClusterRoleBinding, { ...given, kind: 'ClusterRoleBinding', metadata: { name } });
  else await client.create(RoleBinding, { ...given, kind: 'RoleBinding', metadata: { namespace, name } });
}

const cluster = (name: string) => newObject(ManagementCluster, { name }, { displayName: name });

test('a client of /v3/subscribe hears of what there is, of changes and of removals', async t => {
  const rig = await startRancherViewsRig(t);
  const events = heardBy(rig.listen('/v3/subscribe?resourceTypes=cluster', boss));
  await eventually(() => about(events).includes(`resource.change ${eastId}`));
  await rig.hub.client.create(ManagementCluster, cluster('c-m-west0000'));
  await eventually(() => about(events).includes('resource.change c-m-west0000'));
  await rig.hub.client.delete(ManagementCluster, { name: 'c-m-west0000' });
  await eventually(() => about(events).includes('resource.remove c-m-west0000'));
  const [first] = events;
  assert.equal((first!['data'] as JsonObject)['type'], 'cluster');
});

test('nobody hears of what he may not see', async t => {
  const rig = await startRancherViewsRig(t);
  await mayRead(rig, 'anna', ['c-m-west0000']);
  const events = heardBy(rig.listen('/v3/subscribe?resourceTypes=cluster', anna));
  await rig.hub.client.create(ManagementCluster, cluster('c-m-secret00'));
  await rig.hub.client.create(ManagementCluster, cluster('c-m-west0000'));
  await eventually(() => about(events).includes('resource.change c-m-west0000'));
  assert.deepEqual([...new Set(about(events))], ['resource.change c-m-west0000']);
});

test('types that are not there, strangers and plain requests are declined', async t => {
  const rig = await startRancherViewsRig(t);
  assert.equal(await declined(rig.listen('/v3/subscribe?resourceTypes=nothing', boss)), 404);
  assert.equal(await declined(rig.listen('/v3/cluster/c-m-none0000/subscribe', boss)), 404);
  rig.forget('eve');
  assert.equal(await declined(rig.listen('/v3/subscribe', person('eve'))), 401);
  assert.equal(await declined(rig.listen('/v1/subscribe', person('eve'))), 401);
  assert.equal((await rig.ask('/v3/subscribe', { as: boss })).status, 400);
});

for (const path of ['/v3/subscribe', '/v1/subscribe'])
  test(`a connection to ${path} ends when its caller is not known any more`, async t => {
    const rig = await startRancherViewsRig(t);
    const socket = rig.listen(path, anna);
    await once(socket, 'open');
    rig.forget('anna');
    const [code] = (await once(socket, 'close')) as [number];
    assert.equal(code, 1008);
  });

test('namespaces of a member are told below its root', async t => {
  const rig = await startRancherViewsRig(t);
  const events = heardBy(rig.listen(`/v3/cluster/${eastId}/subscribe?resourceTypes=namespace`, boss));
  await eventually(() => about(events).includes('resource.change default'));
  await rig.member.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await eventually(() => about(events).includes('resource.change shop'));
});

const shop = (annotations: Record<string, string | null> = { 'field.cattle.io/projectId': projectId }) => ({
  metadata: { name: 'shop', annotations },
});
const pod = (namespace: string, name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name },
  spec: { containers: [{ name: 'main', image: 'nginx' }] },
});

async function openShop({ member }: RancherViewsRig): Promise<void> {
  for (const one of [shop(), { metadata: { name: 'private' } }])
    await member.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', ...one } as Namespace);
  for (const namespace of ['shop', 'private']) await member.client.create(Pod, pod(namespace, 'one'));
}

test('below a project there is told what its namespaces hold, wherever they move', async t => {
  const rig = await startRancherViewsRig(t);
  await openShop(rig);
  const { client } = rig.member;
  const events = heardBy(rig.listen(`/v3/project/${projectId}/subscribe?resourceTypes=pod&resourceTypes=workload`, boss));
  await eventually(() => about(events).includes('resource.change shop:one'));
  const selector = { matchLabels: { app: 'web' } };
  const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
  const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace: 'shop', name: 'web' }, spec: { selector, template } };
  await client.create(Deployment, web as Deployment);
  await eventually(() => about(events).includes('resource.change deployment:shop:web'));
  const told = events.find(({ data }) => (data as JsonObject)['id'] === 'deployment:shop:web')!['data'] as JsonObject;
  assert.deepEqual([told['type'], told['projectId'], told['namespaceId']], ['deployment', projectId, 'shop']);
  await client.delete(Deployment, { namespace: 'shop', name: 'web' });
  await eventually(() => about(events).includes('resource.remove deployment:shop:web'));

  await client.patch(Namespace, { name: 'shop' }, { type: 'merge', body: shop({ 'field.cattle.io/projectId': null }) });
  await eventually(() => about(events).includes('resource.remove shop:one'));
  await client.create(Pod, pod('shop', 'unheard'));
  const before = events.length;
  await client.patch(Namespace, { name: 'shop' }, { type: 'merge', body: shop() });
  await eventually(() => about(events.slice(before)).includes('resource.change shop:one'));
  await eventually(() => about(events.slice(before)).includes('resource.change shop:unheard'));
  assert.ok(!about(events.slice(0, before)).some(one => one.endsWith('unheard')));
  assert.ok(!JSON.stringify(events).includes('private'));
});

test('members of a project hear of their namespaces what they may see there, and nothing once they have left', async t => {
  const rig = await startRancherViewsRig(t);
  await openShop(rig);
  await bind(rig.hub, 'anna', 'door', [
    { apiGroups: ['drover.io'], resources: ['clusters'], verbs: ['get'], resourceNames: ['east'] },
    { apiGroups: ['management.cattle.io'], resources: ['projects'], verbs: ['get'] },
  ]);
  await bind(rig.member, 'anna', 'shop-namespaces', [
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'], resourceNames: ['shop'] },
  ]);
  await bind(rig.member, 'anna', 'shop-view', [{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }], 'shop');
  const { client } = rig.member;
  await client.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'shop', name: 'door' } });
  const socket = rig.listen(`/v3/projects/${projectId}/subscribe`, anna);
  const [ofProject, ofCluster] = [heardBy(socket), heardBy(rig.listen(`/v3/clusters/${eastId}/subscribe?resourceTypes=namespace`, anna))];
  await eventually(() => about(ofProject).includes('resource.change shop:one') && about(ofCluster).includes('resource.change shop'));
  for (const namespace of ['private', 'shop']) await client.create(Pod, pod(namespace, 'two'));
  await client.patch(Namespace, { name: 'shop' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  await eventually(() => about(ofProject).includes('resource.change shop:two') && JSON.stringify(ofCluster).includes('"a":"b"'));
  assert.deepEqual(new Set(about(ofCluster)), new Set(['resource.change shop']));

  await client.delete(RoleBinding, { namespace: 'shop', name: 'shop-view' });
  await client.create(Pod, pod('shop', 'unseen'));
  await eventually(() => about(ofProject).includes('resource.remove shop:one'));
  assert.ok(!/unseen|private|door/.test(JSON.stringify(ofProject)));

  const closed = once(socket, 'close') as Promise<[number]>;
  await rig.hub.client.delete(ClusterRoleBinding, { name: 'door' });
  assert.equal((await closed)[0], 1008);
  assert.equal(await declined(rig.listen(`/v3/project/${projectId}/subscribe`, anna)), 404);
});

test('a client of /v1/subscribe says what it wants to hear of, and what no more', async t => {
  const rig = await startRancherViewsRig(t);
  const socket = rig.listen('/v1/subscribe', boss);
  const events = heardBy(socket);
  await once(socket, 'open');
  const wanted = { resourceType: 'configmaps', namespace: eastId };
  socket.send(JSON.stringify(wanted));
  await eventually(() => events.some(({ name }) => name === 'resource.start'));
  await rig.hub.client.create(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'one', namespace: eastId },
    data: { a: '1' },
  });
  await eventually(() => about(events).includes(`resource.create ${eastId}/one`));
  await rig.hub.client.patch(ConfigMap, { namespace: eastId, name: 'one' }, { type: 'merge', body: { data: { a: '2' } } });
  await eventually(() => about(events).includes(`resource.change ${eastId}/one`));
  await rig.hub.client.delete(ConfigMap, { namespace: eastId, name: 'one' });
  await eventually(() => about(events).includes(`resource.remove ${eastId}/one`));
  const created = events.find(({ name, data }) => name === 'resource.create' && (data as JsonObject)['id'] === `${eastId}/one`)!;
  assert.deepEqual([created['resourceType'], created['namespace']], ['configmaps', eastId]);
  const metadata = (created['data'] as JsonObject)['metadata'] as JsonObject;
  assert.equal((metadata['fields'] as string[])[0], 'one');
  socket.send(JSON.stringify({ ...wanted, stop: true }));
  await eventually(() => events.some(({ name }) => name === 'resource.stop'));
});

test('in /v1/subscribe rights hold for single names, and refusals are told', async t => {
  const rig = await startRancherViewsRig(t);
  await mayRead(rig, 'anna', [eastId]);
  const socket = rig.listen('/v1/subscribe', anna);
  const events = heardBy(socket);
  await once(socket, 'open');
  socket.send(JSON.stringify({ resourceType: 'management.cattle.io.clusters' }));
  socket.send(JSON.stringify({ resourceType: 'secrets' }));
  socket.send(JSON.stringify({ resourceType: 'nothing' }));
  socket.send('{');
  await rig.hub.client.create(ManagementCluster, cluster('c-m-secret00'));
  await rig.hub.client.patch(ManagementCluster, { name: eastId }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  await eventually(() => about(events).some(one => /^resource\.(create|change) c-m-east/.test(one)));
  const errors = await eventually(
    () => events.filter(({ name }) => name === 'resource.error'),
    found => found.length === 3,
  );
  assert.match(JSON.stringify(errors), /secrets is forbidden/);
  assert.equal(JSON.stringify(events).includes('c-m-secret00'), false);
});

test('a subscription of /v1/subscribe ends when the right to it is taken back', async t => {
  const rig = await startRancherViewsRig(t);
  await mayRead(rig, 'anna', [eastId]);
  const socket = rig.listen('/v1/subscribe', anna);
  const events = heardBy(socket);
  await once(socket, 'open');
  socket.send(JSON.stringify({ resourceType: 'management.cattle.io.clusters' }));
  await eventually(() => about(events).includes(`resource.create ${eastId}`));
  await rig.hub.client.delete(ClusterRoleBinding, { name: 'read-anna' });
  await eventually(() => events.some(({ name }) => name === 'resource.stop'));
  const heard = events.length;
  await rig.hub.client.patch(ManagementCluster, { name: eastId }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  socket.send(JSON.stringify({ resourceType: 'management.cattle.io.clusters' }));
  await eventually(() => events.length > heard && events.at(-1)!['name'] === 'resource.stop');
  assert.match(JSON.stringify(events.slice(heard)), /is forbidden/);
  assert.ok(!JSON.stringify(events.slice(heard)).includes('"a":"b"'));
});

test('one who asks for notifications hears that something changed, not what', async t => {
  const rig = await startRancherViewsRig(t);
  const socket = rig.listen('/v1/subscribe', boss);
  const events = heardBy(socket);
  await once(socket, 'open');
  socket.send(JSON.stringify({ resourceType: 'configmaps', mode: 'resource.changes', debounceMs: 500 }));
  const told = await eventually(() => events.find(({ name }) => name === 'resource.changes'));
  assert.equal(told!['data'], undefined);
});

test('no message makes it fail', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc
          .dictionary(fc.constantFrom('resourceType', 'namespace', 'id', 'debounceMs', 'stop', 'mode'), fc.jsonValue())
          .map(one => JSON.stringify(one) ?? ''),
      ),
      text => {
        const wanted = parseSubscription(text);
        if (!wanted) return;
        assert.ok(wanted.resourceType !== '' && wanted.debounceMs >= 500 && wanted.debounceMs < 2 ** 31);
        assert.equal(typeof keyOf(wanted), 'string');
      },
    ),
    { examples: [['{"resourceType":"pod","debounceMs":1e300}']] },
  );
});
