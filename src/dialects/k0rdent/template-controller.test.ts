import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { packedChart } from '../../../test/helpers/chart-files.ts';
import { chartRepository } from '../../../test/helpers/chart-repository.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { gitBackend, testRepository } from '../../../test/helpers/git-server.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { ociRegistry } from '../../../test/helpers/oci-registry.ts';
import { objectStore } from '../../../test/helpers/object-store.ts';
import { startSourceServer } from '../../../test/helpers/source-server.ts';
import { tempDir } from '../../../test/helpers/temp-dir.ts';
import { ConfigMap, Namespace, Secret } from '../../api/builtin-kinds.ts';
import { Content, contentName, heldContentLabel } from '../../api/content.ts';
import { newObject, type Kind } from '../../api/define-kind.ts';
import { readContent } from '../../core/contents/read-content.ts';
import { pushChart } from '../../core/contents/stored-charts.ts';
import { writeArchive } from '../../render/write-archive.ts';
import { digestOf } from '../../sources/digest.ts';
import { createEgress } from '../../sources/egress.ts';
import { inspectChart } from '../../sources/inspect-chart.ts';
import type { JsonObject } from '../../util/json.ts';
import { fluxInformers } from './flux-informers.ts';
import { Bucket, GitRepository, HelmChart, HelmRepository, fluxSources } from './kinds/flux-source.ts';
import { systemNamespace } from './kinds/group.ts';
import { ClusterTemplate, ClusterTemplateChain, ProviderTemplate, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { readPolicies } from './read-policies.ts';
import { openMember } from '../../core/delivery/member.ts';
import { clusterModeAnnotation, contentAnnotation } from './template-content.ts';
import { runTemplates } from './template-controller.ts';
import { templateInformers } from './template-informers.ts';

const namespace = systemNamespace;
const templateKinds: Kind[] = [ServiceTemplate, ClusterTemplate, ProviderTemplate, ServiceTemplateChain, ClusterTemplateChain];

async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [Content, ...templateKinds, ...fluxSources]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  for (const name of [namespace, 'tenant']) await hub.apply(Namespace, { metadata: { name } });
  const settings = { signal, onError: () => () => {} };
  const controllers = runTemplates({
    hub,
    hubObjects: openMember('hub', hub, { signal }),
    egress: createEgress({ allow: ['127.0.0.1/32'] }),
    templates: templateInformers(hub, settings),
    flux: fluxInformers(hub, settings),
    ...settings,
    firstDelayMs: 50,
    maxDelayMs: 200,
  });
  const service = (name: string, spec: ServiceTemplate['spec'], ns = namespace) =>
    hub.create(ServiceTemplate, newObject(ServiceTemplate, { namespace: ns, name }, spec));
  const template = (name: string, isRight: (one: ServiceTemplate) => boolean, ns = namespace) =>
    eventually(
      async () => (await hub.get(ServiceTemplate, { namespace: ns, name }))!,
      one => one.status !== undefined && isRight(one),
      { timeoutMs: 60_000, what: `template "${name}"` },
    );
  const valid = (name: string, ns = namespace) => template(name, one => one.status?.valid === true && contentOf(one) !== '', ns);
  const push = (chart: Buffer) => pushChart(hub, inspectChart(chart, 'test'), { signal });
  const secret = (name: string, texts: Record<string, string>) =>
    hub.create(Secret, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
      data: Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
    });
  const server = async (answer: RequestListener) => {
    const started = await startSourceServer(t, answer);
    await secret('source', { 'ca.crt': started.ca.certificate });
    return started.url;
  };
  return { hub, signal, controllers, service, template, valid, push, secret, server };
}

const contentOf = (one: ServiceTemplate | undefined) => one?.metadata.annotations?.[contentAnnotation] ?? '';
const helm = (chart: string, version: string, sourceRef?: { kind: string; name: string }): ServiceTemplate['spec'] => ({
  helm: { chartSpec: { chart, version, ...(sourceRef && { sourceRef }) } },
});

