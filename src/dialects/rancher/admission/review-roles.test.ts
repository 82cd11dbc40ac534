import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowed, person, RancherObjectsInMemory, says, type Fields } from '../../../../test/helpers/rancher-world.ts';
import { ClusterRole } from '../../../api/builtin-kinds.ts';
import type { KindRef } from '../../../api/define-kind.ts';
import { everything, may, mayManage } from '../access/builtin-rule.ts';
import { ManagementCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { ClusterRoleTemplateBinding, GlobalRole, GlobalRoleBinding, ProjectRoleTemplateBinding, RoleTemplate } from '../kinds/role.ts';

const cluster = 'c-aaaaa';
const projectName = `${cluster}:p-1`;
const owner = person('u-owner');
const admin = person('u-admin');
const secrets = may(['get'], 'secrets');
const pods = may(['get'], 'pods');

/** An administrator, the owner of a project, and roles of every sort. */
function start(): RancherObjectsInMemory {
  const hub = new RancherObjectsInMemory();
  for (const name of ['local', cluster]) hub.put(ManagementCluster, { name }, { spec: {} });
  hub.put(Project, { namespace: cluster, name: 'p-1' }, { spec: { clusterName: cluster, displayName: 'p' } });
  hub.put(ClusterRole, { name: 'admin' }, { rules: [may(['*'], 'pods configmaps')] });
  hub.put(ClusterRole, { name: 'cluster-admin' }, { rules: everything });
  hub.put(GlobalRole, { name: 'admin' }, { rules: everything, builtin: true });
  hub.put(GlobalRoleBinding, { name: 'grb-1' }, { globalRoleName: 'admin', userName: 'u-admin' });
  hub.put(RoleTemplate, { name: 'admin' }, { context: 'project', external: true, builtin: true });
  hub.put(RoleTemplate, { name: 'cluster-owner' }, { context: 'cluster', rules: everything, builtin: true });
  hub.put(RoleTemplate, { name: 'reader' }, { context: 'project', rules: [pods] });
  hub.put(RoleTemplate, { name: 'locked' }, { context: 'project', rules: [pods], locked: true });
  const members = mayManage(['*'], 'projectroletemplatebindings');
  hub.put(RoleTemplate, { name: 'project-owner' }, { context: 'project', rules: [members], roleTemplateNames: ['admin'] });
  hub.put(
    ProjectRoleTemplateBinding,
    { namespace: 'p-1', name: 'prtb-1' },
    { projectName, roleTemplateName: 'project-owner', userName: 'u-owner' },
  );
  return hub;
}

const give = (hub: RancherObjectsInMemory, by: typeof owner, fields: Fields, namespace = 'p-1') =>
  hub.write(
    by,
    ProjectRoleTemplateBinding,
    { namespace, name: 'given' },
    { projectName, userName: 'u-b', roleTemplateName: 'reader', ...fields },
  );

test('the owner of a project gives what he holds there, by inheritance from a ClusterRole too', async () => {
  const hub = start();
  isAllowed(await give(hub, owner, {}));
  hub.delete(ProjectRoleTemplateBinding, { namespace: 'p-1', name: 'given' });
  isAllowed(await give(hub, owner, { roleTemplateName: 'project-owner' }));
});

test('the owner of a project cannot give what he does not hold there', async () => {
  const hub = start();
  hub.put(RoleTemplate, { name: 'thief' }, { context: 'project', rules: [secrets] });
  says(
    await give(hub, owner, { roleTemplateName: 'thief' }),
    403,
    /not currently held:\n\{APIGroups:\[""\], Resources:\["secrets"\], Verbs:\["get"\]\}/,
  );
  hub.put(Project, { namespace: cluster, name: 'p-2' }, { spec: { clusterName: cluster, displayName: 'q' } });
  says(await give(hub, owner, { projectName: `${cluster}:p-2` }, 'p-2'), 403, /not currently held/);
  const ofCluster = { clusterName: cluster, userName: 'u-owner', roleTemplateName: 'cluster-owner' };
  says(await hub.write(owner, ClusterRoleTemplateBinding, { namespace: cluster, name: 'x' }, ofCluster), 403, /not currently held/);
  isAllowed(await hub.write(admin, ClusterRoleTemplateBinding, { namespace: cluster, name: 'x' }, ofCluster));
});

test('an external role counts with the rules of its ClusterRole (CVE-2023-32196)', async () => {
  const hub = start();
  hub.put(RoleTemplate, { name: 'cluster-admin' }, { context: 'project', external: true });
  says(await give(hub, owner, { roleTemplateName: 'cluster-admin' }), 403, /not currently held/);
  hub.put(RoleTemplate, { name: 'heir' }, { context: 'project', roleTemplateNames: ['cluster-admin'] });
  says(await give(hub, owner, { roleTemplateName: 'heir' }), 403, /not currently held/);
  hub.put(RoleTemplate, { name: 'unknown' }, { context: 'project', external: true });
  says(await give(hub, owner, { roleTemplateName: 'unknown' }), 403, /not currently held/);
  hub.put(RoleTemplate, { name: 'said' }, { context: 'project', external: true, externalRules: [pods] });
  isAllowed(await give(hub, owner, { roleTemplateName: 'said' }));
});

test('who may write roles cannot raise a role that is given already (CVE-2021-36775, CVE-2022-31247)', async () => {
  const hub = start();
  const writer = person('u-writer');
  hub.put(
    GlobalRole,
    { name: 'roles' },
    { rules: [mayManage(['get', 'create', 'update'], 'roletemplates globalroles'), pods], inheritedClusterRoles: ['nodes'] },
  );
  hub.put(RoleTemplate, { name: 'nodes' }, { context: 'cluster', rules: [pods] });
  hub.put(GlobalRoleBinding, { name: 'grb-2' }, { globalRoleName: 'roles', userName: 'u-writer' });
  const raise = (fields: Fields, metadata = {}) =>
    hub.write(writer, RoleTemplate, { name: 'reader' }, { context: 'project', ...fields }, metadata);
  says(await raise({ rules: [pods, secrets] }), 403, /secrets/);
  says(await raise({ rules: [pods], roleTemplateNames: ['cluster-owner'] }), 403, /not currently held/);
  says(await raise({ external: true, externalRules: [pods] }), 403, /not currently held/);
  isAllowed(await raise({ rules: [pods, pods] }));
  isAllowed(await raise({ rules: [pods], displayName: 'Reader' }));
  hub.put(
    RoleTemplate,
    { name: 'read-only' },
    { context: 'project', rules: [secrets] },
    { annotations: { 'rancher.drover.io/hides-secrets': 'true' } },
  );
  says(await hub.write(writer, RoleTemplate, { name: 'read-only' }, { context: 'project', rules: [secrets] }), 403, /secrets/);
  hub.put(GlobalRole, { name: 'escalator' }, { rules: [mayManage(['escalate'], 'roletemplates')] });
  hub.put(GlobalRoleBinding, { name: 'grb-3' }, { globalRoleName: 'escalator', userName: 'u-writer' });
  isAllowed(await raise({ rules: [secrets] }));
});

test('rights on the hub are none on members', async () => {
  const hub = start();
  hub.put(GlobalRole, { name: 'hub-secrets' }, { rules: [secrets] });
  hub.put(GlobalRoleBinding, { name: 'grb-2' }, { globalRoleName: 'hub-secrets', groupPrincipalName: 'genericoidc_group://ops' });
  const ops = person('u-ops', 'genericoidc_group://ops');
  hub.put(RoleTemplate, { name: 'thief' }, { context: 'cluster', rules: [secrets] });
  const bind = (clusterName: string) =>
    hub.write(
      ops,
      ClusterRoleTemplateBinding,
      { namespace: clusterName, name: 'x' },
      { clusterName, roleTemplateName: 'thief', userName: 'u-b' },
    );
  says(await bind(cluster), 403, /not currently held/);
  isAllowed(await bind('local'));
});

test('bindings name one role, one place and one subject that are there, and keep them', async () => {
  const hub = start();
  says(await give(hub, owner, { roleTemplateName: 'none' }), 422, /roleTemplateName: Not found/);
  says(await give(hub, owner, { roleTemplateName: 'cluster-owner' }), 422, /the context of the role must be "project"/);
  says(await give(hub, owner, { roleTemplateName: 'locked' }), 422, /is locked/);
  says(await give(hub, owner, { projectName: `${cluster}:p-9` }, 'p-9'), 422, /projectName: Not found/);
  says(await give(hub, owner, {}, 'elsewhere'), 422, /metadata.namespace/);
  says(await give(hub, owner, { userName: '' }), 422, /must name a user or a group/);
  says(await give(hub, owner, { groupName: 'g' }), 422, /only one user, group or service account/);
  says(await give(hub, owner, { userPrincipalName: 'local://u-c' }), 422, /not a principal of user "u-b"/);
  says(await give(hub, owner, { userName: '', serviceAccount: 'one' }), 422, /serviceAccount/);
  isAllowed(await give(hub, owner, { userName: '', userPrincipalName: 'local://u-b' }));
  isAllowed(await give(hub, owner, { userName: 'u-b', userPrincipalName: 'local://u-b' }));
  says(
    await give(hub, owner, { userName: 'u-c', userPrincipalName: 'local://u-b' }),
    422,
    /userName: Forbidden: field is immutable once set/,
  );
  says(await give(hub, owner, { roleTemplateName: 'project-owner' }), 422, /roleTemplateName: Forbidden: field is immutable/);
  says(await give(hub, owner, { projectName: `${cluster}:p-2` }), 422, /projectName: Forbidden: field is immutable/);
  const again = { projectName, userName: 'u-b', roleTemplateName: 'reader' };
  says(await hub.write(owner, ProjectRoleTemplateBinding, { namespace: 'p-1', name: 'again' }, again), 409, /already exists/);
});

test('who may make namespaces in a cluster cannot take those of a project by it', async () => {
  const hub = start();
  const maker = person('u-maker');
  const makes = { rules: [may(['create'], 'namespaces'), mayManage(['*'], 'projectroletemplatebindings')] };
  hub.put(RoleTemplate, { name: 'cluster-maker' }, { context: 'cluster', ...makes });
  hub.put(RoleTemplate, { name: 'project-maker' }, { context: 'project', ...makes });
  const ofCluster = { clusterName: cluster, userName: 'u-maker', roleTemplateName: 'cluster-maker' };
  hub.put(ClusterRoleTemplateBinding, { namespace: cluster, name: 'crtb-1' }, ofCluster);
  says(await give(hub, maker, { roleTemplateName: 'project-maker' }), 403, /Resources:\["namespaces"\], Verbs:\["\*"\]/);
  hub.put(
    ProjectRoleTemplateBinding,
    { namespace: 'p-1', name: 'prtb-2' },
    { projectName, userName: 'u-maker', roleTemplateName: 'project-maker' },
  );
  isAllowed(await give(hub, maker, { roleTemplateName: 'project-maker' }));
});

test('GlobalRoles and their bindings give away only what the giver holds', async () => {
  const hub = start();
  const writer = person('u-writer');
  hub.put(GlobalRole, { name: 'some' }, { rules: [pods], namespacedRules: { n: [secrets] } });
  hub.put(GlobalRoleBinding, { name: 'grb-2' }, { globalRoleName: 'some', userName: 'u-writer' });
  const make = (fields: Fields) => hub.write(writer, GlobalRole, { name: 'made' }, fields);
  isAllowed(await make({ rules: [pods], namespacedRules: { n: [pods, secrets] } }));
  says(await make({ rules: [secrets] }), 403, /secrets/);
  says(await make({ namespacedRules: { m: [secrets] } }), 403, /secrets/);
  says(await make({ inheritedClusterRoles: ['cluster-owner'] }), 403, /not currently held/);
  says(await make({ inheritedClusterRoles: ['reader'] }), 422, /context of the role must be "cluster"/);
  says(await make({ inheritedNamespacedRules: { n: [pods] } }), 403, /pods/);
  says(await make({ inheritedFleetWorkspacePermissions: { workspaceVerbs: ['*'] } }), 403, /fleetworkspaces/);
  says(await make({ rules: [{ verbs: ['get'] }] }), 422, /rules\[0\].apiGroups: Required value/);
  const bind = (by: typeof writer, globalRoleName: string, name = 'b') =>
    hub.write(by, GlobalRoleBinding, { name }, { globalRoleName, userName: 'u-new' });
  says(await bind(writer, 'admin'), 403, /not currently held/);
  says(await bind(writer, 'none'), 422, /globalRoleName: Not found/);
  isAllowed(await bind(writer, 'some'));
  says(await bind(writer, 'some', 'again'), 409, /already exists/);
  assert.match((await bind(writer, 'restricted-admin', 'old')).warnings?.join() ?? '', /no longer there/);
  // Everybody who comes later would be an administrator.
  says(
    await hub.write(writer, GlobalRole, { name: 'admin' }, { rules: everything, builtin: true, newUserDefault: true }),
    403,
    /not currently held/,
  );
});

test('built-in roles change little and stay', async () => {
  const hub = start();
  const asBefore = { context: 'cluster', rules: everything, builtin: true };
  const write = (fields: Fields) => hub.write(admin, RoleTemplate, { name: 'cluster-owner' }, { ...asBefore, ...fields });
  says(await write({ rules: [] }), 422, /rules: Forbidden: cannot be changed in a built-in role/);
  says(await write({ builtin: false }), 422, /builtin: Forbidden/);
  isAllowed(await write({ locked: true, clusterCreatorDefault: true }));
  says(await hub.remove(admin, RoleTemplate, { name: 'cluster-owner' }), 403, /built-in/);
  says(await hub.write(admin, GlobalRole, { name: 'admin' }, { rules: [], builtin: true }), 422, /built-in/);
  says(await hub.remove(admin, GlobalRole, { name: 'admin' }), 403, /built-in/);
  says(await hub.write(admin, RoleTemplate, { name: 'mine' }, { context: 'cluster', builtin: true }), 422, /only the hub itself/);
});

test('RoleTemplates are sound, and stay while somebody uses them', async () => {
  const hub = start();
  const write = (fields: Fields, name = 'mine') => hub.write(admin, RoleTemplate, { name }, { context: 'project', ...fields });
  says(await write({ administrative: true }), 422, /can be administrative/);
  says(await write({ externalRules: [pods] }), 422, /only external roles/);
  says(await write({ rules: [{ verbs: [], apiGroups: [''], resources: ['pods'] }] }), 422, /rules\[0\].verbs: Required value/);
  says(await write({ roleTemplateNames: ['none'] }), 422, /roleTemplateNames\[0\]: Not found/);
  says(await write({ roleTemplateNames: ['mine'] }), 422, /inherit from itself/);
  isAllowed(await write({ roleTemplateNames: ['reader'] }));
  says(await write({ rules: [pods], roleTemplateNames: ['mine'] }, 'reader'), 422, /inherit from itself/);
  const many = Array.from({ length: 200 }, (_, i) => `r${i}`);
  says(await write({ rules: [{ verbs: many, apiGroups: [''], resources: many }] }), 422, /Too many/);
  const remove = (kind: KindRef, name: string) => hub.remove(admin, kind, { name });
  says(await remove(RoleTemplate, 'reader'), 403, /inherited by RoleTemplate "mine"/);
  isAllowed(await remove(RoleTemplate, 'mine'));
  isAllowed(await give(hub, owner, {}));
  says(await remove(RoleTemplate, 'reader'), 403, /"p-1\/given" still gives it/);
  hub.delete(ProjectRoleTemplateBinding, { namespace: 'p-1', name: 'given' });
  isAllowed(await remove(RoleTemplate, 'reader'));
});
