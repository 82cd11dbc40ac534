import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemberWorld, type MemberWorld } from '../../../test/helpers/member-world.ts';
import { ClusterRole, ClusterRoleBinding, Namespace, Secret, ServiceAccount } from '../../api/builtin-kinds.ts';
import { Cluster, clusterAnnotations } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from './cluster-id.ts';
import { credentialSecretName, joinMember, rehearseJoin, type JoinRequest } from './join-member.ts';
import { rehearseUnjoin, unjoinMember } from './unjoin-member.ts';

const request = (changes: Partial<JoinRequest> = {}): JoinRequest => ({
  name: 'east',
  labels: { env: 'prod' },
  connection: { server: 'https://east.example' },
  timeoutMs: 10_000,
  signal: AbortSignal.timeout(60_000),
  ...changes,
});

const unjoin = (changes = {}) => ({ name: 'east', isForced: false, timeoutMs: 20_000, signal: AbortSignal.timeout(60_000), ...changes });

/** Everything that a join leaves on either side. */
async function traces({ hub, member }: MemberWorld): Promise<string[]> {
  const managed = { labelSelector: 'app.kubernetes.io/managed-by=drover' };
  const found = await Promise.all([
    hub.client.list(Cluster).then(({ items }) => items.map(one => `hub cluster ${one.metadata.name}`)),
    hub.client.list(Namespace, managed).then(({ items }) => items.map(() => 'hub namespace')),
    ...[Namespace, ClusterRole, ClusterRoleBinding, ServiceAccount, Secret].map(kind =>
      member.client.list(kind, managed).then(({ items }) => items.map(one => `member ${kind.resource} ${one.metadata.name}`)),
    ),
  ]);
  return found.flat();
}

const nothingLeft = (world: MemberWorld) =>
  eventually(
    () => traces(world),
    found => found.length === 0,
    { what: 'what was left behind' },
  );

/** A client whose calls fail from the n-th on, as when the program is killed, or just that one. */
function failing(client: KubeClient, nth: number, isFailing: (call: number) => boolean = call => call >= nth): KubeClient {
  let calls = 0;
  return new Proxy(client, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function' || typeof name === 'symbol') return method;
      return (...args: unknown[]) =>
        isFailing(++calls) ? Promise.reject(new Error('killed')) : (method as (...args: unknown[]) => unknown)(...args);
    },
  });
}

test('a join keeps nothing but the token of an account of its own', async t => {
  const { hub, member } = await startMemberWorld(t);
  const cluster = await joinMember(hub.client, member.client, request());
  assert.equal(cluster.metadata.labels?.env, 'prod');
  assert.equal(cluster.metadata.annotations?.[clusterAnnotations.joining], undefined);

  const id = clusterId(cluster);
  const { data } = (await hub.client.get(Secret, { namespace: id, name: credentialSecretName }))!;
  const memberSecret = await member.client.get(Secret, { namespace: 'drover-system', name: `drover-${id}` });
  assert.deepEqual(data, { token: memberSecret?.data?.token });
});

test('unjoin leaves nothing on either side', async t => {
  const world = await startMemberWorld(t);
  const { hub, member } = world;
  await joinMember(hub.client, member.client, request());
  await unjoinMember(hub.client, unjoin());
  await nothingLeft(world);
});

test('a name that is taken, and a cluster that is a member, are refused before anything is changed', async t => {
  const world = await startMemberWorld(t);
  const { hub, member } = world;
  await hub.client.create(Cluster, newObject(Cluster, { name: 'east' }, { connection: { mode: 'Tunnel' } }));
  await assert.rejects(joinMember(hub.client, member.client, request()), /there is another cluster "east" already/);
  await joinMember(hub.client, member.client, request({ name: 'west' }));
  const before = await traces(world);
  await eventually(async () => (await hub.client.get(Cluster, { name: 'west' }))?.status?.uid);
  await assert.rejects(joinMember(hub.client, member.client, request({ name: 'north' })), /is a member already, as "west"/);
  assert.deepEqual(await traces(world), before);
});