test('a template without a source has its chart from the store of the hub', async t => {
  const { hub, service, template, valid, push } = await start(t);
  const made = await service('web-1-0-0', helm('web', '1.0.0'));
  const { interval, sourceRef } = made.spec.helm?.chartSpec ?? {};
  assert.deepEqual([interval, sourceRef], ['10m', { kind: 'HelmRepository', name: 'kcm-templates' }]);
  const waiting = await template('web-1-0-0', one => one.status?.validationError !== undefined && one.status.validationError.length > 20);
  assert.equal(waiting.status?.valid, false);
  assert.match(waiting.status?.validationError ?? '', /^Source is not ready: chart "web" not found in the store of the hub/);
  const chart = packedChart('web', '1.0.0', {
    'Chart.yaml':
      'apiVersion: v2\nname: web\nversion: 1.0.0\ndescription: The web\nannotations:\n  k0rdent.mirantis.com/k8s-version-constraint: ">=1.30"\n',
    'values.schema.json': '{"type":"object"}',
  });
  await push(chart);
  const done = await valid('web-1-0-0');
  assert.ok((await readContent(hub, contentOf(done))).equals(chart));
  const { conditions, ...status } = done.status!;
  assert.deepEqual(status, {
    valid: true,
    chartVersion: '1.0.0',
    description: 'The web',
    config: { greeting: 'hello' },
    chartRef: { kind: 'HelmChart', namespace, name: 'web-1-0-0' },
    k8sConstraint: '>=1.30',
    schemaConfigMapName: 'schema-st-web-1-0-0',
    observedGeneration: 1,
  });
  assert.equal(conditions?.[0]?.message, 'Object is ready');
  assert.equal(done.metadata.labels?.['k0rdent.mirantis.com/component'], 'kcm');
  assert.equal((await hub.get(ConfigMap, { namespace, name: 'schema-st-web-1-0-0' }))?.data?.['schema'], '{"type":"object"}');
  assert.equal(
    (await hub.get(Content, { name: contentName(contentOf(done)) }))?.metadata.labels?.[heldContentLabel('k0rdent')],
    'true',
    'it must not be collected while no Work names it',
  );
});

test('a chart comes from a HelmRepository with a Secret, and other namespaces use it by reference', async t => {
  const { hub, service, valid, template, server } = await start(t);
  const url = await server(chartRepository({ web: ['1.0.0', '1.1.0'] }).answer);
  await service('web', helm('web', '1.x', { kind: 'HelmRepository', name: 'charts' }));
  await template('web', one => /there is no HelmRepository "charts" in namespace "kcm-system"/.test(one.status?.validationError ?? ''));
  await hub.create(HelmRepository, newObject(HelmRepository, { namespace, name: 'charts' }, { url, secretRef: { name: 'source' } }));
  const done = await valid('web');
  assert.equal(done.status?.chartVersion, '1.1.0');
  const chart = await hub.get(HelmChart, { namespace, name: 'web' });
  assert.equal(chart?.status?.artifact?.revision, '1.1.0');
  assert.equal(chart?.status?.conditions?.[0]?.status, 'True');
  await service('web', { helm: { chartRef: { kind: 'HelmChart', namespace, name: 'web' } } }, 'tenant');
  assert.equal(contentOf(await valid('web', 'tenant')), contentOf(done));
});

