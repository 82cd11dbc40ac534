import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { service, setsNamespace as namespace, startSetsWorld, told, type SetsWorld } from '../../../test/helpers/sets-world.ts';
import { ConfigMap, Secret } from '../../api/builtin-kinds.ts';
import { findCondition } from '../../api/conditions.ts';
import { contentTypes } from '../../api/content.ts';
import { newObject } from '../../api/define-kind.ts';
import { putContent } from '../../core/contents/put-content.ts';
import { writeArchive } from '../../render/write-archive.ts';
import { healthRuleLabel } from './health-rules.ts';
import { GitRepository } from './kinds/flux-source.ts';
import { StateManagementProvider } from './kinds/management.ts';
import { pausedAnnotation, ServiceSet } from './kinds/service-set.ts';
import { contentAnnotation } from './template-content.ts';

const patient = { timeoutMs: 60_000 };
const readSet = ({ hub }: SetsWorld, name: string) => hub.client.get(ServiceSet, { namespace, name });
const profileOf = async (world: SetsWorld, name: string) => {
  const found = findCondition(await readSet(world, name), 'ServiceSetProfile');
  return `${found?.status} ${found?.reason} ${found?.message}`;
};
const onMember = async ({ member }: SetsWorld, name: string, ns = 'default') =>
  (await member.client.get(ConfigMap, { namespace: ns, name }))?.data;
const becomes = <T>(read: () => Promise<T>, expected: T) =>
  eventually(read, found => JSON.stringify(found) === JSON.stringify(expected), patient).catch(async () =>
    assert.deepEqual(await read(), expected),
  );

const configMap = (name: string, data: Record<string, string>, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, ...metadata },
  data,
});
const manifest = (name: string, data: Record<string, string>, ns?: string): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...(ns !== undefined && { namespace: ns }) }, data });

test('a template that does not end fails its own service, and says which, where and in which line', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const bad = service('bad', 'web-1', { values: 'of: 1\nx: {{ range until 1000000000 }}{{ end }}' });
  const set = await world.putSet([bad, service('good', 'web-1', { values: 'of: {{ .Cluster.metadata.name }}' })], {
    config: { continueOnError: true },
  });
  const states = await eventually(
    () => world.states(set),
    ({ good }) => good === 'Deployed',
    patient,
  );
  assert.match(states['bad'] ?? '', /^service bad\/bad on cluster kcm-system\/dev-cluster-1: template: values:2:\d+: /);
  assert.equal((await world.dataOf('good'))?.['of'], 'dev-cluster-1');
});

test('valuesFrom: every key in order, templates after plain ones, inline values last unless a setting says otherwise', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0', { 'more.yaml': manifest('values', { all: '{{ toJson .Values | b64enc }}' }, 'web') });
  const { client } = world.hub;
  const annotations = { 'projectsveltos.io/template': 'ok' };
  await client.apply(
    ConfigMap,
    configMap('templated', { x: 'who: templated\nname: {{ .Cluster.metadata.name }}\nlist: [3]' }, { annotations }),
  );
  await client.apply(ConfigMap, configMap('plain', { b: 'who: b\nlist: [2]', a: 'who: a\nonlyA: 1\nnested: { a: 1 }' }));
  await client.apply(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'secret', namespace },
    data: { s: Buffer.from('nested: { s: 1 }').toString('base64') },
  });
  const valuesFrom = [
    { kind: 'ConfigMap' as const, name: 'templated' },
    { kind: 'ConfigMap' as const, name: 'plain' },
    { kind: 'Secret' as const, name: 'secret' },
  ];
  await world.putSet([service('web', 'web-1', { values: 'who: inline', valuesFrom })]);
  const seen = async () => {
    const text = (await onMember(world, 'values', 'web'))?.['all'];
    return text === undefined ? undefined : (JSON.parse(Buffer.from(text, 'base64').toString()) as unknown);
  };
  const merged = { list: [3], name: 'dev-cluster-1', nested: { a: 1, s: 1 }, onlyA: 1 };
  await becomes(seen, { ...merged, who: 'inline' });
  await client.apply(ConfigMap, configMap('drover-settings', { 'k0rdent.valuesPrecedence': 'valuesFrom' }));
  await becomes(seen, { ...merged, who: 'templated' });
});

