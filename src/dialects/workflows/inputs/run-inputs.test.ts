import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { packedChart } from '../../../../test/helpers/chart-files.ts';
import { gitBackend, testRepository } from '../../../../test/helpers/git-server.ts';
import { ociRegistry } from '../../../../test/helpers/oci-registry.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { startSourceServer } from '../../../../test/helpers/source-server.ts';
import { tempDir } from '../../../../test/helpers/temp-dir.ts';
import { configMap, makeShop, shop, type ShopSpecs } from '../../../../test/helpers/workflow-objects.ts';
import { ConfigMap, Secret } from '../../../api/builtin-kinds.ts';
import { Content, contentName, heldContentLabel } from '../../../api/content.ts';
import { newObject } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { pushChart } from '../../../core/contents/stored-charts.ts';
import { createRenderPool } from '../../../render/render-pool.ts';
import { writeArchive } from '../../../render/write-archive.ts';
import { createEgress } from '../../../sources/egress.ts';
import { inspectChart } from '../../../sources/inspect-chart.ts';
import { fetchLines } from '../cluster-runs/fetch-lines.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import { Environment, ServiceDefinition } from '../kinds/service-definition.ts';
import { RancherError } from '../providers/rancher-error.ts';
import { workflowKinds } from '../workflow-kinds.ts';
import { hubRunInputs } from './hub-run-inputs.ts';
import type { RenderRequest, SnapshotRequest } from './run-inputs.ts';
import type { RunSnapshot } from './run-snapshot.ts';

const { signal } = new AbortController();
const east: ResolvedCluster = { id: 'c-m-aaaaaaaa', name: 'east', labels: { env: 'prod', region: 'eu' } };
const west: ResolvedCluster = { id: 'c-m-bbbbbbbb', name: 'west', labels: { env: 'dev' } };

const cordoned = 'c-m-cordoned';

async function start(
  t: TestContext,
  specs: ShopSpecs = {},
  clusters: () => Promise<readonly ResolvedCluster[]> = async () => [east, west],
) {
  const { client: hub } = await startMemoryHub(t, [Content, ...workflowKinds]);
  await makeShop(hub, specs);
  const renderer = createRenderPool({ size: 1 });
  t.after(() => renderer[Symbol.asyncDispose]());
  const inputs = hubRunInputs({
    hub,
    renderer,
    egress: createEgress({ allow: ['127.0.0.1/32'] }),
    providers: { list: clusters },
    whyKeptAway: (_, id) => (id === cordoned ? 'it is cordoned' : undefined),
  });
  const take = (request: Partial<SnapshotRequest> = {}) =>
    inputs.takeSnapshot({ namespace: shop, workflow: 'roll', variables: {}, facts: {}, ...request }, signal);
  const snapshot = async (request: Partial<SnapshotRequest> = {}): Promise<RunSnapshot> => {
    const taken = await take(request);
    assert.ok('snapshot' in taken, JSON.stringify(taken));
    return taken.snapshot;
  };
  const fault = async (request: Partial<SnapshotRequest> = {}) => {
    const taken = await take(request);
    assert.ok('fault' in taken, 'a fault is expected');
    return taken.fault;
  };
  const render = async (of: RunSnapshot, request: Partial<RenderRequest> = {}): Promise<readonly KubeObject[]> => {
    const rendered = await inputs.renderFor(of, { cluster: east, facts: {}, ...request }, signal);
    assert.ok('objects' in rendered, JSON.stringify(rendered));
    return rendered.objects;
  };
  const renderFault = async (of: RunSnapshot, request: Partial<RenderRequest> = {}) => {
    const rendered = await inputs.renderFor(of, { cluster: east, facts: {}, ...request }, signal);
    assert.ok('fault' in rendered, 'a fault is expected');
    return rendered.fault;
  };
  const resolve = (of: RunSnapshot, request = {}) => inputs.resolveClusters(of, { namespace: shop, facts: {}, ...request }, signal);
  return { hub, inputs, take, snapshot, fault, render, renderFault, resolve };
}

const dataOf = (objects: readonly KubeObject[]): unknown => objects.map(one => (one as KubeObject & { data?: unknown }).data);
const namesOf = (objects: readonly KubeObject[]): string[] => objects.map(one => one.metadata.name ?? '');
const addMap = (hub: KubeClient, name: string, data: Record<string, string>) =>
  hub.create(ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: shop, name }, data });

