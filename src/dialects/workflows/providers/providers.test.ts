import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { fakeRancher, type FakeRancherOptions } from '../../../../test/helpers/fake-rancher.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { startSourceServer, type SourceServer } from '../../../../test/helpers/source-server.ts';
import { Event, Namespace, Secret } from '../../../api/builtin-kinds.ts';
import { Cluster } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import { newObject } from '../../../api/define-kind.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { clusterIndexes } from '../../../core/clusters/cluster-indexes.ts';
import { informer } from '../../../runtime/informer.ts';
import { CloudProvider } from '../kinds/cloud-provider.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import { RancherError } from './rancher-error.ts';
import { runProviders } from './run-providers.ts';

const password = 'correct-horse-battery';

type Source = NonNullable<CloudProvider['spec']['rancher']>;

async function start(t: TestContext, options: Partial<FakeRancherOptions> = {}) {
  const { client: hub } = await startMemoryHub(t, [Cluster, CloudProvider]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const known: { server?: SourceServer } = {};
  const rancher = fakeRancher({ url: () => known.server!.url, ca: () => known.server!.ca.certificate, ...options });
  const server = (known.server = await startSourceServer(t, rancher.answer));
  const ca = Buffer.from(server.ca.certificate).toString('base64');
  const clusters = informer(hub, Cluster, { signal, indexes: clusterIndexes });
  const providers = informer(hub, CloudProvider, { signal });
  const running = runProviders({ hub, providers, clusters, signal });
  await hub.apply(Namespace, { metadata: { name: 'keys' } });
  const token = rancher.newToken('token-admin');
  const setToken = (bearer: string) =>
    hub.apply(Secret, {
      metadata: { namespace: 'keys', name: 'rancher' },
      stringData: { token: bearer, accessKey: bearer.split(':')[0], secretKey: bearer.split(':')[1], username: 'admin', password },
    } as never);
  await setToken(token);
  const ref = { namespace: 'keys', name: 'rancher' };
  const add = (more: Partial<Source> = {}) =>
    hub.create(
      CloudProvider,
      newObject(
        CloudProvider,
        { name: 'main' },
        {
          type: 'Rancher',
          rancher: {
            url: `${server.url}/`,
            caBundle: ca,
            auth: { bearerTokenSecretRef: { ...ref, key: 'token' } },
            resyncInterval: '1s',
            requestTimeout: '5s',
            ...more,
          },
        },
      ),
    );
  const provider = async () => (await hub.get(CloudProvider, { name: 'main' }))!;
  const until = (type: string, reason: string) =>
    eventually(provider, one => findCondition(one, type)?.reason === reason, { what: `${type} ${reason}`, timeoutMs: 20_000 });
  const members = async () => (await hub.list(Cluster)).items.filter(one => one.metadata.labels?.[deliveryLabels.provider] === 'main');
  const tokenFor = async (cluster: Cluster) => {
    const secret = await hub.get(Secret, { namespace: clusterId(cluster), name: 'rancher-credential' });
    return Buffer.from(secret?.data?.['token'] ?? '', 'base64').toString();
  };
  const generated = () => [...rancher.tokens.keys()].filter(name => name.startsWith('kubeconfig-'));
  const list = () => running.providerClusters.list({ name: 'main', type: 'Rancher' }, signal);
  return { hub, rancher, server, ref, add, provider, until, members, tokenFor, generated, list, token, setToken, ca, signal };
}

test('clusters of all pages become members once, with their labels and a token each', async t => {
  const { rancher, add, until, members, tokenFor, generated, list, hub, token } = await start(t, { pageSize: 2 });
  rancher.clusters.push(
    { id: 'c-m-aaaaaaaa', name: 'east', labels: { env: 'prod' } },
    { id: 'c-bbbbb', name: 'twin', labels: null },
    { id: 'c-ccccc', name: 'twin', labels: { env: 'dev', 'not a label': 'x' } },
    { id: 'local', name: 'local', labels: {} },
    { id: 'c-ddddd', name: 'Mit Umlaut ü', labels: { env: 'prod' } },
  );
  await add();
  const ready = await until('Ready', 'Connected');
  assert.deepEqual([ready.status?.clusters, ready.status?.serverVersion], [5, 'v2.8.2']);
  const found = await members();
  assert.deepEqual(
    found.map(one => [one.metadata.annotations?.[deliveryAnnotations.rancherId], one.metadata.name!.replace(/-[a-z0-9]{6}$/, '-…')]).sort(),
    [
      ['c-bbbbb', 'twin'],
      ['c-ccccc', 'twin-…'],
      ['c-ddddd', 'mit-umlaut-…'],
      ['c-m-aaaaaaaa', 'east'],
      ['local', 'local-…'],
    ],
  );
  const east = found.find(one => one.metadata.name === 'east')!;
  assert.equal(clusterId(east), 'c-m-aaaaaaaa');
  assert.equal(east.metadata.labels?.['env'], 'prod');
  assert.match(east.spec.connection.server ?? '', /\/k8s\/clusters\/c-m-aaaaaaaa$/);
  assert.ok(rancher.accepts(await tokenFor(east), 'c-m-aaaaaaaa'));
  assert.equal(generated().length, 5);

  const listed = await list();
  assert.deepEqual(
    listed.map(one => one.name),
    ['east', 'twin', 'twin', 'local', 'Mit Umlaut ü'],
  );
  assert.deepEqual(listed[1]?.labels, {});
  const before = rancher.asked.length;
  await eventually(() => rancher.asked.slice(before).filter(one => one === 'GET /v3/clusters').length >= 6, Boolean);
  assert.equal(generated().length, 5, 'nothing is generated twice');
  const events = (await hub.list(Event)).items;
  assert.doesNotMatch(JSON.stringify([ready.status, found, events]), new RegExp(token.split(':')[1]!));
});

test('labels follow the server; a cluster that is gone leaves, and its token with it', async t => {
  const { rancher, add, until, members, generated } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'east', labels: { env: 'prod', old: 'x' } }, { id: 'c-bbbbb', name: 'west', labels: {} });
  await add();
  await until('Ready', 'Connected');
  rancher.clusters[0]!.labels = { env: 'dev' };
  rancher.clusters.splice(1, 1);
  await eventually(
    members,
    found => found.length === 1 && found[0]?.metadata.labels?.['env'] === 'dev' && found[0].metadata.labels['old'] === undefined,
    { timeoutMs: 20_000 },
  );
  await eventually(() => generated().length === 1, Boolean);
});

