import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { RoleBinding } from '../../../api/builtin-kinds.ts';
import { withType } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { GlobalRole, GlobalRoleBinding, RoleTemplate } from '../kinds/role.ts';
import { builtinTemplates } from './builtin-templates.ts';
import { compileGlobalRole, compileGlobalRoleBinding } from './compile-global-access.ts';
import { compileClusterHub, compileProjectHub, compileTemplate } from './compile-hub-access.ts';
import type { Grant } from './grants.ts';
import type { PolicyRule, Subject } from './rbac-objects.ts';

const id = 'c-m-abcdefgh';
const builtin = new Map(
  builtinTemplates.map(({ name, rules = [], inherits = [], external = false, externalRules = [], context }) => [
    name,
    withType(RoleTemplate, {
      metadata: { name },
      context,
      rules: [...rules],
      roleTemplateNames: [...inherits],
      external,
      externalRules: [...externalRules],
    }) as RoleTemplate,
  ]),
);
const find = (name: string) => builtin.get(name);
const user = (name: string): Subject => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
const grant = (name: string, template: string): Grant => ({ template, subject: user(name), memberSubject: user(name) });
const text = ({ kind, metadata: { namespace, name } }: KubeObject) => `${kind} ${namespace ? `${namespace}/` : ''}${name}`;
const subjectsOf = (objects: readonly KubeObject[], name: string) =>
  (objects.find(obj => obj.kind.endsWith('Binding') && obj.metadata.name === name) as RoleBinding | undefined)?.subjects?.map(
    one => one.name,
  );

test('whoever has any part in a cluster sees it, and its owners own it', () => {
  const made = compileClusterHub({
    id,
    name: 'east',
    provisioning: { namespace: 'fleet-default', name: 'east' },
    grants: [grant('u-ann', 'cluster-owner')],
    projectGrants: [grant('u-cy', 'read-only'), grant('u-cy', 'create-ns')],
    find,
  });
  assert.deepEqual(made.map(text), [
    `ClusterRole ${id}-clustermember`,
    `ClusterRoleBinding ${id}-clustermember`,
    `Role fleet-default/${id}-clustermember`,
    `RoleBinding fleet-default/${id}-clustermember`,
    `ClusterRole ${id}-clusterowner`,
    `ClusterRoleBinding ${id}-clusterowner`,
    `Role fleet-default/${id}-clusterowner`,
    `RoleBinding fleet-default/${id}-clusterowner`,
    `RoleBinding ${id}/cluster-owner-cluster-mgmt`,
  ]);
  assert.deepEqual(subjectsOf(made, `${id}-clustermember`), ['u-ann', 'u-cy']);
  assert.deepEqual(subjectsOf(made, `${id}-clusterowner`), ['u-ann']);
});

test('a cluster in which nobody has a part makes nothing', () => {
  assert.deepEqual(compileClusterHub({ id, name: 'east', grants: [], projectGrants: [], find }), []);
});

test('accounts of the member have no part on the hub', () => {
  const account: Grant = { template: 'project-owner', memberSubject: { kind: 'ServiceAccount', namespace: 'shop', name: 'robot' } };
  const made = compileProjectHub({
    cluster: id,
    project: 'p-a',
    backingNamespace: `${id}-p-a`,
    grants: [account],
    clusterGrants: [],
    find,
  });
  assert.deepEqual(made.map(text), [`Namespace ${id}-p-a`]);
});

test('members of a project see it, owners own it and manage its members, as owners of the cluster do', () => {
  const made = compileProjectHub({
    cluster: id,
    project: 'p-a',
    backingNamespace: `${id}-p-a`,
    grants: [grant('u-ann', 'project-owner'), grant('u-cy', 'read-only')],
    clusterGrants: [grant('u-boss', 'cluster-owner'), grant('u-mem', 'nodes-view')],
    find,
  });
  assert.deepEqual(subjectsOf(made, 'p-a-projectmember'), ['u-ann', 'u-cy']);
  assert.deepEqual(subjectsOf(made, 'p-a-projectowner'), ['u-ann']);
  assert.deepEqual(subjectsOf(made, 'project-owner-project-mgmt'), ['u-ann']);
  assert.deepEqual(subjectsOf(made, 'cluster-owner-project-mgmt'), ['u-boss']);
  assert.equal(subjectsOf(made, 'nodes-view-project-mgmt'), undefined);
});

test('whatever a role says, on the hub it is about clusters, projects and their members only', () => {
  const some = (values: readonly string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
  const rule = fc.record(
    {
      verbs: some(['get', 'create', '*']),
      apiGroups: some(['', '*', 'management.cattle.io', 'drover.io']),
      resources: some(['*', 'secrets', 'works', 'tokens', 'projects', 'projectroletemplatebindings', 'users']),
    },
    { noNullPrototype: true },
  );
  const allowed = new Set(['clusterregistrationtokens', 'clusterroletemplatebindings', 'projects', 'projectroletemplatebindings']);
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 5 }), rules => {
      const template = withType(RoleTemplate, { metadata: { name: 'any' }, rules }) as RoleTemplate;
      for (const made of compileTemplate('any', () => template)) {
        for (const { apiGroups, resources = [] } of made['rules'] as PolicyRule[]) {
          assert.deepEqual(apiGroups, ['management.cattle.io']);
          assert.ok(resources.every(one => allowed.has(one)));
        }
      }
    }),
  );
});

test('a GlobalRole is bound in the whole hub and in the namespaces that it names', () => {
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }];
  const role = withType(GlobalRole, {
    metadata: { name: 'ops' },
    rules,
    namespacedRules: { default: rules },
    inheritedFleetWorkspacePermissions: { resourceRules: rules, workspaceVerbs: ['get'] },
  }) as GlobalRole;
  assert.deepEqual(compileGlobalRole(role).map(text), [
    'ClusterRole cattle-globalrole-ops',
    'Role default/cattle-globalrole-ops',
    'Role fleet-default/cattle-globalrole-ops',
  ]);
  const binding = withType(GlobalRoleBinding, {
    metadata: { name: 'grb-1' },
    globalRoleName: 'ops',
    userName: 'u-ann',
  }) as GlobalRoleBinding;
  const bound = compileGlobalRoleBinding(binding, role, user('u-ann'));
  assert.deepEqual(bound.map(text), [
    'ClusterRoleBinding cattle-globalrolebinding-grb-1',
    'RoleBinding default/cattle-globalrolebinding-grb-1',
    'RoleBinding fleet-default/cattle-globalrolebinding-grb-1',
  ]);
  assert.ok(bound.every(obj => (obj as RoleBinding).roleRef.name === 'cattle-globalrole-ops'));
});