test('values are merged key by key, templates see them, and everything has its namespace', async t => {
  const { hub, snapshot, render } = await start(t, {
    service: {
      manifests: [{ configMapRef: { name: 'files' } }, { inline: configMap('plain', { shell: 'echo ${HOME} ${app.name} $${env.name}' }) }],
      values: [{ inline: 'b: 2\nnested: {z: service}' }, { configMapRef: { name: 'more' } }],
    },
    environment: {
      serviceOverrides: [
        { service: 'web', values: [{ inline: 'd: web' }] },
        { service: '*', values: [{ inline: 'd: all\ne: all' }] },
        { service: 'other', values: [{ inline: 'd: other' }] },
      ],
    },
  });
  await addMap(hub, 'files', {
    'values.yaml': 'a: 1\nb: 1\nnested: {x: file, z: file}\nwhere: ${cluster.name}',
    'web.yaml': [
      'kind: ConfigMap\napiVersion: v1\nmetadata: {name: web}',
      'data:\n  all: "{{ .Values.a }} {{ .Values.b }} {{ .Values.c }} {{ .Values.d }} {{ .Values.e }}"',
      '  nested: {{ .Values.nested.x }} {{ .Values.nested.z }}\n  where: {{ .Values.where }}\n  in: {{ if eq "${env.name}" "prod" }}fine{{ end }}',
    ].join('\n'),
    'role.yml': 'kind: ClusterRole\napiVersion: rbac.authorization.k8s.io/v1\nmetadata: {name: reader}',
    'README.md': '# no manifest',
  });
  await addMap(hub, 'more', { 'v.yaml': 'c: 3' });
  const objects = await render(await snapshot());
  assert.deepEqual(
    objects.map(one => [one.kind, one.metadata.name, one.metadata.namespace]),
    [
      ['ClusterRole', 'reader', undefined],
      ['ConfigMap', 'web', 'payments'],
      ['ConfigMap', 'plain', 'payments'],
    ],
  );
  assert.deepEqual(dataOf(objects.slice(1)), [
    { all: '1 2 3 web all', nested: 'file service', where: 'east', in: 'fine' },
    { shell: 'echo ${HOME} The Shop ${env.name}' },
  ]);
});

test('clusters share what is the same for them, and only that', async t => {
  const { snapshot, render } = await start(t, {
    service: { manifests: [{ inline: configMap('web', { r: "${cluster.labels.get('env')}" }) }] },
  });
  const taken = await snapshot();
  const other: ResolvedCluster = { ...east, id: 'c-m-cccccccc', name: 'third' };
  const [first, second, third] = [await render(taken), await render(taken, { cluster: other }), await render(taken, { cluster: west })];
  assert.equal(first, second);
  assert.deepEqual(dataOf([...first, ...third]), [{ r: 'prod' }, { r: 'dev' }]);
});

test('files with the mark are left out of deployments, and steps have them by their path', async t => {
  const { hub, snapshot, render, renderFault } = await start(t, { service: { manifests: [{ configMapRef: { name: 'files' } }] } });
  await addMap(hub, 'files', {
    'job.yaml': `# harness.io/skip-file-for-deploy\n${configMap('job', { raw: '${app.name}' })}`,
    'own.yaml': `# drover.io/skip-file-for-deploy\n${configMap('own')}`,
    'late.yaml': `\n# harness.io/skip-file-for-deploy\n${configMap('late')}`,
    'list.yaml': `apiVersion: v1\nkind: List\nitems: [${configMap('one')}, ${configMap('two')}]`,
  });
  const taken = await snapshot();
  assert.deepEqual(namesOf(await render(taken)), ['late', 'one', 'two']);
  assert.deepEqual(namesOf(await render(taken, { filePaths: ['job.yaml', './own.yaml'] })), ['job', 'own']);
  assert.deepEqual(dataOf(await render(taken, { filePaths: ['job.yaml'] })), [{ raw: 'The Shop' }]);
  assert.deepEqual(dataOf(await render(taken, { filePaths: ['job.yaml'], skipRendering: true })), [{ raw: '${app.name}' }]);
  assert.equal((await renderFault(taken, { filePaths: ['no.yaml'] })).message, 'There is no file "no.yaml" in the manifests');
});

