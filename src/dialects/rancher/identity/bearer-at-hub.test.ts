import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole, ClusterRoleBinding } from '../../../api/builtin-kinds.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startIdentityRig, type IdentityRig } from '../../../../test/helpers/identity-rig.ts';
import { User } from '../kinds/user.ts';

const namespaces = '/api/v1/namespaces';

async function reader({ client, identity, addUser }: IdentityRig) {
  const user = await addUser('jane');
  const { bearer, token } = await identity.tokens.issue({ user, kind: 'api' });
  await client.apply(ClusterRole, {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] }],
  });
  await client.apply(ClusterRoleBinding, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'User', apiGroup: ClusterRole.group, name: user.metadata.name! }],
  });
  const headers = { authorization: `Bearer ${bearer}` };
  return { id: user.metadata.name!, name: token.metadata.name!, bearer, headers };
}

test('a token works at the hub’s own API with the rights of its user', async t => {
  const rig = await startIdentityRig(t);
  const { headers, name, id } = await reader(rig);
  await eventually(async () => (await rig.fetch(namespaces, { headers })).status === 200);
  assert.equal((await rig.fetch('/api/v1/secrets', { headers })).status, 403);
  const review = await rig.fetch('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}',
  });
  const { status } = (await review.json()) as { status: { userInfo: { username: string; groups: string[] } } };
  assert.equal(status.userInfo.username, id);
  assert.deepEqual(status.userInfo.groups, ['system:authenticated', 'system:cattle:authenticated']);
  await rig.identity.tokens.revoke(name);
  assert.equal((await rig.fetch(namespaces, { headers })).status, 401);
  assert.equal((await rig.fetch(namespaces, { headers: { authorization: 'Bearer token-abcde:nonsense' } })).status, 401);
});

test('a watch at the hub’s own API ends when its token is taken back, and when its user is', { timeout: 60_000 }, async t => {
  const rig = await startIdentityRig(t);
  const { headers, name } = await reader(rig);
  await eventually(async () => (await rig.fetch(namespaces, { headers })).status === 200);
  const other = await rig.addUser('joe');
  const { bearer } = await rig.identity.tokens.issue({ user: other, kind: 'session' });
  await rig.client.patch(
    ClusterRoleBinding,
    { name: 'reader' },
    {
      type: 'json',
      body: [{ op: 'add', path: '/subjects/-', value: { kind: 'User', apiGroup: ClusterRole.group, name: other.metadata.name! } }],
    },
  );
  const othersHeaders = { authorization: `Bearer ${bearer}` };
  await eventually(async () => (await rig.fetch(namespaces, { headers: othersHeaders })).status === 200);
  const watch = async (headers: Record<string, string>) => {
    const answer = await fetch(`${rig.url}${namespaces}?watch=true`, { headers, signal: t.signal });
    assert.equal(answer.status, 200);
    let isOpen = true;
    const reading = (async () => {
      for await (const _ of answer.body!);
    })();
    reading.then(
      () => (isOpen = false),
      () => (isOpen = false),
    );
    return () => isOpen;
  };
  const [own, others] = [await watch(headers), await watch(othersHeaders)];
  await rig.identity.tokens.revoke(name);
  await eventually(() => !own(), Boolean, { what: 'end of the watch' });
  assert.ok(others(), 'streams of others stay');
  await rig.client.delete(User, { name: other.metadata.name! });
  await eventually(() => !others(), Boolean, { what: 'end of the other watch' });
});