test('templateResourceRefs: names may be templates, optional ones may be missing, and only changes that matter count', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const { client } = world.hub;
  await client.apply(ConfigMap, configMap('dev-cluster-1-config', { region: 'eu', noise: '1' }));
  const refs = [
    {
      identifier: 'config',
      resource: { apiVersion: 'v1', kind: 'ConfigMap', name: '{{ .Cluster.metadata.name }}-config' },
      watchFields: ['data.region'],
    },
    { identifier: 'absent', resource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'absent' }, optional: true },
  ];
  const values =
    'of: {{ .MgmtResources.config.data.region }}{{ .MgmtResources.config.data.noise }}{{ if hasKey .MgmtResources "absent" }}!{{ end }}';
  const set = await world.putSet([service('web', 'web-1', { values })], { config: { templateResourceRefs: refs } });
  const of = async () => (await world.dataOf('web'))?.['of'];
  await becomes(of, 'eu1');
  await client.apply(ConfigMap, configMap('dev-cluster-1-config', { region: 'eu', noise: '2' }));
  await client.apply(ConfigMap, configMap('dev-cluster-1-config', { region: 'us', noise: '2' }));
  await becomes(of, 'us2');

  const missing = [{ ...refs[1]!, optional: false }];
  await world.putSet([service('web', 'web-1', { values: 'of: x' })], { config: { templateResourceRefs: missing } });
  await becomes(
    () => profileOf(world, set),
    'False ServiceSetHelmChartsBuildFailed resource "absent" is missing: ConfigMap kcm-system/absent',
  );
  await client.apply(ConfigMap, configMap('absent', {}));
  await becomes(of, 'x');
});

test('patches of the config are templates, and change what charts give', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const patch = '- { op: replace, path: /data/of, value: "patched on {{ .Cluster.metadata.name }}" }';
  const set = await world.putSet([service('web', 'web-1')], {
    config: { patches: [{ patch, target: { kind: 'ConfigMap', name: 'w.*' } }] },
  });
  await becomes(async () => (await world.dataOf('web'))?.['of'], 'patched on dev-cluster-1');
  await world.putSet([service('web', 'web-1')], { config: { patches: [{ patch: '{{ .Nosuch }}' }] } });
  await eventually(
    () => profileOf(world, set),
    text => /ServiceSetHelmChartsBuildFailed template: patches\[0\]:1:\d+: /.test(text),
    patient,
  );
});

test('policyRefs put manifests on the cluster: of ConfigMaps, Secrets and folders, templated where the source says so', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const { client } = world.hub;
  const annotations = { 'projectsveltos.io/template': 'ok' };
  await client.apply(
    ConfigMap,
    configMap('plain', { a: manifest('one', { from: '{{ plain }}' }), b: manifest('two', { from: 'plain' }, 'far') }),
  );
  await client.apply(
    ConfigMap,
    configMap('templated', { a: manifest('three', { from: '{{ .Cluster.metadata.name }}' }) }, { annotations }),
  );
  const data = { a: Buffer.from(manifest('four', { from: 'secret' })).toString('base64') };
  await client.apply(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'secret', namespace }, data });
  const files = [
    { name: 'in/a.yaml', data: Buffer.from(manifest('five', { from: 'git' })) },
    { name: 'out/b.yaml', data: Buffer.from(manifest('six', { from: 'elsewhere' })) },
  ];
  const digest = await putContent(client, writeArchive(files), { type: contentTypes.kustomization });
  await client.apply(
    GitRepository,
    newObject(GitRepository, { name: 'git', namespace, annotations: { [contentAnnotation]: digest } }, { url: 'https://git.example/x' }),
  );
  const policyRefs = [
    { kind: 'ConfigMap', name: 'plain' },
    { kind: 'ConfigMap', name: 'templated' },
    { kind: 'Secret', name: 'secret' },
    { kind: 'GitRepository', name: 'git', path: 'in' },
    { kind: 'ConfigMap', name: 'nosuch', optional: true },
  ];
  const set = await world.putSet([service('web', 'web-1')], { config: { policyRefs } });
  const seen = async () => [
    (await onMember(world, 'one'))?.['from'],
    (await onMember(world, 'two', 'far'))?.['from'],
    (await onMember(world, 'three'))?.['from'],
    (await onMember(world, 'four'))?.['from'],
    (await onMember(world, 'five'))?.['from'],
    (await onMember(world, 'six'))?.['from'],
  ];
  await becomes(seen, ['{{ plain }}', 'plain', 'dev-cluster-1', 'secret', 'git', undefined]);
  await becomes(async () => (await readSet(world, set))?.status?.deployed, true);

  // What the source says now is what is there, and an entry that goes takes its objects along.
  await client.apply(ConfigMap, configMap('plain', { a: manifest('one', { from: 'changed' }) }));
  await world.putSet([service('web', 'web-1')], { config: { policyRefs: policyRefs.slice(0, 1) } });
  await becomes(seen, ['changed', undefined, undefined, undefined, undefined, undefined]);
  await world.hub.client.delete(ServiceSet, { namespace, name: set });
  await becomes(seen, [undefined, undefined, undefined, undefined, undefined, undefined]);
});

test('of two policies with the same object the lower tier has it; one that is missing is told and holds up nothing', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const { client } = world.hub;
  await client.apply(ConfigMap, configMap('high', { a: manifest('same', { from: 'high' }) }));
  await client.apply(ConfigMap, configMap('low', { a: manifest('same', { from: 'low' }) }));
  const policyRefs = [
    { kind: 'ConfigMap', name: 'high', tier: 200 },
    { kind: 'ConfigMap', name: 'low', tier: 50 },
    { kind: 'ConfigMap', name: 'nosuch' },
  ];
  const set = await world.putSet([service('web', 'web-1')], { config: { policyRefs } });
  await told(world, set, { web: 'Deployed' });
  await becomes(async () => (await onMember(world, 'same'))?.['from'], 'low');
  const words = 'policyRef ConfigMap nosuch: there is no ConfigMap kcm-system/nosuch';
  await becomes(() => profileOf(world, set), `False ServiceSetPolicyRefsBuildFailed ${words}`);
  assert.equal((await readSet(world, set))?.status?.deployed, false);
});