test('a rehearsal changes nothing on either side, and is refused what the real thing would be', async t => {
  const world = await startMemberWorld(t);
  const { hub, member } = world;
  const before = await traces(world);
  for (const asksHub of [false, true]) await rehearseJoin(hub.client, member.client, request(), { asksHub });
  assert.deepEqual(await traces(world), before);
  const wrong = request({ labels: { 'not a label': 'x' } });
  await rehearseJoin(hub.client, member.client, wrong, { asksHub: false });
  await assert.rejects(rehearseJoin(hub.client, member.client, wrong, { asksHub: true }), /Invalid value/);
  await assert.rejects(rehearseUnjoin(hub.client, unjoin(), { asksHub: false }), /there is no cluster "east"/);

  await joinMember(hub.client, member.client, request());
  const joined = await traces(world);
  for (const asksHub of [false, true]) await rehearseUnjoin(hub.client, unjoin({ isForced: true }), { asksHub });
  assert.deepEqual(await traces(world), joined);
  assert.equal((await hub.client.get(Cluster, { name: 'east' }))?.metadata.deletionTimestamp, undefined);
});

test('somebody who may not join is told what is missing, and nothing is changed', async t => {
  const world = await startMemberWorld(t);
  const { hub, member } = world;
  const reader: KubeClient = {
    ...member.client,
    create: async (kind, obj) => (kind.kind === 'SelfSubjectAccessReview' ? { ...obj, status: { allowed: false } } : obj),
  };
  await assert.rejects(joinMember(hub.client, reader, request()), /may not create namespaces, nor create serviceaccounts in namespace/);
  assert.deepEqual(await traces(world), []);
});

test('a member that the hub cannot reach is taken back', async t => {
  const world = await startMemberWorld(t);
  world.cut();
  const joining = joinMember(world.hub.client, world.member.client, request({ timeoutMs: 1_000 }));
  await assert.rejects(joining, /the hub cannot reach the cluster: The API server does not answer: the wire is cut/);
  await nothingLeft(world);
});

test('a join that fails at any call on the member leaves nothing behind', async t => {
  const world = await startMemberWorld(t);
  const { hub, member } = world;
  for (let nth = 1; ; nth++) {
    const flaky = failing(member.client, nth, call => call === nth);
    const error = await joinMember(hub.client, flaky, request()).catch((problem: unknown) => problem);
    if (!(error instanceof Error)) return assert.ok(nth > 10, `failed at ${nth} calls`);
    assert.match(error.message, /killed/);
    await nothingLeft(world);
  }
});

test('a join that was killed at any call on the hub is completed by the next', async t => {
  const { hub, member } = await startMemberWorld(t);
  for (let nth = 1; ; nth++) {
    const killed = await joinMember(failing(hub.client, nth), member.client, request()).catch((problem: unknown) => problem);
    if (!(killed instanceof Error)) return assert.ok(nth > 5, `was killed at ${nth} calls`);
    const cluster = await joinMember(hub.client, member.client, request());
    const credential = await hub.client.get(Secret, { namespace: clusterId(cluster), name: credentialSecretName });
    assert.ok(credential?.data?.token);
    await unjoinMember(hub.client, unjoin());
  }
});

test('a cluster that belongs to somebody else is removed by its owner', async t => {
  const { hub } = await startMemberWorld(t);
  const owner = { apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', name: 'east', uid: 'u', controller: true };
  await hub.client.create(Cluster, newObject(Cluster, { name: 'east', ownerReferences: [owner] }, { connection: { mode: 'Tunnel' } }));
  await assert.rejects(unjoinMember(hub.client, unjoin()), /belongs to Cluster "east" of cluster.karmada.io\/v1alpha1/);
});

test('a cluster that does not exist cannot be unjoined', async t => {
  const { hub } = await startMemberWorld(t);
  await assert.rejects(unjoinMember(hub.client, unjoin({ name: 'nobody' })), /there is no cluster "nobody"/);
});

test('an invalid label is refused by the hub before anything is changed', async t => {
  const world = await startMemberWorld(t);
  const joining = joinMember(world.hub.client, world.member.client, request({ labels: { env: 'not a label' } }));
  await assert.rejects(joining, (error: unknown) => error instanceof StatusError && error.code === 422);
  assert.deepEqual(await traces(world), []);
});
