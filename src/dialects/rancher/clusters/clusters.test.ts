import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startRancherClusters, type RancherClustersWorld } from '../../../../test/helpers/rancher-clusters.ts';
import { Namespace, Secret } from '../../../api/builtin-kinds.ts';
import { Cluster } from '../../../api/cluster.ts';
import { newObject } from '../../../api/define-kind.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { ClusterRegistrationToken, ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { Project } from '../kinds/project.ts';
import { ClusterRoleTemplateBinding } from '../kinds/role.ts';
import { Setting } from '../kinds/setting.ts';

const namespace = 'fleet-default';

/** As people write it who follow the manual of Harvester. */
const harvester = (annotations: Record<string, string> = {}): ProvisioningCluster =>
  newObject(
    ProvisioningCluster,
    {
      name: 'harvester-cluster-name',
      namespace,
      labels: { 'provider.cattle.io': 'harvester' },
      annotations: { 'field.cattle.io/description': 'Human readable cluster description', ...annotations },
    },
    { agentEnvVars: [] },
  );

interface World extends RancherClustersWorld {
  readProvisioning(): Promise<ProvisioningCluster | undefined>;
  readManagement(id: string): Promise<ManagementCluster | undefined>;
  /** Makes the provisioning Cluster and answers its id. */
  importHarvester(annotations?: Record<string, string>): Promise<string>;
}

async function start(t: TestContext): Promise<World> {
  const world = await startRancherClusters(t);
  const { client } = world.hub;
  await eventually(() => client.get(Namespace, { name: namespace }));
  const readProvisioning = () => client.get(ProvisioningCluster, { namespace, name: 'harvester-cluster-name' });
  return {
    ...world,
    readProvisioning,
    readManagement: name => client.get(ManagementCluster, { name }),
    async importHarvester(annotations) {
      await client.create(ProvisioningCluster, harvester(annotations));
      return (await eventually(async () => (await readProvisioning())?.status?.clusterName, Boolean))!;
    },
  };
}

const conditionOf = (
  obj: { status?: { conditions?: readonly { type: string; status: string; reason?: string; message?: string }[] } } | undefined,
  type: string,
) => obj?.status?.conditions?.find(one => one.type === type);

test('a provisioning Cluster becomes a member that waits for its agent', async t => {
  const world = await start(t);
  const id = await world.importHarvester();
  assert.match(id, /^c-m-[a-z0-9]{8}$/);
  const management = await eventually(
    () => world.readManagement(id),
    one => conditionOf(one, 'Pending')?.message?.includes('No agent has connected yet') === true,
  );
  assert.equal(management?.spec.displayName, 'harvester-cluster-name');
  assert.equal(management?.spec.description, 'Human readable cluster description');
  assert.equal(management?.spec.fleetWorkspaceName, namespace);
  assert.equal(management?.metadata.labels?.['provider.cattle.io'], 'harvester');
  assert.equal(conditionOf(management, 'Pending')?.status, 'Unknown');
  assert.equal(management?.status?.driver, undefined);

  const cluster = await world.read('harvester-cluster-name');
  assert.deepEqual([cluster?.spec.id, cluster?.spec.connection.mode], [id, 'Tunnel']);
  assert.equal(cluster?.metadata.labels?.['provider.cattle.io'], 'harvester');
});

test('every cluster has its projects, and the one who made it owns it', async t => {
  const world = await start(t);
  const id = await world.importHarvester({ 'field.cattle.io/creatorId': 'u-abcde' });
  const { client } = world.hub;
  const projects = await eventually(
    async () => (await client.list(Project, { namespace: id })).items,
    found => found.length === 2,
  );
  assert.deepEqual(projects.map(({ spec }) => spec.displayName).sort(), ['Default', 'System']);
  for (const { metadata } of projects) assert.match(metadata.name ?? '', /^p-[a-z0-9]{5}$/);
  const [binding] = await eventually(
    async () => (await client.list(ClusterRoleTemplateBinding, { namespace: id })).items,
    found => found.length > 0,
  );
  assert.deepEqual([binding?.roleTemplateName, binding?.userName, binding?.clusterName], ['cluster-owner', 'u-abcde', id]);
  await eventually(async () => conditionOf(await world.readManagement(id), 'CreatorMadeOwner')?.status === 'True');
});