test(
  'a chart that must be signed is used only when it is, and is taken back when it turns out not to be',
  { timeout: 120_000 },
  async t => {
    const { hub, service, valid, template, secret, server } = await start(t);
    const registry = ociRegistry();
    const url = `${(await server(registry.answer)).replace('https:', 'oci:')}/charts`;
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = (key: typeof publicKey) => key.export({ type: 'spki', format: 'pem' }).toString();
    await secret('keys', { 'cosign.pub': pem(publicKey) });
    await secret('other-keys', { 'cosign.pub': pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey) });
    const digest = registry.pushChart('charts/web', '1.0.0', packedChart('web', '1.0.0'));
    await hub.create(
      HelmRepository,
      newObject(HelmRepository, { namespace, name: 'charts' }, { url, type: 'oci', secretRef: { name: 'source' } }),
    );
    const chartSpec = { chart: 'web', version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } };
    const verify = { provider: 'cosign', secretRef: { name: 'keys' } };
    await service('signed', { helm: { chartSpec: { ...chartSpec, verify } } });
    const waiting = await template('signed', one => /is not signed/.test(one.status?.validationError ?? ''));
    assert.deepEqual([waiting.status?.valid, contentOf(waiting)], [false, '']);

    const statement = Buffer.from(
      JSON.stringify({ critical: { image: { 'docker-manifest-digest': digest }, type: 'cosign container image signature' } }),
    );
    registry.blobs.set(digestOf(statement), statement);
    const annotations = { 'dev.cosignproject.cosign/signature': sign('sha256', statement, privateKey).toString('base64') };
    const mediaType = 'application/vnd.dev.cosign.simplesigning.v1+json';
    const layers = [{ mediaType, digest: digestOf(statement), size: statement.length, annotations }];
    registry.putManifest('charts/web', [`${digest.replace(':', '-')}.sig`], { schemaVersion: 2, layers });
    await valid('signed');
    const told = async (name: string) =>
      (await hub.get(HelmChart, { namespace, name }))?.status?.conditions?.find(one => one.type === 'SourceVerified')?.status;
    assert.equal(await told('signed'), 'True');

    await hub.create(HelmChart, newObject(HelmChart, { namespace, name: 'shared' }, chartSpec));
    await service('by-ref', { helm: { chartRef: { kind: 'HelmChart', name: 'shared' } } });
    await valid('by-ref');
    assert.equal(await told('shared'), undefined);
    const ask = (value: JsonObject) =>
      hub.patch(HelmChart, { namespace, name: 'shared' }, { type: 'merge', body: { spec: { verify: value } } });
    for (const [value, pattern] of [
      [{ provider: 'cosign', secretRef: { name: 'other-keys' } }, /is not signed by any of the keys that are trusted/],
      [{ provider: 'cosign', secretRef: null }, /signatures without keys cannot be checked here/],
    ] as const) {
      await ask(value);
      const refused = await template('by-ref', one => pattern.test(one.status?.validationError ?? ''));
      assert.deepEqual([refused.status?.valid, contentOf(refused), await told('shared')], [false, '', 'False']);
      await ask(verify);
      await valid('by-ref');
    }
  },
);

