import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRole, ClusterRoleBinding, Namespace, Service } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startImportedMember } from '../../../test/helpers/imported-objects.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { agentNamespace, importedRoles } from './agent-names.ts';
import { removeAgent } from './remove-agent.ts';

const rolesLeft = async (client: KubeClient) => {
  const found = [
    ...(await Promise.all(importedRoles.roles.map(name => client.get(ClusterRole, { name })))),
    ...(await Promise.all(importedRoles.bindings.map(name => client.get(ClusterRoleBinding, { name })))),
  ];
  return found.filter(one => one !== undefined).length;
};

test('everything that was imported goes', async t => {
  const { client, clusterId } = await startImportedMember(t);
  assert.equal(await rolesLeft(client), 4);
  await removeAgent(client, clusterId, {});
  await eventually(async () => (await client.get(Namespace, { name: agentNamespace })) === undefined && (await rolesLeft(client)) === 0);
  await removeAgent(client, clusterId, {});
});

test('a cluster that holds a Rancher keeps its namespace', async t => {
  const { client, clusterId } = await startImportedMember(t);
  await client.create(Service, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'rancher', namespace: agentNamespace },
    spec: { ports: [{ port: 80 }] },
  });
  await removeAgent(client, clusterId, {});
  assert.equal((await client.get(Namespace, { name: agentNamespace }))?.metadata.deletionTimestamp, undefined);
  assert.equal(await rolesLeft(client), 4);
});

test('a namespace that somebody else made is left alone', async t => {
  const { client } = await startMemoryServer(t);
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentNamespace } });
  await removeAgent(client, 'c-m-ab12cd34', {});
  assert.equal((await client.get(Namespace, { name: agentNamespace }))?.metadata.deletionTimestamp, undefined);
});
