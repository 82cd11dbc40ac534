import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Namespace, Role, RoleBinding } from '../../../api/builtin-kinds.ts';
import { everything, startRancherRig } from '../../../../test/helpers/rancher-rig.ts';
import type { JsonObject } from '../../../util/json.ts';

test('roles are given in clusters and projects', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-abcde', 'shop');
  await rig.addProject('c-abcde', 'p-12345', 'Default');
  await rig.hub.client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'p-12345' } });
  const as = await rig.addPerson('admin', everything);
  const template = await rig.ask('/v3/roletemplates', {
    as,
    method: 'POST',
    body: { name: 'View pods', context: 'project', rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }] },
  });
  assert.deepEqual([template.status, template.body['hidden'], template.body['context']], [201, false, 'project'], template.text);
  const roleTemplateId = String(template.body['id']);
  assert.equal(((await rig.ask('/v3/roletemplates?hidden=false&context=project', { as })).body['data'] as unknown[]).length, 1);
  const bound = await rig.ask('/v3/projectroletemplatebindings', {
    as,
    method: 'POST',
    body: { projectId: 'c-abcde:p-12345', roleTemplateId, groupPrincipalId: 'x_group://devs', userPrincipalId: 'x_group://devs' },
  });
  assert.equal(bound.status, 201, bound.text);
  assert.deepEqual(
    ['projectId', 'roleTemplateId', 'groupPrincipalId', 'userPrincipalId', 'userId'].map(name => bound.body[name]),
    ['c-abcde:p-12345', roleTemplateId, 'x_group://devs', null, null],
  );
  const member = await rig.ask('/v3/clusterroletemplatebindings', {
    as,
    method: 'POST',
    body: { clusterId: 'c-abcde', roleTemplateId: 'cluster-member', userId: 'u-abcde' },
  });
  assert.equal(member.status, 201, member.text);
  assert.match(String(member.body['id']), /^c-abcde:crtb-/);
  for (const path of [
    '/v3/clusters/c-abcde/clusterroletemplatebindings',
    '/v3/clusterroletemplatebindings?clusterId=c-abcde&userId=u-abcde',
  ])
    assert.equal(((await rig.ask(path, { as })).body['data'] as unknown[]).length, 1, path);
  const none = await rig.ask('/v3/clusterroletemplatebindings?clusterId=c-12345', { as });
  assert.deepEqual([none.status, none.body['data']], [200, []]);
});

test('projects are seen by those who may get them, in the clusters they may see', async t => {
  const rig = await startRancherRig(t);
  await rig.addCluster('c-aaaaa', 'a');
  await rig.addCluster('c-bbbbb', 'b');
  for (const cluster of ['c-aaaaa', 'c-bbbbb']) for (const name of ['p-00001', 'p-00002']) await rig.addProject(cluster, name, name);
  const group = { apiGroups: ['management.cattle.io'], verbs: ['get'] };
  const as = await rig.addPerson('jane', [{ ...group, resources: ['clusters'], resourceNames: ['c-aaaaa'] }]);
  const rbac = 'rbac.authorization.k8s.io';
  for (const namespace of ['c-aaaaa', 'c-bbbbb']) {
    await rig.hub.client.create(Role, {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata: { name: 'one', namespace },
      rules: [{ ...group, resources: ['projects'], resourceNames: ['p-00002'] }],
    });
    await rig.hub.client.create(RoleBinding, {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name: 'one', namespace },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'one' },
      subjects: [{ apiGroup: rbac, kind: 'User', name: as.user.metadata.name! }],
    });
  }
  const ids = async (path: string) => ((await rig.ask(path, { as })).body['data'] as JsonObject[]).map(({ id }) => id);
  assert.deepEqual(await ids('/v3/projects'), ['c-aaaaa:p-00002']);
  assert.deepEqual(await ids('/v3/projects?clusterId=c-bbbbb'), ['c-bbbbb:p-00002'], 'rights decide, not what is listed elsewhere');
  assert.deepEqual(await ids('/v3/clusters/c-aaaaa/projects'), ['c-aaaaa:p-00002']);
  assert.equal((await rig.ask('/v3/projects/c-aaaaa:p-00001', { as })).status, 404);
  const project = (await rig.ask('/v3/projects/c-aaaaa:p-00002', { as })).body;
  assert.deepEqual(
    [project['name'], project['clusterId'], project['state'], project['transitioning']],
    ['p-00002', 'c-aaaaa', 'active', 'no'],
  );
});
