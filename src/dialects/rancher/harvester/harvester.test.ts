import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { boss, eastId, person, startRancherViewsRig, type RancherViewsRig } from '../../../../test/helpers/rancher-views-rig.ts';
import { VirtApi } from '../../../../test/helpers/virt-api.ts';
import { ClusterRole, ClusterRoleBinding, ConfigMap, Namespace, PersistentVolumeClaim, RoleBinding } from '../../../api/builtin-kinds.ts';
import { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { ensureHarvester } from '../../../sandbox/harvester/harvester-platform.ts';
import { VirtualMachine, VirtualMachineInstance, VirtualMachineInstanceMigration } from '../../../sandbox/harvester/kubevirt-kinds.ts';
import { playMachines } from '../../../sandbox/harvester/play-machines.ts';
import { playMigrations } from '../../../sandbox/harvester/play-migrations.ts';
import type { JsonObject } from '../../../util/json.ts';

const machines = `/k8s/clusters/${eastId}/v1/harvester/kubevirt.io.virtualmachines`;
const [owner, reader] = [person('owner'), person('reader')];
const group = 'rbac.authorization.k8s.io';

const machine = (name: string, runStrategy: string, disks: readonly string[] = []): VirtualMachine =>
  newObject(
    VirtualMachine,
    { name, namespace: 'shop' },
    {
      runStrategy,
      template: { spec: { volumes: disks.map(disk => ({ name: disk, persistentVolumeClaim: { claimName: `${name}-${disk}` } })) } },
    },
  );
const claim = (name: string, metadata: object = {}): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace: 'shop', ...metadata },
  spec: { accessModes: ['ReadWriteMany'], volumeMode: 'Block', resources: { requests: { storage: '1Gi' } } },
});
const actionsIn = (body: JsonObject) => Object.keys((body['actions'] ?? {}) as JsonObject).sort();