test('the newest tag of a repository is read, and what is not understood is told', { timeout: 120_000 }, async t => {
  const { hub, service, valid, server } = await start(t);
  const { dir: root } = tempDir('k0rdent-git-semver');
  const repo = testRepository(join(root, 'repo'));
  for (const version of ['1.0.0', '1.1.0']) {
    repo.commit({ 'a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v${version}}\n` });
    repo.git('tag', version);
  }
  const url = `${await server(gitBackend(root))}/repo`;
  const spec = { url, secretRef: { name: 'source' } };
  await service('newest', { resources: { remoteSourceSpec: { git: { ...spec, ref: { semver: '1.x' } } }, deploymentType: 'Remote' } });
  assert.match((await readContent(hub, contentOf(await valid('newest')))).toString(), /name: v1\.1\.0/);
  const more = { ...spec, sparseCheckout: ['a'] };
  await hub.create(GitRepository, newObject(GitRepository, { namespace, name: 'sparse' }, more));
  await eventually(
    () => hub.get(GitRepository, { namespace, name: 'sparse' }),
    one => one?.status?.conditions?.[0]?.message === '"sparseCheckout" of a GitRepository is not supported',
    { timeoutMs: 60_000 },
  );
});

test('charts, manifests and kustomizations come from git', { timeout: 180_000 }, async t => {
  const { hub, service, valid, template, server } = await start(t);
  const { dir: root } = tempDir('k0rdent-git');
  const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  const repository = testRepository(join(root, 'repo'));
  repository.commit({
    'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 2.0.0\n',
    'charts/web/values.yaml': 'a: 1\n',
    'plain/b.yaml': configMap('b'),
    'plain/a.yaml': configMap('a'),
    'overlay/kustomization.yaml': 'resources: [a.yaml]\n',
    'overlay/a.yaml': configMap('a'),
  });
  const url = `${await server(gitBackend(root))}/repo`;
  const spec = { url, ref: { branch: 'main' }, secretRef: { name: 'source' } };
  await hub.create(GitRepository, newObject(GitRepository, { namespace, name: 'repo' }, spec));
  const localSourceRef = { kind: 'GitRepository' as const, name: 'repo' };
  await service('chart', helm('charts/web', '*', { kind: 'GitRepository', name: 'repo' }));
  await service('folder', { helm: { chartSource: { localSourceRef, path: 'charts/web' } } });
  await service('plain', { resources: { localSourceRef, path: './plain', deploymentType: 'Remote' } });
  await service('overlay', { kustomize: { localSourceRef, path: 'overlay', deploymentType: 'Remote' } });
  await service('wrong', { kustomize: { localSourceRef, path: 'plain', deploymentType: 'Remote' } });
  await service('remote', { resources: { remoteSourceSpec: { git: spec }, path: 'plain/a.yaml', deploymentType: 'Remote' } });
  assert.deepEqual((await valid('chart')).status?.config, { a: 1 });
  assert.equal((await valid('folder')).status?.chartVersion, '2.0.0');
  const plain = await valid('plain');
  assert.equal((await readContent(hub, contentOf(plain))).toString(), `${configMap('a')}---\n${configMap('b')}`);
  assert.equal((plain.status?.sourceStatus as { kind?: string } | undefined)?.kind, 'GitRepository');
  assert.equal(contentOf(await valid('overlay')), (await hub.get(GitRepository, { namespace, name: 'repo' }))?.status?.artifact?.digest);
  await template('wrong', one => one.status?.validationError === 'there is no kustomization.yaml in folder "plain" of the source');
  assert.equal((await readContent(hub, contentOf(await valid('remote')))).toString(), configMap('a'));
  const made = await hub.get(GitRepository, { namespace, name: 'remote' });
  assert.equal(made?.metadata.ownerReferences?.[0]?.kind, 'ServiceTemplate');
  assert.equal(made?.metadata.labels?.['k0rdent.mirantis.com/managed'], 'true');

  // Whoever does not want to wait for the interval asks as with Flux.
  const before = (await hub.get(GitRepository, { namespace, name: 'repo' }))?.status?.artifact?.digest;
  repository.commit({ 'plain/c.yaml': configMap('c') });
  const body = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } };
  await hub.patch(GitRepository, { namespace, name: 'repo' }, { type: 'merge', body });
  const looked = await eventually(
    () => hub.get(GitRepository, { namespace, name: 'repo' }),
    one => one?.status?.lastHandledReconcileAt === 'now',
    { timeoutMs: 60_000 },
  );
  assert.notEqual(looked?.status?.artifact?.digest, before);
});