test('a default project that somebody deleted does not come back, the one of the system does', async t => {
  const world = await start(t);
  const id = await world.importHarvester();
  const { client } = world.hub;
  await eventually(async () => conditionOf(await world.readManagement(id), 'DefaultProjectCreated')?.status === 'True');
  const before = (await client.list(Project, { namespace: id })).items;
  for (const { metadata } of before) await client.delete(Project, { namespace: id, name: metadata.name! });
  const after = await eventually(
    async () => (await client.list(Project, { namespace: id })).items,
    found => found.length === 1,
  );
  assert.equal(after[0]?.spec.displayName, 'System');
});

test('the registration token is there, and applying the one of the manual keeps it', async t => {
  const world = await start(t);
  const id = await world.importHarvester();
  const { client } = world.hub;
  const read = () => client.get(ClusterRegistrationToken, { namespace: id, name: 'default-token' });
  const first = await eventually(read, one => Boolean(one?.status?.manifestUrl));
  const { token, manifestUrl, command, insecureCommand } = first!.status!;
  assert.match(token ?? '', /^[bcdfghjklmnpqrstvwxz2456789]{54}$/);
  assert.equal(manifestUrl, `https://hub.example.com/v3/import/${token}_${id}.yaml`);
  assert.equal(command, `kubectl apply -f ${manifestUrl}`);
  assert.equal(insecureCommand, `curl --insecure -sfL ${manifestUrl} | kubectl apply -f -`);

  await client.apply(
    ClusterRegistrationToken,
    newObject(ClusterRegistrationToken, { name: 'default-token', namespace: id }, { clusterName: id }),
  );
  await world.idle();
  assert.equal((await read())?.status?.token, token);

  const secrets = async () => (await client.list(Secret, { namespace: id, fieldSelector: 'type=drover.io/registration-token' })).items;
  assert.equal((await eventually(secrets, found => found.length === 1)).length, 1);
  assert.ok(!JSON.stringify(await secrets()).includes(token!), 'the hub keeps its hash');

  await client.patch(Setting, { name: 'server-url' }, { type: 'merge', body: { value: 'https://other.example.com/' } });
  await eventually(async () => (await read())?.status?.manifestUrl === `https://other.example.com/v3/import/${token}_${id}.yaml`);

  await client.delete(ClusterRegistrationToken, { namespace: id, name: 'default-token' });
  const renewed = await eventually(read, one => Boolean(one?.status?.token) && one?.status?.token !== token);
  assert.ok(renewed?.status?.token);
  await eventually(secrets, found => found.length === 1);
});

test('a token for another cluster, or for none, opens nothing', async t => {
  const world = await start(t);
  const id = await world.importHarvester();
  const { client } = world.hub;
  const wrong = newObject(ClusterRegistrationToken, { name: 'wrong', namespace: id }, { clusterName: 'c-m-other123' });
  await client.create(ClusterRegistrationToken, wrong);
  const read = () => client.get(ClusterRegistrationToken, { namespace: id, name: 'wrong' });
  const refused = await eventually(read, one => conditionOf(one, 'Ready') !== undefined);
  assert.deepEqual([conditionOf(refused, 'Ready')?.reason, refused?.status?.token], ['InvalidClusterName', undefined]);
});

test('a cluster goes from pending to active, and is unavailable when its agent is lost', async t => {
  const world = await start(t);
  const id = await world.importHarvester();
  world.connect(id);
  const active = await eventually(
    () => world.readManagement(id),
    one => conditionOf(one, 'Ready')?.status === 'True' && one?.status?.version !== undefined,
  );
  assert.deepEqual(
    ['Pending', 'Provisioned', 'Waiting', 'Connected', 'AgentTlsStrictCheck'].map(type => conditionOf(active, type)?.status),
    ['True', 'True', 'True', 'True', 'True'],
  );
  assert.equal(active?.status?.driver, 'imported');
  assert.match(active?.status?.version?.gitVersion ?? '', /^v1\./);
  const ready = await eventually(world.readProvisioning, one => one?.status?.ready === true);
  assert.equal(ready?.status?.agentDeployed, true);

  world.connect(id, false);
  const lost = await eventually(
    () => world.readManagement(id),
    one => conditionOf(one, 'Ready')?.status === 'False',
  );
  assert.deepEqual(
    [conditionOf(lost, 'Ready')?.reason, conditionOf(lost, 'Ready')?.message, conditionOf(lost, 'Connected')?.status],
    ['Disconnected', 'Cluster agent is not connected', 'False'],
  );
  assert.equal((await world.readProvisioning())?.status?.ready, true);
});

