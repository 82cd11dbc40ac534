import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Deployment, Namespace, Secret, ServiceAccount } from '../../api/builtin-kinds.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startImportedMember } from '../../../test/helpers/imported-objects.ts';
import { adminRole, agentAccountName, agentDeployment, agentNamespace as namespace } from './agent-names.ts';
import { leaveMember } from './leave-member.ts';

const project = 'field.cattle.io/projectId';
const secret = (name: string, labels = {}): Secret => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace, labels } });

test('an agent that was removed takes its own things away and leaves the namespace', async t => {
  const { client, clusterId } = await startImportedMember(t);
  await client.create(Secret, secret('drover-agent-identity', { 'app.kubernetes.io/managed-by': 'drover' }));
  await client.create(Secret, secret('of-somebody-else'));
  await leaveMember(client, clusterId, {});
  await eventually(
    async () => (await client.list(Secret, { namespace })).items.map(one => one.metadata.name).join() === 'of-somebody-else',
  );
  await eventually(async () => (await client.get(Deployment, { namespace, name: agentDeployment })) === undefined);
  await eventually(async () => (await client.get(ServiceAccount, { namespace, name: agentAccountName })) === undefined);
  await eventually(async () => (await client.get(ClusterRoleBinding, { name: 'cattle-admin-binding' })) === undefined);
  assert.equal((await client.get(Namespace, { name: namespace }))?.metadata.deletionTimestamp, undefined);
  await leaveMember(client, clusterId, {});
});

test('a role that somebody else made under the same name is left alone, and so is everything with it', async t => {
  const { client, clusterId } = await startImportedMember(t);
  const body = { metadata: { labels: { 'app.kubernetes.io/managed-by': 'others' } } };
  await client.patch(ClusterRole, { name: adminRole }, { type: 'merge', body });
  await leaveMember(client, clusterId, {});
  const deployment = await client.get(Deployment, { namespace, name: agentDeployment });
  assert.deepEqual(deployment?.metadata.ownerReferences ?? [], []);
});

test('namespaces are untied from the projects of this hub and of no other', async t => {
  const { client, clusterId } = await startImportedMember(t);
  const of = (name: string, cluster: string): Namespace => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { [project]: 'p-abcde', team: 'a' }, annotations: { [project]: `${cluster}:p-abcde` } },
  });
  await client.create(Namespace, of('shop', clusterId));
  await client.create(Namespace, of('harvester-public', 'local'));
  await leaveMember(client, clusterId, {});
  const shop = await client.get(Namespace, { name: 'shop' });
  assert.deepEqual(
    [shop?.metadata.labels?.[project], shop?.metadata.annotations?.[project], shop?.metadata.labels?.team],
    [undefined, undefined, 'a'],
  );
  assert.equal((await client.get(Namespace, { name: 'harvester-public' }))?.metadata.annotations?.[project], 'local:p-abcde');
});