test('charts, manifests, kustomizations and policies come from a bucket', { timeout: 180_000 }, async t => {
  const { hub, service, valid, secret, server } = await start(t);
  const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  const files = {
    'charts/web/Chart.yaml': 'apiVersion: v2\nname: web\nversion: 2.0.0\n',
    'charts/web/values.yaml': 'a: 1\n',
    'plain/b.yaml': configMap('b'),
    'plain/a.yaml': configMap('a'),
    'plain/left-out.yaml': configMap('left-out'),
    'overlay/kustomization.yaml': 'resources: [a.yaml]\n',
    'overlay/a.yaml': configMap('a'),
  };
  const url = await server(objectStore('files', files, { keys: { AKIDREADER: 'hunter2' }, pageSize: 2 }).answer);
  const spec = {
    bucketName: 'files',
    endpoint: url.replace('https://', ''),
    ignore: 'left-out.yaml',
    secretRef: { name: 'reader' },
    certSecretRef: { name: 'source' },
  };
  await hub.create(Bucket, newObject(Bucket, { namespace, name: 'files' }, spec));
  const bucket = (isRight: (message: string) => boolean) =>
    eventually(
      () => hub.get(Bucket, { namespace, name: 'files' }),
      one => isRight(one?.status?.conditions?.[0]?.message ?? ''),
      { timeoutMs: 60_000 },
    );
  await bucket(message => message === `there is no Secret "reader" in namespace "${namespace}"`);
  await secret('reader', { accesskey: 'AKIDREADER', secretkey: 'hunter2' });
  const localSourceRef = { kind: 'Bucket' as const, name: 'files' };
  await service('chart', helm('./charts/web', '*', localSourceRef));
  await service('folder', { helm: { chartSource: { localSourceRef, path: 'charts/web' } } });
  await service('plain', { resources: { localSourceRef, path: './plain', deploymentType: 'Remote' } });
  await service('overlay', { kustomize: { localSourceRef, path: 'overlay', deploymentType: 'Remote' } });
  await service('remote', { resources: { remoteSourceSpec: { bucket: spec }, path: 'plain/a.yaml', deploymentType: 'Remote' } });
  assert.deepEqual((await valid('chart')).status?.config, { a: 1 });
  assert.equal((await valid('folder')).status?.chartVersion, '2.0.0');
  assert.equal((await readContent(hub, contentOf(await valid('plain')))).toString(), `${configMap('a')}---\n${configMap('b')}`);
  assert.equal((await readContent(hub, contentOf(await valid('remote')))).toString(), configMap('a'));
  const read = await bucket(message => message.startsWith('stored artifact'));
  const { digest, revision } = read?.status?.artifact ?? {};
  assert.equal(contentOf(await valid('overlay')), digest);
  assert.equal(revision, digest);
  assert.ok(!JSON.stringify(read).includes('hunter2'));

  const refs = [{ kind: 'Bucket' as const, name: 'files', path: 'plain' }];
  const { policies, failures } = await readPolicies(
    refs as never,
    {} as never,
    {
      namespace,
      mayUseHub: false,
      read: ({ namespace: ns, name }: { namespace?: string; name: string }) => hub.get(Bucket, { namespace: ns ?? '', name }),
      readContent: (one: string) => readContent(hub, one),
      fetchRemote: () => assert.fail('nothing is remote'),
    } as never,
  );
  assert.deepEqual([...failures.values()], []);
  assert.deepEqual(
    policies[0]?.objects.map(one => one.metadata.name),
    ['a', 'b'],
  );
});

test('manifests and kustomizations come from ConfigMaps and Secrets, and follow them', async t => {
  const { hub, service, valid, template, secret } = await start(t);
  const manifest = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
  await service('plain', {
    resources: { localSourceRef: { kind: 'ConfigMap', name: 'files', namespace: 'tenant' }, deploymentType: 'Remote' },
  });
  await template('plain', one => one.status?.validationError === `ConfigMap ${namespace}/files not found`);
  await hub.apply(ConfigMap, { metadata: { namespace, name: 'files' }, data: { b: manifest('b'), a: manifest('a') } });
  const first = await valid('plain');
  assert.equal((await readContent(hub, contentOf(first))).toString(), `${manifest('a')}---\n${manifest('b')}`);
  await hub.apply(ConfigMap, { metadata: { namespace, name: 'files' }, data: { a: manifest('c') } });
  const second = await template('plain', one => contentOf(one) !== contentOf(first));
  assert.equal((await readContent(hub, contentOf(second))).toString(), manifest('c'));
  await hub.apply(ConfigMap, { metadata: { namespace, name: 'files' }, data: { a: 'no manifest' } });
  const broken = await template('plain', one => one.status?.valid === false);
  assert.equal(contentOf(broken), contentOf(second), 'bytes that are in use are not taken away');

  const archive = writeArchive([
    { name: 'kustomization.yaml', data: Buffer.from('resources: [a.yaml]\n') },
    { name: 'a.yaml', data: Buffer.from(manifest('a')) },
  ]);
  await service('packed', { kustomize: { localSourceRef: { kind: 'Secret', name: 'packed' }, deploymentType: 'Remote' } });
  await secret('packed', {});
  await template('packed', one => one.status?.validationError === `Secret ${namespace}/packed must hold one archive, a gzipped tar`);
  await hub.patch(Secret, { namespace, name: 'packed' }, { type: 'merge', body: { data: { 'x.tgz': archive.toString('base64') } } });
  await valid('packed');
});

