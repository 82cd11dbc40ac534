import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { writeArchive } from '../../src/render/write-archive.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub, type HubKind } from '../helpers/either-hub.ts';
import { gitBackend, testRepository } from '../helpers/git-server.ts';
import {
  becomes,
  conditionOf,
  k0rdentVersion,
  multiClusterService,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace,
  templateName,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { ociRegistry } from '../helpers/oci-registry.ts';
import { scratchDir, startEtcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';
import { startSourceServer, type SourceServer } from '../helpers/source-server.ts';

const namespace = systemNamespace;
const folderLayer = 'application/vnd.cncf.flux.content.v1.tar+gzip';

const greeting = (name: string, text: string, ns?: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(ns !== undefined && { namespace: ns }) },
    data: { greeting: text },
  });
const kustomization = (prefix: string) => `namePrefix: ${prefix}-\nresources: [greeting.yaml]\n`;
const packed = (files: Readonly<Record<string, string>>): Buffer =>
  writeArchive(Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })));
const configMap = (name: string, data: Record<string, string>, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  data,
});

/** A workload whose pods use a ConfigMap that is not of the chart. */
const workload = {
  'templates/workload.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata: { labels: { app: {{ .Release.Name }} } }
    spec:
      containers: [{ name: web, image: web, envFrom: [{ configMapRef: { name: outside, optional: true } }] }]
`,
};

for (const kind of hubKindsByTime)
  describe(
    `values, patches and policies of k0rdent, hub: ${kind}`,
    { skip: missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl') ?? false, timeout: 280_000 },
    () => tell(kind),
  );

function tell(kind: HubKind): void {
  const stack = new AsyncDisposableStack();
  const scratch = scratchDir('k0rdent-values');
  const ending = { after: (end: () => Promise<void>) => void stack.defer(end) };
  const registry = ociRegistry();
  let hub: EitherHub;
  let story: K0rdentStory;
  let member: CommandLine;
  let git: SourceServer;
  let images: SourceServer;
  let web: SourceServer;

  before(async () => {
    git = await startSourceServer(ending, gitBackend(scratch.dir));
    images = await startSourceServer(ending, registry.answer);
    web = await startSourceServer(ending, (_, res) => void res.end(greeting('from-web', 'hello web')));
    hub = stack.use(await startEitherHub(kind, stack.use(await startEtcd()), ['--allow-egress', '127.0.0.1/32']));
    story = await startK0rdentStory(hub, scratch.dir);
    await story.pushChart('web', '1.0.0', packedChart('web', '1.0.0', workload));
    await story.apply(serviceTemplate('web', '1.0.0'), {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'source', namespace },
      stringData: { 'ca.crt': web.ca.certificate },
    });
    await story.templatesAreValid('web-1-0-0');
    await story.apply({
      apiVersion: k0rdentVersion,
      kind: 'ClusterDeployment',
      metadata: { name: 'dev', namespace, labels: { tier: 'dev' } },
      spec: { template: 'sandbox-1-0-0', config: {} },
    });
    await becomes(async () => conditionOf(await story.cd('dev'), 'Ready')?.split(' ')[0], 'True', 'the cluster');
    member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig('dev'), dir: scratch.dir });
  });
  after(async () => {
    await stack.disposeAsync();
    scratch[Symbol.dispose]();
  });

  const services = (name: string, serviceSpec: object) =>
    story.apply(multiClusterService(name, { clusterSelector: { matchLabels: { tier: 'dev' } }, serviceSpec }));
  const greetingOn = async (name: string, ns: string) => {
    const { code, stdout } = await member.run(`get configmap -n ${ns} ${name} -o jsonpath={.data.greeting}`);
    return code === 0 ? stdout : undefined;
  };
  const statesOf = async (mcs: string) => {
    const { items } = (await story.get<{ items: NonNullable<Awaited<ReturnType<K0rdentStory['set']>>>[] }>(`servicesets -n ${namespace}`))!;
    const set = items.find(({ spec }) => spec.multiClusterService === mcs);
    return Object.fromEntries((set?.status?.services ?? []).map(one => [one.name, one.failureMessage ?? one.state]));
  };
  const service = (name: string, more: object = {}) => ({ name, namespace: name, template: templateName('web', '1.0.0'), ...more });

  test('values are templates, come from ConfigMaps too, and one that does not end stops nobody else', async () => {
    await story.apply(configMap('region', { region: 'eu' }), configMap('more', { 'values.yaml': 'greeting: from more' }));
    await services('values', {
      provider: {
        config: {
          continueOnError: true,
          templateResourceRefs: [{ identifier: 'region', resource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'region', namespace } }],
        },
      },
      services: [
        service('endless', { values: 'a: 1\ngreeting: {{ range until 1000000000 }}{{ end }}' }),
        service('inline', {
          values: 'greeting: {{ .Cluster.metadata.name }} in {{ getField "region" "data.region" | upper }}',
          valuesFrom: [{ kind: 'ConfigMap', name: 'more' }],
        }),
        service('outside', { valuesFrom: [{ kind: 'ConfigMap', name: 'more' }] }),
      ],
    });
    const seen = async () => [await greetingOn('inline', 'inline'), await greetingOn('outside', 'outside')];
    await becomes(seen, ['dev in EU', 'from more'], 'the values');
    const { endless = '' } = await statesOf('values');
    assert.match(endless, /^service endless\/endless on cluster kcm-system\/dev: template: values:2:\d+: /);

    await story.apply(configMap('more', { 'values.yaml': 'greeting: changed' }), configMap('region', { region: 'us' }));
    await becomes(seen, ['dev in US', 'changed'], 'the changed values');
  });

  test('patches change what a chart gives, and drover diff shows the same', async () => {
    const patch = '- { op: replace, path: /data/greeting, value: "patched for {{ .Cluster.metadata.name }}" }';
    await services('patched', {
      provider: { config: { patches: [{ patch, target: { kind: 'ConfigMap', name: 'patch.*' } }] } },
      services: [service('patched')],
    });
    await becomes(() => greetingOn('patched', 'patched'), 'patched for dev', 'the patch');
    await becomes(() => statesOf('patched'), { patched: 'Deployed' }, 'the state');
    const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    const [work = ''] = (await drover.expect('get works -C dev -o name')).split('\n').filter(line => line.includes('patched.patched'));
    const { code, stdout } = await drover.run(`diff ${work.replace(/^.*\//, 'work/')} -C dev`);
    assert.deepEqual([code, stdout], [0, '']);
  });

  test('with the reloader, pods are restarted when what they use changes', async () => {
    await services('reloaded', { reload: true, services: [service('reloaded')] });
    await becomes(() => statesOf('reloaded'), { reloaded: 'Deployed' }, 'the state');
    const marks = async () => {
      const seen = await member.expect(`get deployment -n reloaded reloaded -o jsonpath={.metadata.annotations.drover\\.io/mounted}`);
      const pods = await member.expect(
        `get deployment -n reloaded reloaded -o jsonpath={.spec.template.metadata.annotations.drover\\.io/mounted}`,
      );
      return [seen !== '', pods !== ''];
    };
    await becomes(marks, [true, false], 'the first look');
    await member.expect('create configmap outside -n reloaded --from-literal=a=1');
    await becomes(marks, [true, true], 'the restart');
  });

  test('policyRefs put manifests on clusters', async () => {
    await story.apply(
      configMap('plain', { a: greeting('plain', 'hello'), b: greeting('far', 'hello far', 'far-away') }),
      configMap(
        'templated',
        { a: greeting('templated', 'hello {{ .Cluster.metadata.name }}') },
        { annotations: { 'projectsveltos.io/template': 'ok' } },
      ),
    );
    await services('policies', {
      provider: {
        config: {
          policyRefs: [
            { kind: 'ConfigMap', name: 'plain' },
            { kind: 'ConfigMap', name: 'templated', namespace },
            { remoteURL: { url: `${web.url}/greeting.yaml`, secretRef: { name: 'source' } } },
          ],
        },
      },
      services: [service('beside')],
    });
    const seen = async () => [
      await greetingOn('plain', 'default'),
      await greetingOn('far', 'far-away'),
      await greetingOn('templated', 'default'),
      await greetingOn('from-web', 'default'),
    ];
    await becomes(seen, ['hello', 'hello far', 'hello dev', 'hello web'], 'the manifests');
    await story.kubectl.expect('delete mcs policies --wait=false');
    await becomes(seen, [undefined, undefined, undefined, undefined], 'the manifests that go');
  });

  test('templates of manifests and kustomizations come from everywhere, each with its own verdict', async () => {
    const repo = testRepository(`${scratch.dir}/app.git`);
    repo.commit({
      'plain/greeting.yaml': greeting('git-plain', 'from git'),
      'kustom/greeting.yaml': greeting('kustom', 'from git'),
      'kustom/kustomization.yaml': kustomization('git'),
    });
    registry.pushChart(
      'apps/kustom',
      'v1',
      packed({ 'greeting.yaml': greeting('kustom', 'from oci'), 'kustomization.yaml': kustomization('oci') }),
      folderLayer,
    );
    const archive = packed({ 'greeting.yaml': greeting('kustom', 'from secret'), 'kustomization.yaml': kustomization('secret') });
    const secretRef = { name: 'source' };
    const source = (kindOf: string, name: string, spec: object) => ({
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: kindOf,
      metadata: { name, namespace },
      spec: { secretRef, interval: '10m', ...spec },
    });
    const template = (name: string, spec: object) => ({
      apiVersion: k0rdentVersion,
      kind: 'ServiceTemplate',
      metadata: { name, namespace },
      spec,
    });
    const local = (kindOf: string, name: string) => ({ deploymentType: 'Remote', localSourceRef: { kind: kindOf, name } });
    const gitUrl = `${git.url}/app.git`;
    await story.apply(
      source('GitRepository', 'app', { url: gitUrl, ref: { branch: 'main' } }),
      source('OCIRepository', 'app', { url: `oci://localhost:${images.port}/apps/kustom`, ref: { tag: 'v1' } }),
      configMap('manifests', { a: greeting('map-plain', 'from a map') }),
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'packed', namespace }, data: { 'app.tar.gz': archive.toString('base64') } },
      template('map-plain', { resources: local('ConfigMap', 'manifests') }),
      template('git-plain', { resources: { ...local('GitRepository', 'app'), path: 'plain' } }),
      template('git-kustom', { kustomize: { ...local('GitRepository', 'app'), path: 'kustom' } }),
      template('oci-kustom', { kustomize: local('OCIRepository', 'app') }),
      template('secret-kustom', { kustomize: local('Secret', 'packed') }),
      template('remote-plain', {
        resources: {
          deploymentType: 'Remote',
          path: 'plain',
          remoteSourceSpec: { git: { url: gitUrl, ref: { branch: 'main' }, secretRef, interval: '10m' } },
        },
      }),
    );
    const names = ['map-plain', 'git-plain', 'git-kustom', 'oci-kustom', 'secret-kustom'];
    await story.templatesAreValid(...names, 'remote-plain');
    await services('folders', {
      provider: { config: { continueOnError: true } },
      services: [...names, 'remote-plain'].map(name => ({ name, namespace: name, template: name })),
    });
    const seen = async () => Promise.all([...names.map(name => greetingOn(name, name)), greetingOn('git-plain', 'remote-plain')]);
    await becomes(seen, ['from a map', 'from git', 'from git', 'from oci', 'from secret', 'from git'], 'what they hold');
    const deployed = Object.fromEntries([...names, 'remote-plain'].map(name => [name, 'Deployed']));
    await becomes(
      async () => Object.fromEntries(Object.entries(await statesOf('folders')).sort()),
      Object.fromEntries(Object.entries(deployed).sort()),
      'their states',
    );
  });

  test('rules of health hold a service back', async () => {
    const rules = `- { version: v1, kind: ConfigMap, healthy: 'obj.data.greeting != "bad"', message: '"greeting is " + obj.data.greeting' }`;
    await story.apply(configMap('rules', { rules }, { labels: { 'k0rdent.mirantis.com/health-rule-target': 'global' } }));
    await services('ruled', { services: [service('ruled', { values: 'greeting: bad' })] });
    await becomes(() => greetingOn('ruled', 'ruled'), 'bad', 'the release');
    await becomes(() => statesOf('ruled'), { ruled: 'Provisioning' }, 'the state');
    await services('ruled', { services: [service('ruled', { values: 'greeting: good' })] });
    await becomes(() => statesOf('ruled'), { ruled: 'Deployed' }, 'the state when it is good');
  });
}
