import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Namespace, RoleBinding } from '../../../api/builtin-kinds.ts';
import { withType, type KindRef } from '../../../api/define-kind.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startAccessWorld } from '../../../../test/helpers/rancher-access-world.ts';
import { Project } from '../kinds/project.ts';
import { GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';
import { rancherAnnotations } from '../names.ts';
import { accessAnnotations } from './access-names.ts';
import { clusterRole } from './rbac-objects.ts';

const management = 'management.cattle.io';
const ResourceQuota: KindRef = { group: '', version: 'v1', kind: 'ResourceQuota', resource: 'resourcequotas', scope: 'Namespaced' };

test('people of a project do what their roles say in its namespaces, and nothing elsewhere', async t => {
  const world = await startAccessWorld(t);
  await world.project('p-shop', ['shop']);
  await world.project('p-bank', ['bank']);
  await world.join('u-ann', 'p-shop', 'project-owner');
  await world.join('u-cy', 'p-shop', 'read-only');

  await world.mayOnMember('u-ann', { verb: 'create', resource: 'deployments', group: 'apps', namespace: 'shop' });
  await world.mayOnMember('u-cy', { verb: 'list', resource: 'pods', namespace: 'shop' });
  await world.mayOnMember('u-cy', { verb: 'get', resource: 'namespaces', namespace: 'shop', name: 'shop' });
  for (const [user, deed] of [
    ['u-ann', { verb: 'list', resource: 'pods', namespace: 'bank' }],
    ['u-ann', { verb: 'list', resource: 'nodes' }],
    ['u-ann', { verb: 'get', resource: 'namespaces', namespace: 'bank', name: 'bank' }],
    ['u-cy', { verb: 'create', resource: 'pods', namespace: 'shop' }],
    ['u-cy', { verb: 'get', resource: 'secrets', namespace: 'shop' }],
    ['u-cy', { verb: 'create', resource: 'namespaces' }],
  ] as const)
    await world.mayOnMember(user, deed, false);

  // The door to the cluster, and the project itself.
  const door = { verb: 'get', resource: 'clusters', group: 'drover.io', name: 'east' };
  await world.mayOnHub('u-cy', door);
  await world.mayOnHub('u-cy', { verb: 'get', resource: 'clusters', group: management, name: world.namespace });
  await world.mayOnHub('u-cy', { verb: 'get', resource: 'projects', group: management, namespace: world.namespace, name: 'p-shop' });
  await world.mayOnHub('u-ann', {
    verb: 'create',
    resource: 'projectroletemplatebindings',
    group: management,
    namespace: `${world.namespace}-p-shop`,
  });
  await world.mayOnHub(
    'u-cy',
    { verb: 'create', resource: 'projectroletemplatebindings', group: management, namespace: `${world.namespace}-p-shop` },
    false,
  );
  await world.mayOnHub(
    'u-ann',
    { verb: 'get', resource: 'projects', group: management, namespace: world.namespace, name: 'p-bank' },
    false,
  );
  await world.mayOnHub('u-ann', { verb: 'list', resource: 'works', group: 'drover.io', namespace: world.namespace }, false);
  await world.mayOnHub('u-eve', door, false);
});

test('a binding that goes takes everything with it', async t => {
  const world = await startAccessWorld(t);
  await world.project('p-shop', ['shop']);
  const binding = await world.join('u-ann', 'p-shop', 'project-owner');
  await world.mayOnMember('u-ann', { verb: 'list', resource: 'persistentvolumes' });

  await world.leave('p-shop', binding);
  await world.mayOnMember('u-ann', { verb: 'list', resource: 'persistentvolumes' }, false);
  await world.mayOnHub('u-ann', { verb: 'get', resource: 'clusters', group: 'drover.io', name: 'east' }, false);
  await world.gone('rancher-project-p-shop');
  const { client } = world.member;
  const left = await eventually(
    async () => [
      ...(await client.list(ClusterRole)).items.filter(({ metadata }) => /^(p-shop|.*-promoted$|project-owner$)/.test(metadata.name!)),
      ...(await client.list(ClusterRoleBinding)).items.filter(({ metadata }) => metadata.name!.startsWith('p-shop')),
      ...(await client.list(RoleBinding, { namespace: 'shop' })).items,
    ],
    found => found.length === 0,
  );
  assert.deepEqual(left, []);
});

test('namespaces that come to a project, move and go are followed', async t => {
  const world = await startAccessWorld(t);
  await world.project('p-shop');
  await world.project('p-bank');
  await world.join('u-ann', 'p-shop', 'project-member');
  await world.join('u-bob', 'p-bank', 'project-member');
  await world.putNamespace('till', 'p-shop');
  const deed = { verb: 'create', resource: 'pods', namespace: 'till' };
  await world.mayOnMember('u-ann', deed);

  await world.putNamespace('till', 'p-bank');
  await world.mayOnMember('u-bob', deed);
  await world.mayOnMember('u-ann', deed, false);

  await world.member.client.patch(
    Namespace,
    { name: 'till' },
    { type: 'merge', body: { metadata: { annotations: { [accessAnnotations.project]: null } } } },
  );
  await world.mayOnMember('u-bob', deed, false);
});

test('owners of a cluster own it on the hub and on the member, and all its projects', async t => {
  const world = await startAccessWorld(t);
  await world.project('p-shop', ['shop']);
  await world.joinCluster('u-ann', 'cluster-owner');
  await world.joinCluster('u-bob', 'cluster-member');
  const { namespace: id } = world;

  await world.mayOnMember('u-ann', { verb: 'delete', resource: 'nodes', name: 'n' });
  await world.mayOnHub('u-ann', { verb: 'own', resource: 'clusters', group: management, name: id });
  await world.mayOnHub('u-ann', { verb: 'create', resource: 'clusterroletemplatebindings', group: management, namespace: id });
  await world.mayOnHub('u-ann', { verb: 'list', resource: 'projectroletemplatebindings', group: management, namespace: `${id}-p-shop` });
  await world.mayOnMember('u-bob', { verb: 'list', resource: 'nodes' });
  await world.mayOnHub('u-bob', { verb: 'create', resource: 'projects', group: management, namespace: id });
  for (const [user, deed] of [
    ['u-ann', { verb: 'get', resource: 'secrets', namespace: id }],
    ['u-ann', { verb: 'create', resource: 'works', group: 'drover.io', namespace: id }],
    ['u-ann', { verb: 'create', resource: 'tokens', group: management }],
    ['u-ann', { verb: 'update', resource: 'clusters', group: 'drover.io', name: 'east' }],
    ['u-bob', { verb: 'get', resource: 'clusterregistrationtokens', group: management, namespace: id }],
  ] as const)
    await world.mayOnHub(user, deed, false);
});

test('administrators of the hub are administrators of members, and global roles can reach into clusters', async t => {
  const world = await startAccessWorld(t);
  const { client } = world.hub;
  const bind = (userName: string, globalRoleName: string) =>
    client.create(GlobalRoleBinding, withType(GlobalRoleBinding, { metadata: { name: `grb-${userName}` }, globalRoleName, userName }));
  assert.equal(await world.read('rancher-access'), undefined);
  await bind('user-boss', 'admin');
  await client.create(
    GlobalRole,
    withType(GlobalRole, {
      metadata: { name: 'auditor' },
      rules: [{ verbs: ['get'], apiGroups: [management], resources: ['settings'] }],
      namespacedRules: { default: [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }] },
      inheritedClusterRoles: ['nodes-view'],
    }),
  );
  await bind('u-ada', 'auditor');
  // Before anybody goes there nothing is put on members.
  await world.mayOnHub('user-boss', { verb: '*', resource: '*', group: '*' });
  assert.equal(await world.read('rancher-access'), undefined);
  await world.enter('user-boss');

  await world.mayOnMember('user-boss', { verb: 'delete', resource: 'namespaces', name: 'kube-system' });
  assert.ok(await world.member.client.get(ClusterRoleBinding, { name: 'globaladmin-user-boss' }));
  await world.mayOnMember('u-ada', { verb: 'list', resource: 'nodes' });
  await world.mayOnHub('u-ada', { verb: 'get', resource: 'settings', group: management });
  await world.mayOnHub('u-ada', { verb: 'get', resource: 'configmaps', namespace: 'default' });
  await world.mayOnHub('u-ada', { verb: 'get', resource: 'clusters', group: 'drover.io', name: 'east' });

  await client.delete(GlobalRoleBinding, { name: 'grb-user-boss' });
  await world.mayOnMember('user-boss', { verb: 'delete', resource: 'namespaces', name: 'kube-system' }, false);
  await world.mayOnHub('user-boss', { verb: 'get', resource: 'secrets' }, false);
});