/** For the whole file: one hub, one member that plays Harvester on two nodes, two people in a namespace. */
describe('virtual machines below a member', () => {
  const cleanUp: (() => unknown)[] = [];
  // The rig ends with what it was given as a test.
  const context = { after: (deed: () => unknown) => void cleanUp.unshift(deed) } as unknown as TestContext;
  let rig: RancherViewsRig;
  let client: KubeClient;
  let virt: VirtApi;

  before(async () => {
    rig = await startRancherViewsRig(context, { nodes: 2 });
    ({ client } = rig.member);
    const stop = new AbortController();
    cleanUp.unshift(() => stop.abort());
    const { signal } = stop;
    await ensureHarvester(client, { version: 'v1.9.0', signal });
    const published = await client.get(ConfigMap, { namespace: 'kube-system', name: 'extension-apiserver-authentication' });
    virt = await VirtApi.start(client, published!.data!['requestheader-client-ca-file']!);
    cleanUp.unshift(() => virt[Symbol.asyncDispose]());
    await virt.register();
    for (const name of ['one', 'two'])
      await rig.member.transport
        .request({
          method: 'POST',
          path: '/api/v1/nodes',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ metadata: { name, labels: { 'kubernetes.io/hostname': name } } }),
        })
        .then(({ body }) => body.resume());
    playMachines({ client, signal });
    playMigrations({ client, signal });
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
    for (const [user, role] of Object.entries({ owner: 'admin', reader: 'view' })) {
      const subjects = [{ apiGroup: group, kind: 'User', name: user }];
      await client.create(RoleBinding, {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata: { name: user, namespace: 'shop' },
        roleRef: { apiGroup: group, kind: 'ClusterRole', name: role },
        subjects,
      });
      const sees = { name: `${user}-sees` };
      const rules = [{ apiGroups: [Cluster.group], resources: ['clusters'], verbs: ['get'] }];
      await rig.hub.client.create(ClusterRole, { apiVersion: `${group}/v1`, kind: 'ClusterRole', metadata: sees, rules });
      const roleRef = { apiGroup: group, kind: 'ClusterRole', name: sees.name };
      await rig.hub.client.create(ClusterRoleBinding, {
        apiVersion: `${group}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: sees,
        roleRef,
        subjects,
      });
    }
    await client.create(VirtualMachine, machine('probe', 'Halted'));
    // Roles are put together a moment after their parts are there.
    await eventually(async () => (await shown('probe')).includes('start'));
    await eventually(async () => (await rig.ask(`${machines}/shop/probe`, { as: reader })).status === 200);
  });
  after(async () => {
    for (const deed of cleanUp) await deed();
  });

  const act = (name: string, action: string, body?: unknown, as = owner) =>
    rig.ask(`${machines}/shop/${name}?action=${action}`, {
      as,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  const shown = async (name: string, as = owner) => actionsIn((await rig.ask(`${machines}/shop/${name}`, { as })).body);
  const until = (name: string, ...wanted: string[]) =>
    eventually(
      () => shown(name),
      found => wanted.every(one => (one.startsWith('!') ? !found.includes(one.slice(1)) : found.includes(one))),
    );
  const get = (name: string) => client.get(VirtualMachine, { namespace: 'shop', name });
  const instanceOf = (name: string) => client.get(VirtualMachineInstance, { namespace: 'shop', name });

  test('a machine is started, paused, rebooted, restarted and stopped, and offers what can be done next', async () => {
    await client.create(VirtualMachine, machine('web', 'Halted'));
    assert.deepEqual(await shown('web'), ['clone', 'start']);
    assert.deepEqual([(await act('web', 'start')).status, (await act('web', 'stop')).status], [204, 204]);
    assert.deepEqual((await get('web'))?.spec['runStrategy'], 'Halted');
    await until('web', 'start');
    assert.equal((await act('web', 'start')).status, 204);
    const running = ['clone', 'migrate', 'pause', 'restart', 'softreboot', 'stop'];
    assert.deepEqual(await until('web', 'pause'), running);

    assert.equal((await act('web', 'pause')).status, 204);
    assert.deepEqual(await shown('web'), ['clone', 'migrate', 'restart', 'stop', 'unpause']);
    assert.equal((await act('web', 'unpause')).status, 204);
    assert.equal((await act('web', 'softreboot')).status, 204);
    assert.deepEqual(await shown('web'), running);

    const first = (await instanceOf('web'))?.metadata.uid;
    assert.equal((await act('web', 'restart')).status, 204);
    await eventually(async () => {
      const next = await instanceOf('web');
      return next?.status?.phase === 'Running' && next.metadata.uid !== first;
    });
    await until('web', 'stop');
    assert.equal((await act('web', 'stop')).status, 204);
    const stopped = await get('web');
    assert.equal(stopped?.spec['runStrategy'], 'Halted');
    assert.equal(stopped.metadata.annotations?.['harvesterhci.io/vmRunStrategy'], 'Always');
    await eventually(async () => (await instanceOf('web')) === undefined);
    assert.ok(virt.seen.includes('PUT shop/web pause by owner'), 'the member was asked as the caller');
  });

  test('a list offers for each machine what it can do', async () => {
    const { body } = await rig.ask(`${machines}/shop`, { as: owner });
    const found = (body['data'] as JsonObject[]).map(one => [one['id'], actionsIn(one)]);
    assert.deepEqual(Object.fromEntries(found)['shop/probe'], ['clone', 'start']);
    const everywhere = (await rig.ask(machines, { as: boss })).body['data'] as JsonObject[];
    assert.deepEqual(everywhere.map(one => one['id']).includes('shop/probe'), true);
  });

  test('whoever may not change a machine sees it without actions and is refused', async () => {
    assert.deepEqual(await shown('probe', reader), []);
    const list = (await rig.ask(`${machines}/shop`, { as: reader })).body['data'] as JsonObject[];
    assert.ok(list.length > 0 && list.every(one => actionsIn(one).length === 0));
    for (const action of ['start', 'stop', 'clone']) {
      const { status, body } = await act('probe', action, { targetVm: 'mine' }, reader);
      assert.deepEqual([status, body['type'], body['code'], body['status']], [403, 'error', 'Forbidden', 403]);
    }
    assert.equal((await rig.ask(`${machines}/shop/probe`, { as: reader, method: 'DELETE' })).status, 403);
    const probe = await get('probe');
    assert.deepEqual([probe?.spec['runStrategy'], probe?.metadata.annotations], ['Halted', undefined]);
  });

  test('what is not there, not on offer or not understood is said in the form of Rancher', async () => {
    const answers: [string, unknown, number, string][] = [
      ['explode', {}, 422, 'InvalidAction'],
      ['constructor', {}, 422, 'InvalidAction'],
      ['stop', {}, 422, 'InvalidAction'],
      ['clone', {}, 422, 'InvalidBodyContent'],
      ['clone', { targetVm: 7 }, 422, 'InvalidBodyContent'],
      ['clone', { targetVm: 'Not A Name' }, 422, 'InvalidBodyContent'],
      ['clone', { targetVm: 'mine', runStrategy: 'Sometimes' }, 422, 'InvalidBodyContent'],
      ['clone', '{', 422, 'InvalidBodyContent'],
      ['clone', '[]', 422, 'InvalidBodyContent'],
      ['clone', { targetVm: 'probe' }, 409, 'AlreadyExists'],
    ];
    for (const [action, sent, status, code] of answers) {
      const answer = await act('probe', action, sent);
      assert.deepEqual([answer.status, answer.body['type'], answer.body['code']], [status, 'error', code], action);
    }
    assert.equal((await act('nobody', 'start')).status, 404);
    assert.equal((await rig.ask(`${machines}/shop/nobody`, { as: owner, method: 'DELETE' })).status, 404);
    assert.equal((await rig.ask(`/k8s/clusters/${eastId}/v1/harvester/nonsense`, { as: owner })).status, 404);
    assert.equal((await rig.ask('/k8s/clusters/c-m-nowhere0/v1/harvester/pods', { as: owner })).status, 404);
    assert.equal((await rig.ask(machines)).status, 401);
  });

  test('a machine is deleted with the disks that are named, and with no others', async () => {
    const vm = await client.create(VirtualMachine, machine('db', 'Halted', ['root', 'data', 'logs', 'golden']));
    const ownerReferences = [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'db', uid: vm.metadata.uid ?? '' }];
    for (const disk of ['root', 'data', 'logs']) await client.create(PersistentVolumeClaim, claim(`db-${disk}`, { ownerReferences }));
    const golden = { annotations: { 'harvesterhci.io/goldenImage': 'true' } };
    await client.create(PersistentVolumeClaim, claim('db-golden', golden));
    const search = ['root', 'logs', 'golden', 'nonsense'].map(disk => `removedDisks=${disk}`).join('&');
    assert.equal((await rig.ask(`${machines}/shop/db?${search}`, { as: owner, method: 'DELETE' })).status, 204);

    await eventually(async () => (await get('db')) === undefined);
    // Nobody here takes away what protects a claim that is in use.
    const { items } = await client.list(PersistentVolumeClaim, { namespace: 'shop' });
    const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.name);
    assert.deepEqual(left.sort(), ['db-data', 'db-golden']);
    const kept = await client.get(PersistentVolumeClaim, { namespace: 'shop', name: 'db-data' });
    assert.deepEqual(kept?.metadata.ownerReferences ?? [], [], 'nothing takes it away with the machine');
  });

  test('a clone has disks of its own', async () => {
    await client.create(VirtualMachine, machine('first', 'Halted', ['root']));
    assert.equal((await act('first', 'clone', { targetVm: 'second' })).status, 409, 'without its disk there is nothing to copy');
    assert.equal(await get('second'), undefined);
    await client.create(PersistentVolumeClaim, claim('first-root'));
    assert.equal((await act('first', 'clone', { targetVm: 'second', runStrategy: 'Halted' })).status, 204);
    const copy = await client.get(PersistentVolumeClaim, { namespace: 'shop', name: 'second-root' });
    assert.deepEqual(copy?.spec?.dataSource, { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'first-root' });
    assert.deepEqual((await get('second'))?.spec, machine('second', 'Halted', ['root']).spec);
  });

  test('a machine moves to the node that was named, and a move can be given up', async () => {
    await client.create(VirtualMachine, machine('roamer', 'Always'));
    await until('roamer', 'migrate');
    const from = (await instanceOf('roamer'))?.status?.nodeName ?? '';
    const refused = await act('roamer', 'migrate', { nodeName: from });
    assert.deepEqual([refused.status, refused.body['code']], [422, 'InvalidBodyContent']);
    const to = from === 'one' ? 'two' : 'one';
    assert.equal((await act('roamer', 'migrate', { nodeName: to })).status, 204);
    assert.ok((await until('roamer', 'abortMigration')).every(action => action !== 'migrate'));
    assert.equal((await act('roamer', 'abortMigration')).status, 204);
    await until('roamer', 'migrate', '!abortMigration');
    const { items } = await client.list(VirtualMachineInstanceMigration, { namespace: 'shop' });
    assert.deepEqual(items, []);
    assert.equal((await instanceOf('roamer'))?.status?.nodeName, from);

    assert.equal((await act('roamer', 'migrate', { nodeName: to })).status, 204);
    await eventually(async () => (await instanceOf('roamer'))?.status?.nodeName === to);
  });

  test('everything else below it is as `/v1` shows it', async () => {
    const { status, body, headers } = await rig.ask(`/k8s/clusters/${eastId}/v1/harvester/persistentvolumeclaims/shop`, { as: owner });
    assert.equal(status, 200);
    assert.ok((body['data'] as JsonObject[]).length > 0);
    assert.equal(headers.get('x-api-schemas'), `${rig.url}/k8s/clusters/${eastId}/v1/harvester/schemas`);
    assert.equal((await rig.ask(`/k8s/clusters/${eastId}/v1/harvester/secrets/shop`, { as: person('nobody') })).status, 404);
  });
});