test('templates of clusters and providers say what their charts need', async t => {
  const { hub, push } = await start(t);
  const chart = (annotations: string) => `apiVersion: v2\nname: adopted\nversion: 1.0.1\nannotations:\n${annotations}`;
  await push(
    packedChart('adopted', '1.0.1', {
      'Chart.yaml': chart(
        '  cluster.x-k8s.io/provider: infrastructure-internal, bootstrap-x\n  cluster.x-k8s.io/bootstrap-x: v1beta1\n  k0rdent.mirantis.com/k8s-version: 1.31.0\n  drover.io/cluster-mode: adopted\n',
      ),
    }),
  );
  const chartSpec = { chart: 'adopted', version: '1.0.1' };
  await hub.create(ClusterTemplate, newObject(ClusterTemplate, { namespace, name: 'adopted-1-0-1' }, { helm: { chartSpec } }));
  await hub.create(ProviderTemplate, newObject(ProviderTemplate, { name: 'adopted-1-0-1' }, { helm: { chartSpec }, providers: ['infra'] }));
  const cluster = await eventually(
    () => hub.get(ClusterTemplate, { namespace, name: 'adopted-1-0-1' }),
    one => one?.status?.valid === true && one.metadata.annotations?.[clusterModeAnnotation] === 'adopted',
    { timeoutMs: 60_000 },
  );
  assert.deepEqual(cluster?.status?.providers, ['bootstrap-x', 'infrastructure-internal']);
  assert.deepEqual(cluster?.status?.providerContracts, { 'bootstrap-x': 'v1beta1' });
  assert.equal(cluster?.status?.k8sVersion, '1.31.0');
  const provider = await eventually(
    () => hub.get(ProviderTemplate, { name: 'adopted-1-0-1' }),
    one => one?.status?.valid === true,
    { timeoutMs: 60_000, what: 'a second template of the same name' },
  );
  assert.deepEqual(provider?.status?.providers, ['infra']);
});

test('what cannot be is said and stays quiet', async t => {
  const { hub, controllers, service, template } = await start(t);
  await service('ref', { helm: { chartRef: { kind: 'OCIRepository', name: 'x' } } });
  await assert.rejects(service('none', { helm: {} }), /one of chartSpec, chartRef or chartSource must be set/);
  await service('bucket', { resources: { localSourceRef: { kind: 'Bucket', name: 'b' }, deploymentType: 'Remote' } });
  await template('ref', one => one.status?.validationError === 'chartRef of kind OCIRepository is not supported: only HelmChart is');
  await template('bucket', one => one.status?.validationError === `Bucket ${namespace}/b not found`);
  await Promise.all(controllers.filter(one => one.stats.name === 'k0rdent-servicetemplates').map(one => one.idle()));
  const version = async () => (await hub.get(ServiceTemplate, { namespace, name: 'ref' }))?.metadata.resourceVersion;
  const before = await version();
  for (const one of controllers) one.add(`${namespace}/ref`);
  await Promise.all(controllers.filter(one => one.stats.name === 'k0rdent-servicetemplates').map(one => one.idle()));
  assert.equal(await version(), before);
});
