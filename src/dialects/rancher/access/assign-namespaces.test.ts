import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Namespace } from '../../../api/builtin-kinds.ts';
import { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startAccessWorld, type AccessWorld } from '../../../../test/helpers/rancher-access-world.ts';
import { findRancherCondition } from '../clusters/rancher-condition.ts';
import { Project } from '../kinds/project.ts';
import { rancherLabels } from '../names.ts';
import { accessAnnotations, accessLabels } from './access-names.ts';
import { assignmentPatch, openAssignments } from './assign-namespaces.ts';

const project = (name: string, label: string, namespace = 'c-m-0000east') =>
  newObject(Project, { namespace, name, labels: { [label]: 'true' } }, { displayName: name, clusterName: namespace });

const space = (name: string, more: Partial<Namespace['metadata']> = {}): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, resourceVersion: '7', ...more },
});

test('what is to be given follows from the setting, and is open until the project says that it was done', () => {
  const own = newObject(Project, { namespace: 'c-m-0000east', name: 'p-own00' }, { displayName: 'Own', clusterName: 'c-m-0000east' });
  const done = {
    ...project('p-sys01', rancherLabels.systemProject),
    status: { conditions: [{ type: 'SystemNamespacesAssigned', status: 'True' }] },
  };
  const open = openAssignments(
    [own, project('p-def00', rancherLabels.defaultProject), project('p-sys00', rancherLabels.systemProject), done],
    ' kube-system,, cattle-system ',
  );
  assert.deepEqual(
    open.map(({ project: { metadata }, namespaces }) => [metadata.name, [...namespaces]]),
    [
      ['p-def00', ['default']],
      ['p-sys00', ['kube-system', 'cattle-system']],
    ],
  );
});

test('only namespaces that are in no project are given to one, as they were seen', () => {
  const [system] = openAssignments([project('p-sys00', rancherLabels.systemProject)], 'kube-system');
  const annotations = { [accessAnnotations.project]: 'c-m-other000:p-other' };
  assert.deepEqual(assignmentPatch(space('kube-system'), system!), {
    metadata: {
      resourceVersion: '7',
      annotations: { [accessAnnotations.project]: 'c-m-0000east:p-sys00' },
      labels: { [accessLabels.project]: 'p-sys00' },
    },
  });
  for (const other of [
    space('shop'),
    space('kube-system', { annotations }),
    space('kube-system', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
  ])
    assert.equal(assignmentPatch(other, system!), undefined);
});

async function connect({ hub }: AccessWorld): Promise<void> {
  const connected = { type: 'Connected', status: 'True', reason: 'Test', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await hub.client.patch(
    Cluster,
    { name: 'east' },
    { type: 'merge', body: { status: { conditions: [connected] } } },
    { subresource: 'status' },
  );
}

test('namespaces of the system are in its project once somebody has gone to the member, and stay where people put them', async t => {
  const world = await startAccessWorld(t);
  const { hub, member, namespace: id } = world;
  await connect(world);
  await world.putNamespace('kube-public', 'p-mine0');
  await hub.client.create(Project, project('p-def00', rancherLabels.defaultProject, id));
  await hub.client.create(Project, project('p-sys00', rancherLabels.systemProject, id));
  const placeOf = async (name: string) => (await member.client.get(Namespace, { name }))?.metadata.annotations?.[accessAnnotations.project];
  assert.equal(await placeOf('kube-system'), undefined, 'nobody has gone there yet');

  await world.joinCluster('u-anna', 'cluster-owner');
  for (const [name, condition] of [
    ['p-def00', 'DefaultNamespacesAssigned'],
    ['p-sys00', 'SystemNamespacesAssigned'],
  ] as const)
    await eventually(
      async () => findRancherCondition(await hub.client.get(Project, { namespace: id, name }), condition)?.status === 'True',
    );
  assert.deepEqual(await Promise.all(['default', 'kube-system', 'kube-public'].map(placeOf)), [
    `${id}:p-def00`,
    `${id}:p-sys00`,
    `${id}:p-mine0`,
  ]);
  const { metadata } = (await member.client.get(Namespace, { name: 'kube-system' }))!;
  assert.equal(metadata.labels?.[accessLabels.project], 'p-sys00');
  assert.equal(await member.client.get(Namespace, { name: 'cattle-system' }), undefined, 'none is made for it');

  await world.join('u-joe', 'p-def00', 'project-member');
  await world.mayOnMember('u-joe', { verb: 'create', resource: 'pods', namespace: 'default' });
  await world.putNamespace('default', 'p-mine0');
  await world.mayOnMember('u-joe', { verb: 'create', resource: 'pods', namespace: 'default' }, false);
  assert.equal(await placeOf('default'), `${id}:p-mine0`);
});
