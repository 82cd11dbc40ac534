import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { ClusterRole, ClusterRoleBinding, ServiceAccount } from '../api/builtin-kinds.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import type { ResourceAttributes } from '../auth/user.ts';
import { httpClient } from '../client/http-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { readJson } from '../client/read-answer.ts';
import { TestCa } from '../../test/helpers/certificates.ts';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { externalAccess } from './external-access.ts';

const door: ResourceAttributes = {
  isResource: true,
  verb: 'get',
  group: 'drover.io',
  version: 'v1alpha1',
  resource: 'clusters',
  subresource: '',
  namespace: '',
  name: 'east',
};

interface Rig {
  readonly access: HubAccess;
  readonly client: KubeClient;
  readonly token: string;
  /** How often the other server was asked. */
  readonly calls: () => number;
}

/** An API server that is asked by HTTP, with a service account "ci" on it. */
async function start(t: TestContext, believedMs = 0): Promise<Rig> {
  const { client, transport } = await startMemoryServer(t);
  await client.create(ServiceAccount, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'ci', namespace: 'default' } });
  const answer = await transport.request({
    method: 'POST',
    path: '/api/v1/namespaces/default/serviceaccounts/ci/token',
    headers: { 'content-type': 'application/json' },
    body: '{"spec":{}}',
  });
  const { status } = (await readJson(answer)) as unknown as { status: { token: string } };
  let calls = 0;
  const counted = { ...transport, request: (req: Parameters<typeof transport.request>[0]) => (calls++, transport.request(req)) };
  return { access: externalAccess(httpClient(counted), { believedMs }), client, token: status.token, calls: () => calls };
}

const asking = (...rawHeaders: string[]) => ({ rawHeaders }) as unknown as IncomingMessage;

async function grant(client: KubeClient, name: string, rule: object): Promise<void> {
  await client.apply(ClusterRole, { metadata: { name }, rules: [rule as never] });
  await client.apply(ClusterRoleBinding, {
    metadata: { name },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name: 'ci', namespace: 'default' }],
  });
}

test('a token stands for its user', async t => {
  const { access, token } = await start(t);
  const user = await access.identify(asking('Authorization', `Bearer ${token}`), door);
  assert.equal(user.name, 'system:serviceaccount:default:ci');
  assert.ok(user.groups.includes('system:authenticated') && user.uid !== undefined);
});

test('a certificate of an authority that the other server trusts stands for its user, and any other for nobody', async t => {
  const { client, token } = await start(t);
  const [trusted, stranger] = await Promise.all([TestCa.create('trusted'), TestCa.create('stranger')]);
  const access = externalAccess(client, { clientAuthorities: [new X509Certificate(trusted.certificate)] });
  const showing = async (ca: TestCa, ...rawHeaders: string[]) => {
    const { certificate } = await ca.issue('jane', { organizations: ['devs'] });
    const socket = { getPeerX509Certificate: () => new X509Certificate(certificate) };
    return access.identify({ rawHeaders, socket } as unknown as IncomingMessage, door);
  };
  const { name, groups } = await showing(trusted);
  assert.deepEqual([name, groups], ['jane', ['devs', 'system:authenticated']]);
  await assert.rejects(showing(stranger), /Unauthorized/);
  assert.equal((await showing(stranger, 'Authorization', `Bearer ${token}`)).name, 'system:serviceaccount:default:ci');
});

test('no token, a wrong one and two of them stand for nobody', async t => {
  const { access, token } = await start(t);
  for (const headers of [
    [],
    ['Authorization', 'Bearer wrong'],
    ['Authorization', `Basic ${token}`],
    ['Authorization', `Bearer ${token}`, 'Authorization', 'Bearer x'],
  ])
    await assert.rejects(access.identify(asking(...headers), door), { code: 401 }, headers.join(' '));
});

test('rights are those of the other server, as they are now', async t => {
  const { access, client, token } = await start(t);
  const user = await access.identify(asking('Authorization', `Bearer ${token}`), door);
  assert.equal((await access.authorize(user, door)).allowed, false);
  await grant(client, 'door', { apiGroups: ['drover.io'], resources: ['clusters'], resourceNames: ['east'], verbs: ['get'] });
  assert.equal((await access.authorize(user, door)).allowed, true);
  assert.equal((await access.authorize(user, { ...door, name: 'west' })).allowed, false);
});

test('whoever asks to be another needs the right to every part of him', async t => {
  const { access, client, token } = await start(t);
  const req = asking(
    'Authorization',
    `Bearer ${token}`,
    'Impersonate-User',
    'jane',
    'Impersonate-Group',
    'dev',
    'Impersonate-Extra-scopes',
    'a',
  );
  await assert.rejects(access.identify(req, door), { code: 403, message: /cannot impersonate resource "users"/ });
  await grant(client, 'users', { apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs: ['impersonate'] });
  await assert.rejects(access.identify(req, door), { code: 403, message: /cannot impersonate resource "groups"/ });
  await grant(client, 'groups', { apiGroups: [''], resources: ['groups'], resourceNames: ['dev'], verbs: ['impersonate'] });
  await assert.rejects(access.identify(req, door), { code: 403, message: /cannot impersonate resource "userextras\/scopes"/ });
  await grant(client, 'extras', { apiGroups: ['authentication.k8s.io'], resources: ['userextras/scopes'], verbs: ['impersonate'] });
  assert.deepEqual(await access.identify(req, door), { name: 'jane', groups: ['dev', 'system:authenticated'], extra: { scopes: ['a'] } });
});

test('an answer is believed for a while, and many who ask at once are one', async t => {
  const { access, token, calls } = await start(t, 60_000);
  const req = asking('Authorization', `Bearer ${token}`);
  const users = await Promise.all(Array.from({ length: 20 }, () => access.identify(req, door)));
  await access.authorize(users[0]!, door);
  await access.authorize(users[1]!, door);
  assert.equal(calls(), 2);
});

test('a server that does not answer is an error, and nothing is remembered of it', async () => {
  let isDown = true;
  const status = { authenticated: true, user: { username: 'jane', groups: [] } };
  const hub = {
    create: async () => {
      if (isDown) throw new Error('down');
      return { status };
    },
  } as unknown as KubeClient;
  const access = externalAccess(hub);
  const req = asking('Authorization', 'Bearer x');
  await assert.rejects(access.identify(req, door), /down/);
  isDown = false;
  assert.equal((await access.identify(req, door)).name, 'jane');
});