test('what a run gives goes before the workflow, the phase, the environment and the service', async t => {
  const { snapshot, render } = await start(t, {
    service: {
      manifests: [
        { inline: configMap('web', Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map(one => [one, `\${serviceVariable.${one}}`]))) },
      ],
      variables: ['a', 'b', 'c', 'd', 'e', 'f']
        .map(name => ({ name, value: 'service' }))
        .with(5, { name: 'f', value: '${workflow.variables.b}' }),
    },
    environment: {
      serviceOverrides: [
        { service: 'web', variables: ['a', 'b', 'c', 'd'].map(name => ({ name, value: 'environment' })) },
        { service: '*', variables: ['a', 'b', 'c', 'd', 'e'].map(name => ({ name, value: 'everywhere' })) },
      ],
    },
    workflow: {
      variables: [
        { name: 'a', default: 'workflow' },
        { name: 'b', default: 'workflow' },
      ],
    },
  });
  const taken = await snapshot({ variables: { a: 'run' } });
  const phaseVariables = { a: 'phase', b: 'phase', c: 'phase' };
  assert.deepEqual(dataOf(await render(taken, { facts: { phaseVariables } })), [
    { a: 'run', b: 'workflow', c: 'phase', d: 'environment', e: 'everywhere', f: 'workflow' },
  ]);
});

test('values of variables are texts: nothing in them is evaluated again', async t => {
  const { snapshot, render } = await start(t, {
    service: { manifests: [{ inline: `{{ if true }}${configMap('web', { a: '${workflow.variables.who}' })}{{ end }}` }] },
    workflow: { variables: [{ name: 'who' }] },
  });
  const who = '{{ fail `no` }} ${serviceVariable.password}';
  assert.deepEqual(dataOf(await render(await snapshot({ variables: { who } }))), [{ a: who }]);
});

test('secrets are read by reference, and are in no snapshot and no message', async t => {
  const { hub, inputs, snapshot, render, renderFault } = await start(t, {
    service: {
      manifests: [{ inline: configMap('web', { p: '${serviceVariable.password} ${environmentVariable.key}' }) }],
      variables: [{ name: 'password', secretRef: { name: 's', key: 'p' } }],
    },
    environment: { variables: [{ name: 'key', secretRef: { name: 's', key: 'k' } }] },
  });
  await hub.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: shop, name: 's' },
    stringData: { p: 'hunter2: [', k: 'key1' },
  } as never);
  const taken = await snapshot();
  assert.doesNotMatch(JSON.stringify(taken), /hunter2|key1/);
  const secrets = await inputs.readSecrets(shop, taken, signal);
  assert.deepEqual(
    [...secrets],
    [
      ['environmentVariable.key', 'key1'],
      ['serviceVariable.password', 'hunter2: ['],
    ],
  );
  assert.deepEqual(dataOf(await render(taken, { facts: { secrets } })), [{ p: 'hunter2: [ key1' }]);
  const without = await renderFault(taken);
  assert.deepEqual(
    [without.reason, without.message],
    ['UnresolvedExpression', 'manifest-1.yaml: cannot resolve ${serviceVariable.password}'],
  );
  const broken = { ...taken.services['web']!, bundle: taken.services['web']!.bundle };
  const { message } = await renderFault(
    {
      ...taken,
      services: { web: broken },
      infrastructure: {
        ...taken.infrastructure,
        spec: { overrides: [{ patches: [{ type: 'merge', patch: '${serviceVariable.password}' }] }] },
      },
    },
    { facts: { secrets } },
  ).catch((error: unknown) => ({ message: String(error) }));
  assert.doesNotMatch(message, /hunter2/);
});