test('many manifests are stored beside the Work, and what a set leaves stays when it goes', async t => {
  const world = await startSetsWorld(t);
  const { client } = world.hub;
  const long = 'x'.repeat(300_000);
  await client.apply(ConfigMap, configMap('large', { a: manifest('large', { long }), b: manifest('small', { from: 'large' }) }));
  const config = { policyRefs: [{ kind: 'ConfigMap', name: 'large' }], stopMatchingBehavior: 'LeavePolicies' };
  const set = await world.putSet([], { config });
  await becomes(async () => (await onMember(world, 'small'))?.['from'], 'large');
  const [work] = world.works.list();
  assert.deepEqual([work?.spec.manifests, typeof work?.spec.content], [undefined, 'string']);
  await client.delete(ServiceSet, { namespace, name: set });
  await becomes(async () => (await readSet(world, set))?.metadata.name, undefined);
  assert.equal((await onMember(world, 'small'))?.['from'], 'large');
});

test('rules of health hold a release back until its objects fulfil them', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const { client } = world.hub;
  const rules = `
- { version: v1, kind: ConfigMap, scope: Namespaced, healthy: 'obj.data.of == "good"', message: '"of is " + obj.data.of' }
- { version: v1, kind: ConfigMap, healthy: 'obj.nosuch(' }
`;
  await client.apply(ConfigMap, configMap('rules', { rules }, { labels: { [healthRuleLabel]: 'global' } }));
  const set = await world.putSet([service('web', 'web-1', { values: 'of: bad' })]);
  const said = async () => {
    const [state] = (await readSet(world, set))?.status?.services ?? [];
    return [state?.state, ...(state?.conditions ?? []).map(({ type, reason, message }) => `${type} ${reason} ${message}`)];
  };
  await becomes(said, [
    'Provisioning',
    'ServiceHealthConfigMap ConfigMapUnhealthy 1 ConfigMap unhealthy: web/web (of is bad, rule kcm-system/rules#0)',
  ]);
  const faults = findCondition(await readSet(world, set), 'ServiceSetHealthRules');
  assert.equal(faults?.status, 'False');
  assert.match(faults?.message ?? '', /^kcm-system\/rules#1: /);

  await world.putSet([service('web', 'web-1', { values: 'of: good' })]);
  await becomes(said, ['Deployed']);
  await client.delete(ConfigMap, { namespace, name: 'rules' });
  await becomes(
    async () => findCondition(await readSet(world, set), 'ServiceSetHealthRules')?.message,
    'All health rules loaded successfully',
  );
});

test('a set that is paused, or whose provider rests, is left as it is', async t => {
  const world = await startSetsWorld(t);
  await world.template('web-1', '1.0.0');
  const { client } = world.hub;
  const set = await world.putSet([service('web', 'web-1', { values: 'of: one' })]);
  const of = async () => (await world.dataOf('web'))?.['of'];
  await becomes(of, 'one');
  const annotate = (value: string | null) =>
    client.patch(
      ServiceSet,
      { namespace, name: set },
      { type: 'merge', body: { metadata: { annotations: { [pausedAnnotation]: value } } } },
    );
  await annotate('');
  await world.putSet([service('web', 'web-1', { values: 'of: two' })]);
  await becomes(async () => (await world.states(set))['web'], 'Provisioning');
  assert.equal(await of(), 'one');
  await annotate(null);
  await becomes(of, 'two');

  const provider = (suspend: boolean) =>
    client.apply(StateManagementProvider, newObject(StateManagementProvider, { name: 'ksm-projectsveltos' }, { suspend } as never));
  await provider(true);
  await becomes(async () => (await readSet(world, set))?.status?.provider?.suspended, true);
  await world.putSet([service('web', 'web-1', { values: 'of: three' })]);
  await becomes(async () => (await world.states(set))['web'], 'Provisioning');
  assert.equal(await of(), 'two');
  await provider(false);
  await becomes(of, 'three');
});

test('what was tried often enough is not tried again', async t => {
  const world = await startSetsWorld(t);
  await world.template('bad-1', '1.0.0', { 'bad.yaml': manifest('x', { a: '1' }, 'nowhere') });
  await world.putSet([service('bad', 'bad-1')], { config: { maxConsecutiveFailures: 1, reload: true } });
  const work = await eventually(
    async () => world.works.list().find(({ spec }) => spec.release.name === 'bad'),
    one => findCondition(one, 'Stalled')?.status === 'True',
    patient,
  );
  assert.deepEqual([work?.status?.failures, work?.spec.options?.maxFailures, work?.spec.options?.reload], [1, 1, true]);
});
