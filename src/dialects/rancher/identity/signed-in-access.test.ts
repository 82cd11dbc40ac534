import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ClusterRole, ClusterRoleBinding } from '../../../api/builtin-kinds.ts';
import { StatusError } from '../../../api/status.ts';
import type { ResourceAttributes } from '../../../auth/user.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startIdentityRig, type IdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { isForPath, signedInAccess } from './signed-in-access.ts';

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
const csrf = '0123456789abcdef0123456789abcdef';
const status = (code: number, reason: string) => (error: unknown) =>
  error instanceof StatusError && error.code === code && error.reason === reason;

function asking(headers: Record<string, string>, { method = 'GET', url = '/v3/clusters' } = {}): IncomingMessage {
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const req = { rawHeaders: Object.entries(headers).flat(), headers: lower, method, url, socket: {} };
  return req as unknown as IncomingMessage;
}

async function signedIn({ identity, addUser }: IdentityRig, clusterId?: string) {
  const user = await addUser('jane');
  const { bearer } = await identity.tokens.issue({ user, kind: 'session', clusterId });
  return { id: user.metadata.name!, bearer, cookie: `R_SESS=${bearer}; CSRF=${csrf}` };
}

test('people are known by bearer, Basic and cookie, and nobody by what is wrong', async t => {
  const rig = await startIdentityRig(t);
  const { id, bearer, cookie } = await signedIn(rig);
  const basic = `Basic ${Buffer.from(bearer).toString('base64')}`;
  for (const headers of [{ Authorization: `Bearer ${bearer}` }, { Authorization: basic }, { Cookie: cookie }])
    assert.equal((await rig.access.identify(asking(headers), door)).name, id, JSON.stringify(headers));
  const wrong = bearer.replace(/.$/, c => (c === 'b' ? 'c' : 'b'));
  for (const headers of [{ Authorization: `Bearer ${wrong}` }, { Authorization: 'Bearer nonsense' }, { Cookie: `R_SESS=${wrong}` }])
    await assert.rejects(rig.access.identify(asking(headers), door), status(401, 'Unauthorized'), JSON.stringify(headers));
  assert.equal((await rig.access.identify(asking({}), door)).name, 'system:anonymous');
});

test('what a cookie is to change needs the proof that a page of ours asked for it; a bearer needs none', async t => {
  const rig = await startIdentityRig(t);
  const { id, bearer, cookie } = await signedIn(rig);
  const identify = async (headers: Record<string, string>, method: string) =>
    (await rig.access.identify(asking(headers, { method }), door)).name;
  for (const method of ['GET', 'HEAD', 'OPTIONS']) assert.equal(await identify({ Cookie: cookie }, method), id);
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'CONNECT']) {
    await assert.rejects(identify({ Cookie: cookie }, method), status(422, 'InvalidCSRFToken'), method);
    await assert.rejects(identify({ Cookie: cookie, 'X-API-CSRF': 'f'.repeat(32) }, method), status(422, 'InvalidCSRFToken'), method);
    assert.equal(await identify({ Cookie: cookie, 'X-API-CSRF': csrf, 'User-Agent': 'curl' }, method), id);
    assert.equal(await identify({ Authorization: `Bearer ${bearer}`, Cookie: cookie }, method), id);
  }
});

test('WebSockets by cookie are opened from pages of the hub only', async t => {
  const rig = await startIdentityRig(t);
  const { id, bearer, cookie } = await signedIn(rig);
  const access = signedInAccess(rig.access, rig.identity.tokens, { serverUrl: () => 'https://drover.example.com' });
  const open = async (headers: Record<string, string>) =>
    (await access.identify(asking({ Host: 'hub:7443', Connection: 'Upgrade', Upgrade: 'websocket', ...headers }), door)).name;
  for (const Origin of ['https://hub:7443', 'https://drover.example.com']) assert.equal(await open({ Cookie: cookie, Origin }), id, Origin);
  for (const Origin of ['https://evil.example.com', 'http://hub:7443', 'https://hub', 'null', 'https://hub:7443.evil.com', ''])
    await assert.rejects(open({ Cookie: cookie, Origin }), status(403, 'Forbidden'), Origin);
  await assert.rejects(open({ Cookie: cookie }), status(403, 'Forbidden'));
  assert.equal(await open({ Authorization: `Bearer ${bearer}`, Origin: 'https://evil.example.com' }), id);
});

test('a token for one cluster is good for that cluster only', async t => {
  const rig = await startIdentityRig(t);
  const { id, bearer } = await signedIn(rig, 'c-abcde');
  const identify = async (url: string) => (await rig.access.identify(asking({ Authorization: `Bearer ${bearer}` }, { url }), door)).name;
  for (const url of [
    '/k8s/clusters/c-abcde/api/v1/pods?watch=1',
    '/v3/clusters/c-abcde?action=generateKubeconfig',
    '/v3/cluster/c-abcde/namespaces',
  ])
    assert.equal(await identify(url), id, url);
  for (const url of [
    '/k8s/clusters/c-other/api',
    '/k8s/clusters/c-abcdef/api',
    '/v3/clusters',
    '/api/v1/pods',
    '/v3/tokens?x=/k8s/clusters/c-abcde/',
  ])
    await assert.rejects(identify(url), status(401, 'Unauthorized'), url);
  assert.ok(isForPath(undefined, '/anything'));
});

test('impersonation headers need the right to impersonate, as everywhere', async t => {
  const rig = await startIdentityRig(t);
  const { id, bearer } = await signedIn(rig);
  const headers = { Authorization: `Bearer ${bearer}`, 'Impersonate-User': 'root', 'Impersonate-Group': 'system:masters' };
  await assert.rejects(rig.access.identify(asking(headers), door), status(403, 'Forbidden'));
  const rules = [{ apiGroups: [''], resources: ['users', 'groups'], verbs: ['impersonate'] }];
  await rig.client.apply(ClusterRole, { metadata: { name: 'become' }, rules });
  await rig.client.apply(ClusterRoleBinding, {
    metadata: { name: 'become' },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'become' },
    subjects: [{ kind: 'User', apiGroup: ClusterRole.group, name: id }],
  });
  const user = await eventually(() => rig.access.identify(asking(headers), door));
  assert.deepEqual([user.name, ...user.groups], ['root', 'system:masters', 'system:authenticated']);
});