test('a token that a cluster refuses is replaced, and the old one deleted', async t => {
  const { hub, rancher, add, until, members, tokenFor, generated } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'east', labels: {} });
  await add();
  await until('Ready', 'Connected');
  const [east] = await members();
  const before = await tokenFor(east!);
  const namespace = clusterId(east!);
  const age = (ms: number) =>
    hub.patch(
      Secret,
      { namespace, name: 'rancher-credential' },
      {
        type: 'merge',
        body: { metadata: { annotations: { [deliveryAnnotations.generatedAt]: new Date(Date.now() - ms).toISOString() } } },
      },
    );
  await age(120_000);
  const refused = {
    type: 'Ready',
    status: 'False',
    reason: 'CredentialRefused',
    message: 'no',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await hub.patch(Cluster, { name: 'east' }, { type: 'merge', body: { status: { conditions: [refused] } } }, { subresource: 'status' });
  const second = await eventually(
    () => tokenFor(east!),
    one => one !== before && one !== '',
    { timeoutMs: 20_000 },
  );
  await eventually(() => !rancher.accepts(before, 'c-aaaaa'), Boolean);
  assert.ok(rancher.accepts(second, 'c-aaaaa'));
  await hub.patch(Cluster, { name: 'east' }, { type: 'merge', body: { status: { conditions: [] } } }, { subresource: 'status' });
  await age(12 * 3_600_000 + 1000);
  await eventually(
    () => tokenFor(east!),
    one => one !== second && one !== '',
    { timeoutMs: 20_000 },
  );
  await eventually(() => generated().length === 1, Boolean);
});

test('what is wrong with a connection is told by its reason, and put right by itself', async t => {
  const { hub, rancher, add, until, setToken, token, provider } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'east', labels: {} });
  await setToken('token-admin:wrong');
  await add({ requestTimeout: '1s' });
  assert.equal(findCondition(await until('Authenticated', 'InvalidToken'), 'Authenticated')?.status, 'False');
  await setToken(token);
  await until('Authenticated', 'Connected');
  const outcomes: readonly [
    trouble: NonNullable<Parameters<typeof rancher.troubles.set>[1]>,
    type: string,
    reason: string,
    message: RegExp,
  ][] = [
    [{ status: 403, message: 'clusters is forbidden' }, 'Authenticated', 'InsufficientPermissions', /clusters is forbidden/],
    [{ status: 500, message: `boom ${token}` }, 'Ready', 'RancherError', /^Rancher error: boom \*+$/],
    [{ waitMs: 5000 }, 'Reachable', 'ConnectionFailed', /did not answer within 1 s/],
    ['cut', 'Reachable', 'ConnectionFailed', /./],
  ];
  for (const [trouble, type, reason, message] of outcomes) {
    rancher.troubles.set('/v3/clusters', trouble);
    const failed = await until(type, reason);
    assert.match(findCondition(failed, type)!.message, message);
    assert.equal(findCondition(failed, 'Ready')?.status, 'False');
    assert.equal(failed.status?.clusters, 1, 'what was known is still told');
    rancher.troubles.clear();
    await until('Ready', 'Connected');
  }
  await hub.delete(Secret, { namespace: 'keys', name: 'rancher' });
  assert.match(findCondition(await until('Authenticated', 'CredentialMissing'), 'Ready')!.message, /there is no Secret "keys\/rancher"/);
  assert.equal((await hub.list(Cluster)).items.length, 1, 'nobody loses clusters because of a password');
  assert.doesNotMatch(JSON.stringify([await provider(), (await hub.list(Event)).items]), new RegExp(token.split(':')[1]!));
});