test('what differs on a cluster: values and patches of each type, later ones winning', async t => {
  const { snapshot, render } = await start(t, {
    service: {
      manifests: [
        {
          inline:
            'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: {{ .Values.replicas }}, template: {spec: {containers: [{name: a, image: x}, {name: b, image: w}]}}}',
        },
        { inline: configMap('web', { a: '1', b: '2' }) },
      ],
      values: [{ inline: 'replicas: 1' }],
    },
    infrastructure: {
      overrides: [
        { values: { replicas: 2 } },
        {
          clusterSelector: { matchLabels: { region: 'eu' } },
          values: { replicas: 3 },
          patches: [
            { target: { kind: 'Deployment' }, patch: 'spec: {template: {spec: {containers: [{name: a, image: "z-${cluster.name}"}]}}}' },
            { target: { kind: 'ConfigMap', name: 'web' }, type: 'merge', patch: { data: { a: null, c: '${cluster.name}' } } },
            {
              target: { kind: 'Deployment', name: 'web' },
              type: 'json6902',
              patch: '[{"op": "add", "path": "/metadata/labels", "value": {"k": "v"}}]',
            },
          ],
        },
      ] as never,
    },
  });
  const taken = await snapshot();
  const [deployment, map] = (await render(taken)) as (KubeObject & {
    spec: { replicas: number; template: { spec: { containers: unknown } } };
    data: unknown;
  })[];
  assert.equal(deployment!.spec.replicas, 3);
  assert.deepEqual(deployment!.spec.template.spec.containers, [
    { name: 'a', image: 'z-east' },
    { name: 'b', image: 'w' },
  ]);
  assert.deepEqual(deployment!.metadata.labels, { k: 'v' });
  assert.deepEqual(map!.data, { b: '2', c: 'east' });
  const [elsewhere] = (await render(taken, { cluster: west })) as (KubeObject & { spec: { replicas: number } })[];
  assert.equal(elsewhere!.spec.replicas, 2);
});

test('a branch is one commit for the whole run: files, values and a kustomization', async t => {
  const scratch = tempDir('inputs-git');
  t.after(() => scratch[Symbol.dispose]());
  mkdirSync(scratch.dir, { recursive: true });
  const repository = testRepository(path.join(scratch.dir, 'repo'));
  const first = repository.commit({
    'deploy/templates/web.yaml': configMap('web', { v: '{{ .Values.v }}' }),
    'deploy/values.yaml': 'v: from git',
    'prod/values.yaml': 'v: of prod',
    'base/map.yaml': configMap('base'),
    'base/kustomization.yaml': 'resources: [map.yaml]',
    'over/kustomization.yaml': 'resources: [../base]\nnamePrefix: my-\ncommonAnnotations: {at: "${cluster.name}"}',
  });
  const server = await startSourceServer(t, gitBackend(scratch.dir));
  const repo = `${server.url}/repo`;
  const git = { repo, ref: 'main', secretRef: { name: 'ca' } };
  const { hub, snapshot, render, fault } = await start(t, {
    service: {
      manifests: [{ git: { ...git, path: 'deploy' } }, { kustomize: { git, path: 'over' } }],
      values: [{ git: { ...git, path: 'prod/values.yaml' } }],
    },
  });
  await hub.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: shop, name: 'ca' },
    data: { 'ca.crt': Buffer.from(server.ca.certificate).toString('base64') },
  });
  const taken = await snapshot();
  assert.deepEqual(
    taken.services['web']!.sources.map(one => ('commit' in one ? one.commit : undefined)),
    [first, first],
  );
  assert.deepEqual(
    fetchLines(taken.services['web']).map(({ unit, message }) => `${unit}: ${message}`),
    [`Fetch Files: Fetched ${repo} at commit ${first}`, `Fetch Files: Fetched ${repo} at commit ${first}`, 'Fetch Files: Done.'],
  );
  repository.commit({ 'deploy/values.yaml': 'v: newer', 'prod/values.yaml': '{}' });
  const objects = await render(taken);
  assert.deepEqual(namesOf(objects), ['web', 'my-base']);
  assert.deepEqual(dataOf(objects), [{ v: 'of prod' }, { a: 'b' }]);
  assert.deepEqual(objects[1]!.metadata.annotations, { at: 'east' });
  assert.deepEqual(namesOf(await render(taken, { filePaths: ['templates/web.yaml'] })), ['web']);
  assert.deepEqual(dataOf(await render(await snapshot())), [{ v: 'newer' }, { a: 'b' }]);

  await hub.patch(
    ServiceDefinition,
    { namespace: shop, name: 'web' },
    { type: 'merge', body: { spec: { manifests: [{ git: { ...git, ref: 'nobranch' } }] } } },
  );
  const { reason, failureType, message } = await fault();
  assert.deepEqual([reason, failureType], ['SourceFailed', 'ApplicationError']);
  assert.match(message, /^Service "web": spec\.manifests\[0\]: .* has no branch, tag or commit "nobranch"$/);
});

