import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ApiextensionsV1Api,
  AppsV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  VersionApi,
  type V1ConfigMap,
  type V1CustomResourceDefinition,
} from '@kubernetes/client-node';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub } from '../helpers/hub.ts';
import { managerDefinition } from '../helpers/judges.ts';
import { scratchDir } from '../helpers/real-cluster.ts';

const options = { timeout: 60_000 };
const namespace = 'default';

function configFrom(file: string): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(file);
  return config;
}

test('the JavaScript client reads and writes typed, untyped and custom objects', options, async () => {
  await using hub = await startHub();
  const config = configFrom(hub.kubeconfig);
  assert.equal((await config.makeApiClient(VersionApi).getCode()).minor, '36');

  const core = config.makeApiClient(CoreV1Api);
  const made = await core.createNamespacedConfigMap({ namespace, body: { metadata: { name: 'typed' }, data: { a: '1' } } });
  assert.ok(made.metadata?.creationTimestamp instanceof Date);
  made.data = { a: '2' };
  await core.replaceNamespacedConfigMap({ name: 'typed', namespace, body: made });
  await assert.rejects(core.replaceNamespacedConfigMap({ name: 'typed', namespace, body: made }), { code: 409 });
  const page = await core.listNamespacedConfigMap({ namespace, limit: 1 });
  assert.equal(page.items.length, 1);
  assert.ok(page.metadata?._continue);
  await assert.rejects(core.readNamespacedConfigMap({ name: 'nobody', namespace }), { code: 404 });

  const objects = KubernetesObjectApi.makeApiClient(config);
  const body = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
    },
  };
  await objects.patch(body, undefined, undefined, 'story', true, PatchStrategy.ServerSideApply);
  const web = await config.makeApiClient(AppsV1Api).readNamespacedDeployment({ name: 'web', namespace });
  assert.equal(web.spec?.replicas, 1);
  assert.deepEqual(
    web.metadata?.managedFields?.map(entry => [entry.manager, entry.operation]),
    [['story', 'Apply']],
  );

  await config
    .makeApiClient(ApiextensionsV1Api)
    .createCustomResourceDefinition({ body: managerDefinition() as V1CustomResourceDefinition });
  const custom = config.makeApiClient(CustomObjectsApi);
  const echoes = { group: 'judge.drover.io', version: 'v1', namespace, plural: 'echoes' };
  const echo = { apiVersion: 'judge.drover.io/v1', kind: 'Echo', metadata: { name: 'hello' }, spec: { message: 'hi' } };
  await eventually(() => custom.createNamespacedCustomObject({ ...echoes, body: echo }), Boolean);
  const listed = (await custom.listNamespacedCustomObject(echoes)) as { items: { spec: object }[] };
  assert.deepEqual(
    listed.items.map(item => item.spec),
    [{ message: 'hi' }],
  );
});

test('a JavaScript informer keeps up, and goes on where it was after the hub restarts', options, async () => {
  using scratch = scratchDir('client-node');
  const at = { dataDir: `${scratch.dir}/data`, port: await freePort() };
  const first = await startHub(at);
  const config = configFrom(first.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  const create = (name: string): Promise<V1ConfigMap> =>
    core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { seen: 'yes' } } } });
  await create('old');

  const heard: string[] = [];
  const labelSelector = 'seen=yes';
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector });
  const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, list, labelSelector);
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, (obj: V1ConfigMap) => heard.push(`${verb} ${obj.metadata?.name}`));
  // The way its documentation shows: an informer that failed is started again.
  let isOver = false;
  informer.on('error', () => {
    if (!isOver) setTimeout(() => void informer.start().catch(() => {}), 100);
  });
  try {
    await informer.start();
    await create('fresh');
    await core.patchNamespacedConfigMap({ name: 'fresh', namespace, body: [{ op: 'add', path: '/data', value: { a: '1' } }] });
    await core.deleteNamespacedConfigMap({ name: 'old', namespace });
    await eventually(
      () => heard,
      lines => lines.includes('delete old'),
    );
    assert.deepEqual(heard, ['add old', 'add fresh', 'update fresh', 'delete old']);

    await first[Symbol.asyncDispose]();
    await using _hub = await startHub(at);
    await eventually(() => create('after'), Boolean, { timeoutMs: 20_000 });
    await core.deleteNamespacedConfigMap({ name: 'fresh', namespace });
    await eventually(
      () => informer.list(namespace).map(obj => obj.metadata?.name),
      names => names.join() === 'after',
      { timeoutMs: 30_000 },
    );
    assert.equal(heard.filter(line => line === 'add after').length, 1);
    assert.equal(heard.filter(line => line === 'delete fresh').length, 1);
    isOver = true;
    await informer.stop();
  } finally {
    isOver = true;
    await first[Symbol.asyncDispose]();
  }
});