test('a cluster without a kubeconfig is told of, and the others are there', async t => {
  const { rancher, add, until, list } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'east', labels: {} }, { id: 'c-bbbbb', name: 'west', labels: {} });
  rancher.troubles.set('/v3/clusters/c-bbbbb', { status: 500, message: 'not yet' });
  await add();
  const incomplete = await until('Ready', 'ClustersIncomplete');
  assert.equal(findCondition(incomplete, 'Ready')?.message, 'No way to "west" (Rancher error: not yet)');
  assert.deepEqual(
    (await list()).map(one => one.name),
    ['east', 'west'],
  );
  rancher.troubles.clear();
  await until('Ready', 'Connected');
});

test('a cluster that the hub cannot have is told of, and the others are there', async t => {
  const { rancher, add, until, list, members } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'x'.repeat(300_000), labels: {} }, { id: 'c-bbbbb', name: 'west', labels: {} });
  await add();
  const { message } = findCondition(await until('Ready', 'ClustersIncomplete'), 'Ready')!;
  assert.match(message, /^No way to "x{100}" \(the hub refuses it: /);
  assert.ok(message.length < 1000);
  assert.deepEqual([(await list()).map(one => one.name), (await members()).map(one => one.metadata.name)], [['west'], ['west']]);
});

test('a test that is asked for is answered, and an old server is warned of', async t => {
  const { hub, add, until, provider } = await start(t, { version: 'v2.6.2' });
  await add({ resyncInterval: '1h' });
  assert.match(findCondition(await until('Ready', 'VersionUnsupported'), 'Ready')!.message, /^Rancher v2\.6\.2 is older than v2\.6\.3/);
  await hub.patch(
    CloudProvider,
    { name: 'main' },
    { type: 'merge', body: { metadata: { annotations: { [deliveryAnnotations.testRequested]: 'now' } } } },
  );
  await eventually(provider, one => one.status?.tested === 'now');
});

test('keys and passwords sign in as well, also when a session has ended', async t => {
  const { hub, rancher, ref, add, until, list } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'east', labels: {} });
  rancher.users.set('admin', password);
  await add({ auth: { basicSecretRef: ref } });
  await until('Ready', 'Connected');
  for (const name of [...rancher.tokens.keys()]) if (/^token-[0-9a-f]{8}$/.test(name)) rancher.tokens.delete(name);
  assert.equal((await list()).length, 1);
  await hub.patch(
    CloudProvider,
    { name: 'main' },
    { type: 'merge', body: { spec: { rancher: { auth: { basicSecretRef: null, accessKeySecretRef: ref } } } } },
  );
  await eventually(
    () => hub.get(CloudProvider, { name: 'main' }),
    one => one?.status?.observedGeneration === one?.metadata.generation,
  );
  assert.equal((await list()).length, 1);
});

test('through the proxy of the server no tokens are made', async t => {
  const { rancher, add, until, members, tokenFor, generated, token, ca } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'east', labels: {} });
  await add({ access: 'Proxy' });
  await until('Ready', 'Connected');
  const [east] = await members();
  assert.deepEqual([await tokenFor(east!), generated().length, east!.spec.connection.caBundle], [token, 0, ca]);
});

test('a provider that is deleted takes its tokens and its clusters with it', async t => {
  const { hub, rancher, add, until, members, generated } = await start(t);
  rancher.clusters.push({ id: 'c-aaaaa', name: 'east', labels: {} }, { id: 'c-bbbbb', name: 'west', labels: {} });
  await hub.create(Cluster, newObject(Cluster, { name: 'other' }, { connection: { mode: 'Direct', server: 'https://other.example' } }));
  await add();
  await until('Ready', 'Connected');
  assert.equal((await members()).length, 2);
  await hub.delete(CloudProvider, { name: 'main' });
  await eventually(
    () => hub.get(CloudProvider, { name: 'main' }),
    one => one === undefined,
    { timeoutMs: 20_000 },
  );
  assert.deepEqual(
    (await hub.list(Cluster)).items.map(one => one.metadata.name),
    ['other'],
  );
  assert.equal(generated().length, 0);
});

test('runs are told why a provider cannot be asked', async t => {
  const { rancher, add, until, list, setToken } = await start(t);
  await add({ resyncInterval: '1h' });
  await until('Ready', 'Connected');
  await setToken('token-admin:no');
  await assert.rejects(list(), (error: unknown) => error instanceof RancherError && error.failureType === 'Authentication');
  rancher.troubles.set('/v3/clusters', 'cut');
  await assert.rejects(list(), (error: unknown) => error instanceof RancherError && error.failureType === 'Connectivity');
});
