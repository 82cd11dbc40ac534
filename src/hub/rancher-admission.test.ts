import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { hubKindsByTime } from '../../test/helpers/either-hub.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../test/helpers/memory-hub.ts';
import { startRealHubClient } from '../../test/helpers/real-hub-client.ts';
import { missingRig } from '../../test/helpers/rig.ts';
import { startWebhooks } from '../../test/helpers/webhook-rig.ts';
import { ClusterRole, ClusterRoleBinding, Namespace } from '../api/builtin-kinds.ts';
import { withType, type KindRef } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import type { HubAccess } from '../auth/hub-access.ts';
import type { UserInfo } from '../auth/user.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { MutatingWebhookConfiguration, registrationName, ValidatingWebhookConfiguration } from '../core/admission/register-webhooks.ts';
import { rancherAdmission } from '../dialects/rancher/admission/rancher-admission.ts';
import { runRancherRegistration } from '../dialects/rancher/admission/register-rancher.ts';
import { may, mayManage } from '../dialects/rancher/access/builtin-rule.ts';
import { ClusterRegistrationToken, ManagementCluster, ProvisioningCluster } from '../dialects/rancher/kinds/cluster.ts';
import { Project } from '../dialects/rancher/kinds/project.ts';
import { ClusterRoleTemplateBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../dialects/rancher/kinds/role.ts';
import { User } from '../dialects/rancher/kinds/user.ts';
import { rancherKinds } from '../dialects/rancher/rancher-kinds.ts';
import { externalAccess } from '../gateway/external-access.ts';
import { embeddedClientAs } from './embedded-client-as.ts';

const cluster = 'c-aaaaa';
const projectName = `${cluster}:p-1`;
const owner: UserInfo = { name: 'u-owner', groups: ['system:authenticated'] };
const admin: UserInfo = { name: 'u-admin', groups: ['system:authenticated'] };

type Access = Pick<HubAccess, 'authorize' | 'as'>;

async function start(t: TestContext, hub: KubeClient, access: Access) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const put = <T extends KubeObject>(kind: KindRef<T>, metadata: KubeObject['metadata'], fields: object) =>
    hub.create(kind, withType(kind, { metadata, ...fields }) as unknown as T);
  for (const name of [cluster, 'p-1', 'fleet-default']) await hub.apply(Namespace, { metadata: { name } });
  await put(ManagementCluster, { name: cluster }, { spec: {} });
  await put(Project, { namespace: cluster, name: 'p-1' }, { spec: { clusterName: cluster, displayName: 'p' } });
  await put(RoleTemplate, { name: 'reader' }, { context: 'project', rules: [may(['get'], 'pods')] });
  await put(RoleTemplate, { name: 'all' }, { context: 'project', rules: [may(['*'], '*', '*')] });
  await put(RoleTemplate, { name: 'admin' }, { context: 'project', external: true, externalRules: [may(['*'], 'pods')] });
  await put(RoleTemplate, { name: 'owner' }, { context: 'project', roleTemplateNames: ['admin'] });
  await put(RoleTemplate, { name: 'cluster-owner' }, { context: 'cluster', rules: [may(['*'], '*', '*')] });
  await put(
    ProjectRoleTemplateBinding,
    { namespace: 'p-1', name: 'prtb-1' },
    { projectName, roleTemplateName: 'owner', userName: owner.name },
  );
  // What a hub's RBAC lets them write: everything that is asked about here.
  const writes = [
    'projectroletemplatebindings',
    'clusterroletemplatebindings',
    'clusterregistrationtokens',
    'projects',
    'roletemplates',
    'users',
  ];
  const bind = (name: string, role: string, user: UserInfo) =>
    put(
      ClusterRoleBinding,
      { name },
      {
        roleRef: { apiGroup: ClusterRole.group, kind: ClusterRole.kind, name: role },
        subjects: [{ apiGroup: ClusterRole.group, kind: 'User', name: user.name }],
      },
    );
  const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete'];
  await put(
    ClusterRole,
    { name: 'writer' },
    { rules: [mayManage(verbs, writes.join(' ')), may(verbs, 'clusters', 'provisioning.cattle.io')] },
  );
  await bind('writer', 'writer', owner);
  await bind('admin', 'cluster-admin', admin);
  const address = await startWebhooks(t, { rancher: rancherAdmission({ hub, access }) });
  runRancherRegistration({ hub, address, after: Promise.resolve(), signal: stop.signal });

  const as = (user: UserInfo) => {
    const client = access.as(user);
    t.after(() => client[Symbol.asyncDispose]());
    return <T extends KubeObject>(kind: KindRef<T>, metadata: KubeObject['metadata'], fields: object) =>
      client.create(kind, withType(kind, { metadata, ...fields }) as unknown as T, { fieldManager: 'kubectl' });
  };
  const unsound = { context: 'project', administrative: true };
  await eventually(
    () => as(admin)(RoleTemplate, { name: 'unsound' }, unsound).catch((error: unknown) => error),
    error => error instanceof StatusError && error.code === 422,
    { timeoutMs: 60_000, what: 'the first refusal' },
  );
  return { as, put };
}

