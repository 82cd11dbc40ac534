import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Namespace, Secret, SubjectAccessReview } from '../api/builtin-kinds.ts';
import { StatusError } from '../api/status.ts';
import type { UserInfo } from '../auth/user.ts';
import { httpClient } from '../client/http-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { embeddedAccess } from '../gateway/embedded-access.ts';
import { externalAccess } from '../gateway/external-access.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { embeddedClientAs } from './embedded-client-as.ts';

const jane: UserInfo = { name: 'u-jane', groups: ['devs', 'system:authenticated'], extra: { 'example.org/why': ['test'] } };
const isForbidden = (error: unknown) => error instanceof StatusError && error.code === 403 && error.message.includes('"u-jane"');

/** Ways to the same hub as one of its users: within its process, and from elsewhere. */
async function start(t: TestContext): Promise<{ client: KubeClient; ways: Record<string, (user: UserInfo) => KubeClient> }> {
  const { api, client, transport } = await startMemoryServer(t);
  await client.apply(ClusterRole, {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'create', 'watch'] }],
  });
  await client.apply(ClusterRoleBinding, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: ClusterRole.group, kind: 'ClusterRole', name: 'reader' },
    subjects: [{ kind: 'Group', apiGroup: ClusterRole.group, name: 'devs' }],
  });
  const embedded = embeddedAccess({ ...api, clientAs: embeddedClientAs(api) });
  const external = externalAccess(httpClient(transport));
  const ways = { embedded: (user: UserInfo) => embedded.as(user), external: (user: UserInfo) => external.as(user) };
  await eventually(() => ways.embedded(jane).list(Namespace));
  return { client, ways };
}

test('a client of a user has the rights of that user and no others, wherever the hub is', async t => {
  const { client, ways } = await start(t);
  for (const [way, as] of Object.entries(ways)) {
    await using hub = as(jane);
    const { items } = await hub.list(Namespace);
    assert.ok(items.length > 0, way);
    await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `made-${way}` } });
    assert.ok(await client.get(Namespace, { name: `made-${way}` }), way);
    await assert.rejects(hub.list(Secret), isForbidden, way);
    await assert.rejects(hub.get(Secret, { namespace: 'default', name: 'x' }), isForbidden, way);
    await assert.rejects(hub.delete(Namespace, { name: 'default' }), isForbidden, way);
    await assert.rejects(hub.patch(Namespace, { name: 'default' }, { type: 'merge', body: {} }), isForbidden, way);
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec: { user: 'x' } };
    await assert.rejects(hub.create(SubjectAccessReview, review), isForbidden, `${way}: what is no object`);
    const raw = await hub.request({ method: 'GET', path: '/api/v1/secrets', headers: { 'impersonate-user': 'root' } });
    raw.body.resume();
    assert.equal(raw.status, 403, `${way}: headers of a request change nothing`);
  }
});

test('a client of a user outlives neither that user’s rights nor takes the hub’s connections with it', async t => {
  const { client, ways } = await start(t);
  for (const as of Object.values(ways)) {
    await as(jane)[Symbol.asyncDispose]();
    await using again = as(jane);
    await again.list(Namespace);
  }
  await client.delete(ClusterRoleBinding, { name: 'reader' });
  for (const [way, as] of Object.entries(ways)) {
    await using hub = as(jane);
    await eventually(() => assert.rejects(hub.list(Namespace), isForbidden, way).then(() => true));
  }
});
