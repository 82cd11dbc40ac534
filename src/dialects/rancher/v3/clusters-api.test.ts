import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClusterRoleBinding, ConfigMap, Namespace } from '../../../api/builtin-kinds.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { everything, startRancherRig, type Answered, type RancherRig } from '../../../../test/helpers/rancher-rig.ts';
import { readYaml } from '../../../yaml/read-yaml.ts';
import type { JsonObject } from '../../../util/json.ts';
import { ManagementCluster } from '../kinds/cluster.ts';

const [prod, dev, shared] = ['c-m-prod0000', 'c-m-dev00000', 'c-abcde'];
const mine = { apiGroups: ['management.cattle.io'], resources: ['clusters'] };

interface Shown extends JsonObject {
  id: string;
  name: string;
  labels: Record<string, string>;
  links: Record<string, string>;
  actions: Record<string, string>;
}
const dataOf = ({ body }: Answered) => body['data'] as Shown[];
const idsOf = (answer: Answered) => dataOf(answer).map(({ id }) => id);
const pagination = ({ body }: Answered) => body['pagination'] as Record<string, string | number | boolean>;

async function threeClusters(rig: RancherRig): Promise<void> {
  await rig.addCluster(prod, 'prod', { env: 'prod', region: 'eu' });
  await rig.addCluster(dev, 'dev', { env: 'dev' });
  await rig.addCluster(shared, 'shared');
}

