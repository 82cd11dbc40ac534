import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WebSocket } from 'ws';
import { ClusterRole, ClusterRoleBinding, ConfigMap, Namespace } from '../../../api/builtin-kinds.ts';
import { newObject } from '../../../api/define-kind.ts';
import type { JsonObject } from '../../../util/json.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { boss, eastId, person, startRancherViewsRig, type RancherViewsRig } from '../../../../test/helpers/rancher-views-rig.ts';
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
        assert.ok(wanted.resourceType !== '' && wanted.debounceMs >= 500);
        assert.equal(typeof keyOf(wanted), 'string');
      },
    ),
  );
});