test('a cluster that joined in another way gets its face, and both go together', async t => {
  const world = await start(t);
  const { client } = world.hub;
  const made = await client.create(
    Cluster,
    newObject(Cluster, { name: 'east', labels: { env: 'prod' } }, { connection: { mode: 'Direct', server: 'https://east.example' } }),
  );
  const id = clusterId(made);
  const face = await eventually(
    () => world.readManagement(id),
    one => conditionOf(one, 'Ready')?.status === 'True',
  );
  assert.deepEqual([face?.spec.displayName, face?.metadata.labels?.env, face?.status?.driver], ['east', 'prod', 'imported']);
  assert.equal(face?.status?.apiEndpoint, 'https://east.example');
  assert.deepEqual((await client.list(ClusterRegistrationToken, { namespace: id })).items, []);

  await client.delete(Cluster, { name: 'east' });
  await eventually(async () => (await world.readManagement(id)) === undefined && (await world.read('east')) === undefined);
  await world.idle();
  assert.equal(await world.readManagement(id), undefined, 'it does not come back');
});

for (const [what, remove] of [
  ['the provisioning Cluster', ({ hub }: World) => hub.client.delete(ProvisioningCluster, { namespace, name: 'harvester-cluster-name' })],
  ['the management Cluster', ({ hub }: World, id: string) => hub.client.delete(ManagementCluster, { name: id })],
  ['the Cluster of the hub', ({ hub }: World) => hub.client.delete(Cluster, { name: 'harvester-cluster-name' })],
] as const)
  test(`deleting ${what} takes the others with it`, async t => {
    const world = await start(t);
    const id = await world.importHarvester();
    await eventually(async () => (await world.readManagement(id))?.metadata.finalizers?.length);
    await remove(world, id);
    await eventually(async () => (await world.readProvisioning()) === undefined, Boolean, { timeoutMs: 20_000 });
    await eventually(
      async () => (await world.readManagement(id)) === undefined && (await world.read('harvester-cluster-name')) === undefined,
    );
    assert.equal(await world.hub.client.get(Namespace, { name: id }), undefined);
    await world.idle();
    assert.equal(await world.readManagement(id), undefined, 'it does not come back');
  });

test('a management Cluster that people make becomes a member with its id, and has its provisioning Cluster', async t => {
  const world = await start(t);
  const { client } = world.hub;
  await client.create(
    ManagementCluster,
    newObject(ManagementCluster, { name: 'c-ab12c' }, { displayName: 'west', fleetWorkspaceName: namespace }),
  );
  const cluster = await eventually(() => world.read('west'), Boolean);
  assert.equal(cluster?.spec.id, 'c-ab12c');
  const provisioning = await eventually(
    () => client.get(ProvisioningCluster, { namespace, name: 'c-ab12c' }),
    one => one?.status?.clusterName === 'c-ab12c',
  );
  assert.ok(provisioning);
});

test('a name that another cluster has does not lead to that cluster', async t => {
  const world = await start(t);
  const { client } = world.hub;
  await client.create(
    Cluster,
    newObject(Cluster, { name: 'harvester-cluster-name' }, { connection: { mode: 'Direct', server: 'https://mine' } }),
  );
  const id = await world.importHarvester();
  const cluster = await eventually(() => world.read(id), Boolean);
  assert.equal(cluster?.spec.id, id);
  assert.equal((await world.read('harvester-cluster-name'))?.spec.connection.server, 'https://mine');
});

test('labels and description follow whoever changes them', async t => {
  const world = await start(t);
  const id = await world.importHarvester();
  const { client } = world.hub;
  await eventually(() => world.read('harvester-cluster-name'));
  await world.idle();
  const label = (value: string | null) => ({ type: 'merge' as const, body: { metadata: { labels: { env: value } } } });
  const everywhere = async () => [
    (await world.readProvisioning())?.metadata.labels?.env,
    (await world.readManagement(id))?.metadata.labels?.env,
    (await world.read('harvester-cluster-name'))?.metadata.labels?.env,
  ];
  await client.patch(Cluster, { name: 'harvester-cluster-name' }, label('a'));
  await eventually(everywhere, found => found.every(one => one === 'a'));
  await client.patch(ProvisioningCluster, { namespace, name: 'harvester-cluster-name' }, label('b'));
  await eventually(everywhere, found => found.every(one => one === 'b'));
  await client.patch(ManagementCluster, { name: id }, label(null));
  await eventually(everywhere, found => found.every(one => one === undefined));
  await client.patch(ManagementCluster, { name: id }, { type: 'merge', body: { spec: { description: 'changed' } } });
  await eventually(async () => (await world.readProvisioning())?.metadata.annotations?.['field.cattle.io/description'] === 'changed');
  assert.equal((await world.readProvisioning())?.metadata.labels?.['provider.cattle.io'], 'harvester');
});

