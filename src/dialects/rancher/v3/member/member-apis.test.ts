import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { Namespace } from '../../../../api/builtin-kinds.ts';
import { Cluster, clusterConditions } from '../../../../api/cluster.ts';
import { newObject } from '../../../../api/define-kind.ts';
import { StatusError } from '../../../../api/status.ts';
import type { HubAccess } from '../../../../auth/hub-access.ts';
import type { UserInfo } from '../../../../auth/user.ts';
import { UnreachableError, type Transport, type TransportRequest } from '../../../../client/transport.ts';
import { boss, eastId, person, startRancherViewsRig } from '../../../../../test/helpers/rancher-views-rig.ts';
import { memberApis } from './member-apis.ts';

const anna: UserInfo = {
  name: 'u-anna0',
  groups: ['system:authenticated', 'genericoidc_group://shop'],
  extra: { 'authentication.kubernetes.io/credential-id': ['x'] },
};
const open: Pick<HubAccess, 'authorize'> = { authorize: async () => ({ allowed: true, reason: '' }) };

function clusterThatIs(status: 'True' | 'False'): Cluster {
  const cluster = newObject(Cluster, { name: 'east', uid: 'u1' }, { id: eastId, connection: { mode: 'Direct', server: 'https://east' } });
  const condition = { type: clusterConditions.connected, status, reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  return { ...cluster, status: { conditions: [condition] } };
}

/** Notes what it was asked and answers with an empty list. */
function notingTransport(asked: TransportRequest[]): Transport {
  return {
    async request(req) {
      asked.push(req);
      return { status: 200, headers: {}, body: Readable.from([Buffer.from('{"kind":"List","items":[]}')]) };
    },
    upgrade: () => Promise.reject(new Error('not here')),
    async [Symbol.asyncDispose]() {},
  };
}

async function askedOf(cluster: Cluster): Promise<TransportRequest> {
  const asked: TransportRequest[] = [];
  const apis = memberApis({ access: open as HubAccess, findCluster: () => cluster, transportOf: () => notingTransport(asked) });
  const { client } = await apis.open(anna, eastId);
  await client.request({
    method: 'GET',
    path: '/api',
    headers: { 'impersonate-user': 'system:admin', 'impersonate-group': 'system:masters' },
  });
  return asked[0]!;
}

test('a member is asked as the caller, whatever a request says', async () => {
  const { headers } = await askedOf(clusterThatIs('True'));
  assert.equal(headers!['impersonate-user'], 'u-anna0');
  assert.deepEqual(headers!['impersonate-group'], ['system:authenticated', 'genericoidc_group://shop']);
  assert.ok(!Object.keys(headers!).some(name => name.startsWith('impersonate-extra-')));
});

test('nobody waits long for a member that is known to be lost', async () => {
  assert.equal((await askedOf(clusterThatIs('False'))).answerTimeoutMs, 4000);
  assert.notEqual((await askedOf(clusterThatIs('True'))).answerTimeoutMs, 4000);
});

test('a member without a way to it is unavailable, and one that nobody may know is not there', async () => {
  const unreachable = () => {
    throw new UnreachableError('no agent is connected');
  };
  const find = () => clusterThatIs('False');
  await assert.rejects(
    memberApis({ access: open as HubAccess, findCluster: find, transportOf: unreachable }).open(anna, eastId),
    UnreachableError,
  );
  const closed = { authorize: async () => ({ allowed: false, reason: '' }) } as unknown as HubAccess;
  const refused = memberApis({ access: closed, findCluster: find, transportOf: unreachable }).open(anna, eastId);
  await assert.rejects(refused, error => error instanceof StatusError && error.code === 404);
});

test('the hub itself is the cluster "local", for those who may know it', async t => {
  const rig = await startRancherViewsRig(t);
  const { status, body } = await rig.ask('/v3/cluster/local/namespaces', { as: boss });
  assert.equal(status, 200);
  const names = (body['data'] as { name: string }[]).map(({ name }) => name);
  const { items } = await rig.hub.client.list(Namespace);
  assert.deepEqual(names, items.map(({ metadata }) => metadata.name).sort());
  assert.equal((await rig.ask('/v3/cluster/local/namespaces', { as: person('eve') })).status, 404);
});