const refused = (write: Promise<unknown>, code: number, words: RegExp) =>
  assert.rejects(write, (error: unknown) => {
    assert.ok(error instanceof StatusError, String(error));
    assert.match(error.message, words);
    assert.equal(error.code, code);
    return true;
  });

async function reviews(t: TestContext, hub: KubeClient, access: Access): Promise<void> {
  const { as, put } = await start(t, hub, access);
  const [byOwner, byAdmin] = [as(owner), as(admin)];
  const inProject = { namespace: 'p-1', generateName: 'prtb-' };
  const give = (write: typeof byOwner, roleTemplateName: string) =>
    write(ProjectRoleTemplateBinding, inProject, { projectName, roleTemplateName, userName: 'u-b' });

  await refused(give(byOwner, 'all'), 403, /is attempting to grant RBAC permissions not currently held/);
  await refused(give(byOwner, 'cluster-owner'), 422, /the context of the role must be "project"/);
  const [first, second] = await Promise.allSettled([give(byOwner, 'reader'), give(byOwner, 'reader')]);
  const outcomes = [first, second].map(one => (one.status === 'fulfilled' ? one.value.metadata.name : (one.reason as StatusError).code));
  assert.ok(outcomes.includes(409), JSON.stringify(outcomes));
  assert.ok(
    outcomes.some(one => typeof one === 'string' && /^prtb-[a-z2-7]{10}$/.test(one)),
    JSON.stringify(outcomes),
  );
  await give(byAdmin, 'all');

  await refused(byOwner(RoleTemplate, { name: 'mine' }, { context: 'project', rules: [may(['get'], 'pods')] }), 403, /not currently held/);
  const ofCluster = { clusterName: cluster, roleTemplateName: 'cluster-owner', userName: owner.name };
  await refused(byOwner(ClusterRoleTemplateBinding, { namespace: cluster, name: 'x' }, ofCluster), 403, /not currently held/);
  await refused(byOwner(ClusterRoleTemplateBinding, { namespace: 'p-1', name: 'x' }, ofCluster), 422, /metadata.namespace/);

  const made = await byOwner(ProvisioningCluster, { namespace: 'fleet-default', name: 'mine' }, { spec: {} });
  assert.equal(made.metadata.annotations?.['field.cattle.io/creatorId'], owner.name);
  const token = await byOwner(ClusterRegistrationToken, { namespace: cluster, name: 'default-token' }, { spec: {} });
  assert.equal(token.spec.clusterName, cluster);

  // So the hub asks whether somebody may set the password of somebody else.
  await put(User, { name: admin.name }, { username: 'admin' });
  const setPassword = access.as(owner).patch(User, { name: admin.name }, { type: 'merge', body: { mustChangePassword: false } });
  await refused(setPassword, 403, /not currently held/);

  // The hub itself is not asked about.
  await put(RoleTemplate, { name: 'of-the-hub' }, { context: 'project', administrative: true });
}

async function staysRegistered(hub: KubeClient): Promise<void> {
  const name = registrationName('rancher');
  for (const kind of [ValidatingWebhookConfiguration, MutatingWebhookConfiguration]) {
    const policies = async () => ((await hub.get(kind, { name }))?.['webhooks'] as { failurePolicy: string }[] | undefined) ?? [];
    await hub.delete(kind, { name });
    const found = await eventually(policies, list => list.length > 0);
    assert.ok(found.every(({ failurePolicy }) => failurePolicy === 'Fail'));
  }
}

test("Rancher's objects are reviewed on the embedded API server", async t => {
  const { client, api } = await startMemoryHub(t, rancherKinds);
  const access: Access = { authorize: async (user, wanted) => api.authorizer.authorize(user, wanted), as: embeddedClientAs(api) };
  await reviews(t, client, access);
  await staysRegistered(client);
});

test('nothing is written unasked while nobody answers, but for what the hub writes (CVE-2023-22651)', async t => {
  const { client, api } = await startMemoryHub(t, rancherKinds);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const address = { url: 'https://127.0.0.1:1', authorities: '', token: 'x' };
  runRancherRegistration({ hub: client, address, after: Promise.resolve(), signal: stop.signal });
  const name = registrationName('rancher');
  await eventually(() => client.get(ValidatingWebhookConfiguration, { name }), Boolean);
  const privileged = embeddedClientAs(api)({ name: 'u-admin', groups: ['system:masters'] });
  const role = (one: string) => withType(RoleTemplate, { metadata: { name: one }, context: 'project' as const });
  await refused(privileged.create(RoleTemplate, role('a')), 500, /failed calling webhook/);
  await client.create(RoleTemplate, role('b'));
});

const isTime = hubKindsByTime.includes('real kube-apiserver');
const skip = isTime ? (missingRig('etcd', 'kube-apiserver') ?? false) : 'npm run test:unit';

test("Rancher's objects are reviewed on a real kube-apiserver", { skip, timeout: 300_000 }, async t => {
  const client = await startRealHubClient(t, rancherKinds);
  await reviews(t, client, externalAccess(client, { believedMs: 0 }));
});