test('a changed role changes what its holders may do, also those who inherit it', async t => {
  const world = await startAccessWorld(t);
  const { client } = world.hub;
  const template = (name: string, fields: Partial<RoleTemplate>) =>
    client.apply(RoleTemplate, withType(RoleTemplate, { metadata: { name }, context: 'project' as const, ...fields }));
  const rule = (resource: string) => [{ verbs: ['get'], apiGroups: [''], resources: [resource] }];
  await template('base', { rules: rule('pods') });
  await template('heir', { rules: rule('services'), roleTemplateNames: ['base'] });
  await world.project('p-shop', ['shop']);
  await world.join('u-ann', 'p-shop', 'heir');
  await world.mayOnMember('u-ann', { verb: 'get', resource: 'pods', namespace: 'shop' });

  await template('base', { rules: rule('configmaps') });
  await world.mayOnMember('u-ann', { verb: 'get', resource: 'configmaps', namespace: 'shop' });
  await world.mayOnMember('u-ann', { verb: 'get', resource: 'pods', namespace: 'shop' }, false);
});

test('a binding in a namespace that is not of its project gives nothing', async t => {
  const world = await startAccessWorld(t);
  await world.project('p-shop', ['shop']);
  await world.project('p-bank', ['bank']);
  const forged = {
    metadata: { namespace: `${world.namespace}-p-shop`, name: 'forged' },
    projectName: `${world.namespace}:p-bank`,
    roleTemplateName: 'project-owner',
    userName: 'u-eve',
  };
  await world.hub.client.create(ProjectRoleTemplateBinding, withType(ProjectRoleTemplateBinding, forged));
  await world.join('u-eve', 'p-shop', 'project-owner');
  await world.mayOnMember('u-eve', { verb: 'create', resource: 'pods', namespace: 'shop' });
  await world.mayOnMember('u-eve', { verb: 'get', resource: 'pods', namespace: 'bank' }, false);
});