test('the hub itself has a face and a namespace, and no Cluster of its own', async t => {
  const world = await start(t);
  const face = await eventually(
    () => world.readManagement('local'),
    one => conditionOf(one, 'DefaultProjectCreated')?.status === 'True',
  );
  assert.deepEqual([face?.spec.internal, face?.spec.displayName, face?.status?.driver], [true, 'local', 'local']);
  assert.equal(conditionOf(face, 'Ready')?.status, 'True');
  assert.equal(await world.read('local'), undefined);
  await eventually(() => world.hub.client.get(ProvisioningCluster, { namespace: 'fleet-local', name: 'local' }));

  await world.hub.client.delete(ManagementCluster, { name: 'local' });
  await eventually(async () => {
    const again = await world.readManagement('local');
    return again && again.metadata.uid !== face?.metadata.uid;
  });
});

test('what cannot become a member says why, and takes nothing from others', async t => {
  const world = await start(t);
  const { client } = world.hub;
  const other = await client.create(
    Cluster,
    newObject(Cluster, { name: 'east' }, { connection: { mode: 'Direct', server: 'https://east' } }),
  );
  await eventually(() => world.readManagement(clusterId(other)));
  const fixed = (name: string, id: string) =>
    newObject(ProvisioningCluster, { name, namespace, annotations: { 'provisioning.cattle.io/management-cluster-name': id } }, {});
  await client.create(ProvisioningCluster, fixed('taken', clusterId(other)));
  await client.create(ProvisioningCluster, fixed('hub', 'local'));
  await client.create(ProvisioningCluster, fixed('nonsense', 'kube-system'));
  await client.create(ProvisioningCluster, newObject(ProvisioningCluster, { name: 'made', namespace }, { rkeConfig: {} }));
  const reason = async (name: string) => conditionOf(await client.get(ProvisioningCluster, { namespace, name }), 'Stalled')?.reason;
  await eventually(async () => (await reason('taken')) === 'IdTaken' && (await reason('hub')) === 'IdTaken');
  await eventually(async () => (await reason('nonsense')) === 'InvalidId' && (await reason('made')) === 'NotSupported');
  await client.delete(ProvisioningCluster, { namespace, name: 'taken' });
  await eventually(async () => (await client.get(ProvisioningCluster, { namespace, name: 'taken' })) === undefined);
  assert.ok(await world.readManagement(clusterId(other)));
});

test('nothing is written when nothing has changed', async t => {
  const world = await start(t);
  const id = await world.importHarvester();
  const { client } = world.hub;
  await eventually(async () => conditionOf(await world.readManagement(id), 'Pending')?.message !== '');
  await world.idle();
  const versions = async () =>
    [
      await world.readManagement(id),
      await world.readProvisioning(),
      await world.read('harvester-cluster-name'),
      ...(await client.list(Setting)).items,
    ].map(one => one?.metadata.resourceVersion);
  const before = await versions();
  const keys = [namespace, 'server-url', id, `${namespace}/harvester-cluster-name`, `${id}/default-token`];
  world.controllers.forEach((controller, i) => controller.add(keys[i]!));
  await world.idle();
  assert.deepEqual(await versions(), before);
});

test('every setting has an object with its default, and says where its value comes from', async t => {
  const world = await start(t);
  const { client } = world.hub;
  const read = (name: string) => client.get(Setting, { name });
  const made = await eventually(() => read('server-url'), Boolean);
  assert.deepEqual([made?.default, made?.value, made?.source, made?.customized], ['https://hub.example.com', '', 'default', false]);
  await client.patch(Setting, { name: 'server-url' }, { type: 'merge', body: { value: 'https://other' } });
  const chosen = await eventually(
    () => read('server-url'),
    one => one?.customized === true,
  );
  assert.deepEqual([chosen?.source, world.objects.settings.value('server-url')], ['db', 'https://other']);
  assert.equal(world.objects.settings.number('password-min-length'), 12);
  assert.match(world.objects.settings.value('install-uuid'), /^[0-9a-f-]{36}$/);
  await client.delete(Setting, { name: 'agent-image' });
  await eventually(() => read('agent-image'));
});