test('clusters are listed as clients of Rancher expect them', async t => {
  const rig = await startRancherRig(t);
  await threeClusters(rig);
  const as = await rig.addPerson('admin', everything);
  const all = await rig.ask('/v3/clusters', { as });
  assert.equal(all.status, 200);
  assert.equal(all.headers.get('content-type'), 'application/json');
  assert.equal(all.headers.get('x-api-schemas'), `${rig.url}/v3/schemas`);
  assert.equal(all.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(all.headers.get('expires'), 'Wed 24 Feb 1982 18:42:00 GMT');
  const { type, resourceType, createTypes, filters, sort, links } = all.body;
  assert.deepEqual([type, resourceType, pagination(all)], ['collection', 'cluster', { limit: 1000, total: 3 }]);
  assert.deepEqual([createTypes, links], [{ cluster: `${rig.url}/v3/clusters` }, { self: `${rig.url}/v3/clusters` }]);
  assert.deepEqual((filters as JsonObject)['name'], null);
  assert.equal((sort as JsonObject)['reverse'], `${rig.url}/v3/clusters?order=desc`);
  assert.deepEqual(idsOf(all), [shared, dev, prod]);

  const one = dataOf(all)[0]!;
  assert.deepEqual(
    ['name', 'type', 'baseType', 'labels', 'state', 'transitioning', 'driver', 'nodeCount', 'allocatable', 'internal'].map(
      field => one[field],
    ),
    ['shared', 'cluster', 'cluster', {}, 'active', 'no', '', 0, {}, false],
  );
  assert.equal(one.createdTS, Date.parse(String(one['created'])));
  const self = `${rig.url}/v3/clusters/${shared}`;
  assert.deepEqual(
    [one.links['self'], one.links['update'], one.links['remove'], one.links['projects']],
    [self, self, self, `${self}/projects`],
  );
  assert.equal(one.actions['generateKubeconfig'], `${self}?action=generateKubeconfig`);

  assert.deepEqual(idsOf(await rig.ask('/v3/clusters?name=prod', { as })), [prod]);
  assert.deepEqual(idsOf(await rig.ask('/v3/clusters?nonsense=1&removed_null=1', { as })), idsOf(all));
  assert.deepEqual(idsOf(await rig.ask('/v3/CLUSTER/?labelSelector=env%20in%20(prod,dev)', { as })), [dev, prod]);
  const page = await rig.ask('/v3/clusters?limit=1&sort=name', { as });
  assert.deepEqual([idsOf(page), pagination(page)['partial'], pagination(page)['total']], [[dev], true, 3]);
  const next = await rig.ask(String(pagination(page)['next']).slice(rig.url.length), { as });
  assert.deepEqual(idsOf(next), [prod]);
});

test('people see the clusters they may get, and what they may do to them', async t => {
  const rig = await startRancherRig(t);
  await threeClusters(rig);
  const as = await rig.addPerson('jane', [
    { ...mine, verbs: ['get'], resourceNames: [prod, dev] },
    { ...mine, verbs: ['update'], resourceNames: [dev] },
  ]);
  const listed = await rig.ask('/v3/clusters', { as });
  assert.deepEqual([idsOf(listed), pagination(listed)['total'], listed.body['createTypes']], [[dev, prod], 2, {}]);
  assert.deepEqual(
    dataOf(listed).map(({ links }) => [links['update'] !== undefined, links['remove'] !== undefined]),
    [
      [true, false],
      [false, false],
    ],
  );
  assert.equal((await rig.ask(`/v3/clusters/${prod}`, { as })).status, 200);
  assert.deepEqual((await rig.ask(`/v3/clusters/${shared}`, { as })).body, {
    type: 'error',
    baseType: 'error',
    status: 404,
    code: 'NotFound',
    message: 'failed to find resource by id',
  });
  const refused = await rig.ask(`/v3/clusters/${prod}`, { as, method: 'PUT', body: { description: 'mine' } });
  assert.deepEqual([refused.status, refused.body['code']], [403, 'Forbidden']);
  const removed = await rig.ask(`/v3/clusters/${prod}`, { as, method: 'DELETE' });
  assert.deepEqual([removed.status, removed.body['code']], [403, 'Forbidden']);
  const nobody = await rig.addPerson('nobody');
  assert.deepEqual(idsOf(await rig.ask('/v3/clusters', { as: nobody })), []);
});

test('a cluster is made, changed and removed', async t => {
  const rig = await startRancherRig(t);
  const as = await rig.addPerson('admin', everything);
  const made = await rig.ask('/v3/clusters', {
    as,
    method: 'POST',
    body: { name: 'shop', labels: { env: 'dev' }, importedConfig: {}, state: 'mine', internal: true },
  });
  assert.equal(made.status, 201, made.text);
  const id = String(made.body['id']);
  assert.match(id, /^c-[a-z0-9]{5}$/);
  assert.deepEqual(
    [made.body['name'], made.body['labels'], made.body['internal'], made.body['creatorId']],
    ['shop', { env: 'dev' }, false, as.user.metadata.name],
  );
  await eventually(() => rig.objects.managementClusters.get(id) !== undefined);

  for (const [body, code] of [
    [{ name: 'shop' }, 'NotUnique'],
    [{ name: 'No Good' }, 'InvalidFormat'],
    [{}, 'MissingRequired'],
    ['[1]', 'InvalidBodyContent'],
  ] as const) {
    const refused = await rig.ask('/v3/clusters', { as, method: 'POST', body });
    assert.deepEqual([refused.status, refused.body['code']], [422, code]);
  }
  assert.equal((await rig.hub.client.list(ManagementCluster)).items.length, 1, 'nothing half-made stays behind');

  const changed = await rig.ask(`/v3/clusters/${id}`, {
    as,
    method: 'PUT',
    body: { description: 'the shop', name: 'other', labels: { env: 'prod' } },
  });
  assert.deepEqual(
    [changed.status, changed.body['description'], changed.body['name'], changed.body['labels']],
    [200, 'the shop', 'shop', { env: 'prod' }],
  );
  const replaced = await rig.ask(`/v3/clusters/${id}?_replace=true`, { as, method: 'PUT', body: { labels: { env: 'prod' } } });
  assert.deepEqual([replaced.body['description'], replaced.body['labels']], ['', { env: 'prod' }]);
  assert.equal((await rig.ask(`/v3/clusters/${id}`, { as, method: 'DELETE' })).status, 204);
  assert.equal((await rig.ask(`/v3/clusters/${id}?action=remove`, { as, method: 'POST' })).status, 404);
  assert.equal(await rig.hub.client.get(ManagementCluster, { name: id }), undefined);
});

test('a client like that of Harness lists, matches labels, generates a kubeconfig and uses it', async t => {
  const rig = await startRancherRig(t);
  await threeClusters(rig);
  const door = { apiGroups: ['drover.io', 'management.cattle.io'], resources: ['clusters'], resourceNames: [prod, 'prod', dev, 'dev'] };
  const as = await rig.addPerson('harness', [{ ...door, verbs: ['get'] }]);
  const wanted = { env: ['prod', 'stage'], region: ['eu'] };
  const matches = ({ labels }: Shown) => Object.entries(wanted).every(([key, values]) => values.includes(labels[key] ?? ''));
  const chosen = dataOf(await rig.ask('/v3/clusters', { as })).filter(matches);
  assert.deepEqual(
    chosen.map(({ name }) => name),
    ['prod'],
  );

  // Seed 000 puts the name of the cluster there; Harness itself the id.
  for (const ref of [prod, 'prod']) {
    const answer = await rig.ask(`/v3/clusters/${ref}?action=generateKubeconfig`, { as, method: 'POST' });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body['type'], 'generateKubeConfigOutput');
    const config = readYaml(String(answer.body['config'])).value as unknown as Kubeconfig;
    assert.deepEqual([config.clusters.length, config.users.length], [1, 1]);
    const { server, 'certificate-authority-data': ca = '' } = config.clusters[0]!.cluster;
    assert.equal(server, `${rig.url}/k8s/clusters/${prod}`);
    assert.equal(Buffer.from(ca, 'base64').toString(), rig.hub.pki.authority.certificate);
    const { token } = config.users[0]!.user;
    assert.match(token, /^kubeconfig-u-[a-z0-9]+:[^:]{54}$/);

    await rig.member.client.apply(Namespace, { metadata: { name: 'shop' } });
    const seen = await fetch(`${server}/api/v1/namespaces/shop`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(seen.status, 403, 'the rules of the member decide behind the door');
    assert.match(await seen.text(), new RegExp(as.user.metadata.name!));
    const elsewhere = await fetch(`${rig.url}/k8s/clusters/${dev}/api`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(elsewhere.status, 401, 'the token is for one cluster');
  }
  const foreign = await rig.ask('/v3/clusters/shared?action=generateKubeconfig', { as, method: 'POST' });
  assert.deepEqual([foreign.status, foreign.body['code']], [404, 'NotFound']);
});

interface Kubeconfig {
  clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[];
  users: { user: { token: string; exec?: { command: string; args: string[] } } }[];
}

test('without tokens a kubeconfig asks the rancher program', async t => {
  const rig = await startRancherRig(t);
  await threeClusters(rig);
  const as = await rig.addPerson('admin', everything);
  const set = await rig.ask('/v3/settings/kubeconfig-generate-token', { as, method: 'PUT', body: { value: 'false' } });
  assert.deepEqual([set.status, set.body['value'], set.body['customized']], [200, 'false', true]);
  await eventually(() => rig.objects.settings.value('kubeconfig-generate-token') === 'false');
  const answer = await rig.ask(`/v3/clusters/${prod}?action=generateKubeconfig`, { as, method: 'POST' });
  const { users } = readYaml(String(answer.body['config'])).value as unknown as Kubeconfig;
  assert.equal(users[0]!.user.exec?.command, 'rancher');
  assert.deepEqual(users[0]!.user.exec?.args, ['token', `--server=${new URL(rig.url).host}`, '--user=admin']);
  assert.equal(rig.identity.tokens.listOf(as.user.metadata.name!).length, 1, 'no token was made');
});

test('manifests are applied as the caller, all of them known or none', async t => {
  const rig = await startRancherRig(t);
  await threeClusters(rig);
  const as = await rig.addPerson('admin', everything);
  const importing = (yaml: string) =>
    rig.ask(`/v3/clusters/${prod}?action=importYaml`, { as, method: 'POST', body: { yaml, defaultNamespace: 'shop' } });
  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n';
  const refused = await importing(map);
  assert.deepEqual([refused.status, refused.body['code']], [403, 'Forbidden']);
  const member = rig.member.client;
  await member.create(ClusterRoleBinding, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'admin' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: as.user.metadata.name! }],
  });
  await member.apply(Namespace, { metadata: { name: 'shop' } });
  const unknown = await importing(`${map}---\napiVersion: example.com/v1\nkind: Nothing\nmetadata: {name: b}\n`);
  assert.deepEqual([unknown.status, unknown.body['code']], [422, 'InvalidBodyContent']);
  assert.equal(await member.get(ConfigMap, { namespace: 'shop', name: 'a' }), undefined);
  const done = await importing(map);
  assert.deepEqual([done.status, done.body['message']], [200, 'configmaps/a configured\n']);
  assert.deepEqual((await member.get(ConfigMap, { namespace: 'shop', name: 'a' }))?.data, { k: 'v' });
});