test('quotas of a project are shared by its namespaces', async t => {
  const world = await startAccessWorld(t);
  const quota = { resourceQuota: { limit: { pods: '5' } }, namespaceDefaultResourceQuota: { limit: { pods: '3' } } };
  await world.project('p-shop', ['shop'], quota);
  const hardOf = async (namespace: string) => {
    const found = await world.member.client.get(ResourceQuota, { namespace, name: 'default-quota' });
    return (found?.['spec'] as { hard?: Record<string, string> } | undefined)?.hard;
  };
  await eventually(
    () => hardOf('shop'),
    hard => hard?.['pods'] === '3',
  );
  await world.putNamespace('till', 'p-shop');
  await eventually(
    () => hardOf('till'),
    hard => hard?.['pods'] === '0',
  );
  const used = async () =>
    (await world.hub.client.get(Project, { namespace: world.namespace, name: 'p-shop' }))?.spec.resourceQuota?.usedLimit;
  await eventually(used, found => found?.pods === '3');
  const more = { spec: { resourceQuota: { limit: { pods: '9' } } } };
  await world.hub.client.patch(Project, { namespace: world.namespace, name: 'p-shop' }, { type: 'merge', body: more });
  await eventually(used, found => found?.pods === '6');
});

test('who makes a project owns it, once', async t => {
  const world = await startAccessWorld(t);
  const { client } = world.hub;
  const { namespace: id } = world;
  const metadata = { namespace: id, name: 'p-mine', annotations: { [rancherAnnotations.creatorId]: 'u-ann' } };
  await client.create(Project, withType(Project, { metadata, spec: { displayName: 'Mine', clusterName: id } }));
  await world.mayOnHub('u-ann', { verb: 'own', resource: 'projects', group: management, namespace: id, name: 'p-mine' });
  const binding = { namespace: `${id}-p-mine`, name: 'creator-project-owner' };
  await eventually(
    () => client.get(Project, { namespace: id, name: 'p-mine' }),
    found => found?.status?.backingNamespace === `${id}-p-mine`,
  );
  await client.delete(ProjectRoleTemplateBinding, binding);
  await world.mayOnHub('u-ann', { verb: 'own', resource: 'projects', group: management, namespace: id, name: 'p-mine' }, false);
  assert.equal(await client.get(ProjectRoleTemplateBinding, binding), undefined);

  await client.delete(Project, { namespace: id, name: 'p-mine' });
  await eventually(
    () => client.get(Namespace, { name: `${id}-p-mine` }),
    gone => gone === undefined || gone.metadata.deletionTimestamp !== undefined,
  );
});

test('what comes with Rancher is put back when somebody changes it', async t => {
  const { hub } = await startAccessWorld(t);
  await hub.client.patch(RoleTemplate, { name: 'read-only' }, { type: 'merge', body: { rules: [], locked: true } });
  const back = await eventually(
    () => hub.client.get(RoleTemplate, { name: 'read-only' }),
    found => (found?.rules ?? []).length > 0,
  );
  assert.equal(back?.locked, true);
  await hub.client.delete(ClusterRole, { name: 'cattle-globalrole-user' });
  await eventually(() => hub.client.get(ClusterRole, { name: 'cattle-globalrole-user' }));
});

test('a hub that starts while the member is away takes rights back all the same', async t => {
  const world = await startAccessWorld(t);
  await world.project('p-shop', ['shop']);
  const binding = await world.join('u-ann', 'p-shop', 'project-member');
  await world.join('u-bob', 'p-shop', 'read-only');
  const deed = { verb: 'list', resource: 'pods', namespace: 'shop' };
  await world.mayOnMember('u-ann', deed);
  await world.mayOnMember('u-bob', deed);

  const roles = async () =>
    ((await world.read('rancher-access'))?.spec.manifests ?? []).filter(
      ({ metadata }) => (metadata as { name: string }).name === 'read-only',
    );
  const before = await roles();
  world.restartWithoutMember();
  await world.leave('p-shop', binding);
  await world.mayOnMember('u-ann', deed, false);
  await world.mayOnMember('u-bob', deed);
  assert.deepEqual(await roles(), before);
});

test('roles that a member has from another Rancher are taken over', async t => {
  const world = await startAccessWorld(t);
  await world.member.client.create(ClusterRole, { ...clusterRole('cluster-owner', []), metadata: { name: 'cluster-owner' } });
  await world.joinCluster('u-ann', 'cluster-owner');
  await world.mayOnMember('u-ann', { verb: 'delete', resource: 'nodes', name: 'n' });
});