test('an artifact of a registry is taken by its tag, which the run may choose', async t => {
  const registry = ociRegistry();
  const server = await startSourceServer(t, registry.answer);
  const files = {
    'deploy/web.yaml': configMap('web', { v: '{{ .Values.v }}' }),
    'deploy/values.yaml': 'v: packed',
    'other.yaml': configMap('other'),
  };
  const archive = writeArchive(Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) })));
  registry.pushChart('shop/manifests', 'v7', archive, 'application/vnd.oci.image.layer.v1.tar+gzip');
  const { hub, snapshot, render, fault } = await start(t, {
    service: {
      manifests: [
        {
          oci: {
            image: `localhost:${server.port}/shop/manifests`,
            tag: '${workflow.variables.tag}',
            path: 'deploy',
            secretRef: { name: 'ca' },
          },
        },
      ],
    },
    workflow: { variables: [{ name: 'tag' }] },
  });
  const data = { 'ca.crt': Buffer.from(server.ca.certificate).toString('base64') };
  await hub.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace: shop, name: 'ca' }, data });
  assert.deepEqual(dataOf(await render(await snapshot({ variables: { tag: 'v7' } }))), [{ v: 'packed' }]);
  assert.equal((await fault({ variables: { tag: 'v8' } })).reason, 'SourceFailed');

  // What is fetched follows the same order of variables as everything else.
  const oci = {
    image: `localhost:${server.port}/shop/manifests`,
    tag: '${serviceVariable.version}',
    path: 'deploy',
    secretRef: { name: 'ca' },
  };
  const service = { manifests: [{ oci }], variables: [{ name: 'version', value: 'v8' }] };
  await hub.patch(ServiceDefinition, { namespace: shop, name: 'web' }, { type: 'merge', body: { spec: service } });
  assert.match((await fault()).message, /version "v8" not found/);
  const serviceOverrides = [{ service: 'web', variables: [{ name: 'version', value: 'v7' }] }];
  await hub.patch(Environment, { namespace: shop, name: 'prod' }, { type: 'merge', body: { spec: { serviceOverrides } } });
  assert.deepEqual(dataOf(await render(await snapshot())), [{ v: 'packed' }]);
});

test('a chart of the store is rendered with the values, and its bytes are held for the run', async t => {
  const { hub, snapshot, render } = await start(t, {
    service: {
      manifests: [{ helm: { chart: 'web', version: '${artifact.buildNo}' } }],
      values: [{ inline: 'note: ${helmChart.version}' }],
      artifacts: [{ name: 'chart', type: 'HelmChart', image: 'hub', chart: 'web' }],
    },
  });
  const template = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: my-{{ .Release.Name }}}\ndata: {note: "{{ .Values.note }}"}';
  await pushChart(hub, inspectChart(packedChart('web', '1.2.3', { 'templates/map.yaml': template }), 'here'), { signal });
  const taken = await snapshot({ artifacts: [{ tag: '1.2.3' }] });
  const { bundle, helmChart, sources } = taken.services['web']!;
  assert.deepEqual(helmChart, { name: 'web', version: '1.2.3', url: 'hub' });
  const objects = await render(taken);
  const map = objects.find(one => one.kind === 'ConfigMap' && one.metadata.name === `my-${taken.infrastructure.releaseName}`);
  assert.deepEqual(dataOf([map!]), [{ note: '1.2.3' }]);
  for (const digest of [bundle, (sources[0] as { content: string }).content]) {
    const content = await hub.get(Content, { name: contentName(digest) });
    assert.equal(content?.metadata.labels?.[heldContentLabel('workflows')], 'true');
  }
});

test('the release name is made from the names, and artifacts from what was seen', async t => {
  const { hub, snapshot } = await start(t, {
    service: { artifacts: [{ name: 'image', type: 'OCIImage', image: 'registry.example:5000/shop/web' }] },
  });
  await hub.patch(
    ServiceDefinition,
    { namespace: shop, name: 'web' },
    {
      type: 'merge',
      body: {
        status: {
          artifactVersions: [
            { artifact: 'image', tag: 'v2', digest: 'sha256:2', seenAt: '2026-01-01T00:00:00Z' },
            { artifact: 'image', tag: 'v1', seenAt: '2026-01-01T00:00:00Z' },
          ],
        },
      },
    },
    { subresource: 'status' },
  );
  const taken = await snapshot();
  assert.match(taken.infrastructure.releaseName, /^release-[0-9a-f]{8}-[0-9a-f]{4}-3[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(taken.services['web']!.artifact, {
    name: 'image',
    image: 'registry.example:5000/shop/web',
    tag: 'v2',
    digest: 'sha256:2',
    registryUrl: 'registry.example:5000',
    repositoryName: 'shop/web',
  });
  assert.equal((await snapshot({ artifacts: [{ service: 'web', buildNumber: 'v1' }] })).services['web']!.artifact?.tag, 'v1');
});

const faults: readonly [name: string, specs: ShopSpecs, request: Partial<SnapshotRequest>, reason: string, message: RegExp][] = [
  ['no workflow', {}, { workflow: 'nobody' }, 'NotFound', /^There is no Workflow "nobody" in namespace "shop-0"$/],
  ['no service', { workflow: { serviceRef: 'api' } }, {}, 'NotFound', /ServiceDefinition "api"/],
  ['no provider', { infrastructure: { cloudProviderRef: 'gone' } }, {}, 'NotFound', /^There is no CloudProvider "gone"$/],
  [
    'an expression that stands for nothing',
    { workflow: { serviceRef: '${workflow.variables.svc}' } },
    {},
    'UnresolvedExpression',
    /spec\.serviceRef: cannot resolve \$\{workflow\.variables\.svc\}/,
  ],
  ['a namespace that is none', { infrastructure: { namespace: 'Not One' } }, {}, 'InvalidInfrastructure', /spec\.namespace: "Not One"/],
  [
    'a secret in the namespace',
    {
      service: { variables: [{ name: 'p', secretRef: { name: 's', key: 'k' } }] },
      infrastructure: { namespace: 'x-${serviceVariable.p}' },
    },
    {},
    'UnresolvedExpression',
    /serviceVariable\.p/,
  ],
  [
    'a provider for others',
    { provider: { type: 'Drover', usageRestrictions: { namespaces: ['other'] } } },
    {},
    'UsageRestricted',
    /^Provider "here-shop-6" may not be used in namespace "shop-6"$/,
  ],
  [
    'a provider for tests',
    { provider: { type: 'Drover', usageRestrictions: { environmentTypes: ['NonProd'] } } },
    {},
    'UsageRestricted',
    /for environments of type Prod$/,
  ],
  [
    'a missing variable',
    { workflow: { variables: [{ name: 'tag', required: true }] } },
    {},
    'InvalidVariable',
    /^Variable "tag" is required and has no value$/,
  ],
  [
    'a fixed variable',
    { workflow: { variables: [{ name: 'tag', default: 'a', fixed: true }] } },
    { variables: { tag: 'b' } },
    'InvalidVariable',
    /"tag" is fixed/,
  ],
  [
    'a value that is not allowed',
    { workflow: { variables: [{ name: 'tag', allowedValues: ['a', 'b'] }] } },
    { variables: { tag: 'c' } },
    'InvalidVariable',
    /must be one of "a", "b"$/,
  ],
  [
    'a number that is none',
    { workflow: { variables: [{ name: 'n', type: 'Number' }] } },
    { variables: { n: 'many' } },
    'InvalidVariable',
    /must be a number$/,
  ],
  ['a variable nobody knows', {}, { variables: { typo: 'x' } }, 'InvalidVariable', /^The workflow has no variable "typo"$/],
  [
    'a ConfigMap that is not there',
    { service: { manifests: [{ configMapRef: { name: 'gone' } }] } },
    {},
    'NotFound',
    /There is no ConfigMap "gone"/,
  ],
  [
    'an address that nobody may ask',
    { service: { manifests: [{ git: { repo: 'https://169.254.169.254/x' } }] } },
    {},
    'SourceFailed',
    /link-local/,
  ],
  [
    'another environment',
    { infrastructure: { environmentRef: 'dev' } },
    {},
    'InvalidInfrastructure',
    /belongs to environment "dev" and not to "prod"/,
  ],
];

test('what a run cannot be made of is told', async t => {
  const { hub, fault } = await start(t);
  for (const [i, [name, specs, request, reason, message]] of faults.entries()) {
    await t.test(name, async () => {
      const namespace = `shop-${i}`;
      await makeShop(hub, specs, namespace);
      const found = await fault({ namespace, ...request });
      assert.equal(found.reason, reason, found.message);
      assert.match(found.message, message);
    });
  }
});

test('resolve_and_or_labels: all criteria, one value of each, in the words of the log', async t => {
  const clusters: ResolvedCluster[] = [east, west, { id: 'c-m-cccccccc', name: 'third', labels: { env: 'prod-eu', region: 'eu' } }];
  const { snapshot, resolve } = await start(
    t,
    {
      infrastructure: {
        allowAllClusters: false,
        clusterSelectionCriteria: [
          { labelName: ' env ', labelValues: '${workflow.variables.envs}' },
          { labelName: 'region', labelValues: 'eu' },
        ],
      },
      workflow: { variables: [{ name: 'envs', default: 'prod, prod-eu' }] },
    },
    async () => clusters,
  );
  const taken = await snapshot();
  const found = await resolve(taken);
  assert.ok('eligible' in found);
  assert.deepEqual(
    found.lines.map(one => `${one.level} ${one.unit} ${one.message}`),
    [
      'INFO Execute Fetching list of clusters and labels from Drover',
      'INFO Execute Fetched clusters list: [east, west, third]',
      'INFO Execute Eligible clusters list after applying label filters: [east, third]',
    ],
  );
  const narrowed = await resolve(taken, { only: ['c-m-cccccccc', 'west'] });
  assert.ok('eligible' in narrowed);
  assert.deepEqual(
    narrowed.eligible.map(one => one.name),
    ['third'],
  );
});

test('a cluster whose taints keep runs away is left out, and the log says why', async t => {
  const { snapshot, resolve } = await start(t, {}, async () => [east, { ...west, id: cordoned }]);
  const found = await resolve(await snapshot());
  assert.ok('eligible' in found);
  assert.deepEqual(
    found.eligible.map(one => one.name),
    ['east'],
  );
  assert.ok(found.lines.some(one => one.level === 'WARN' && one.message === 'Left out [west]: it is cordoned'));
});

test('a resolution that fails says why, in the words of the step', async t => {
  let answer: () => Promise<readonly ResolvedCluster[]> = async () => [];
  const { snapshot, resolve } = await start(
    t,
    {
      infrastructure: {
        allowAllClusters: false,
        clusterSelectionCriteria: [{ labelName: 'env', labelValues: '${workflow.variables.env}' }],
      },
      workflow: { variables: [{ name: 'env' }] },
    },
    () => answer(),
  );
  const faultOf = async (variables: Record<string, string>) => {
    const found = await resolve(await snapshot({ variables }));
    assert.ok('fault' in found);
    assert.equal(found.lines.at(-1)?.message, found.fault.message);
    return [found.fault.failureType, found.fault.reason, found.fault.message];
  };
  assert.deepEqual(await faultOf({ env: 'x' }), ['ApplicationError', 'EmptyClusterList', 'Drover returned an empty list of clusters.']);
  answer = async () => [east];
  assert.deepEqual(await faultOf({ env: 'x' }), ['ApplicationError', 'NoEligibleCluster', 'No eligible cluster found after filtering']);
  assert.equal((await faultOf({ env: ' , ' }))[1], 'EmptySelection');
  assert.deepEqual((await faultOf({}))[1], 'UnresolvedExpression');
  answer = () => Promise.reject(new RancherError('InvalidToken', 'the credential is not accepted (401)'));
  assert.deepEqual(await faultOf({ env: 'prod' }), [
    'Authentication',
    'ProviderFailed',
    'Error while fetching clusters data from Drover. Exception: the credential is not accepted (401)',
  ]);
});

test('manifests that cannot be read name their file', async t => {
  const { hub, snapshot, renderFault } = await start(t, { service: { manifests: [{ configMapRef: { name: 'files' } }] } });
  await addMap(hub, 'files', { 'a.yaml': 'kind: [', 'b.yaml': '{{ .Values.no }}' });
  const taken = await snapshot();
  const broken = await renderFault(taken, { filePaths: ['a.yaml'] });
  assert.deepEqual([broken.reason, /^a\.yaml: document 1: /.test(broken.message)], ['RenderFailed', true], broken.message);
  assert.match((await renderFault(taken, { filePaths: ['b.yaml'] })).message, /b\.yaml:1:\d+: .*no/);
});

test('a service of a phase is part of the run', async t => {
  const { hub, snapshot, render } = await start(t, { workflow: { phases: [{ name: 'p', serviceRef: 'db' }] } });
  await hub.create(
    ServiceDefinition,
    newObject(ServiceDefinition, { namespace: shop, name: 'db' }, { manifests: [{ inline: configMap('${service.name}') }] }),
  );
  const taken = await snapshot();
  assert.deepEqual(Object.keys(taken.services), ['web', 'db']);
  assert.deepEqual(namesOf(await render(taken, { service: 'db' })), ['db']);
});
