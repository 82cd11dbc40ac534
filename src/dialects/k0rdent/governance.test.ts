import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { packedChart } from '../../../test/helpers/chart-files.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { Namespace, Secret } from '../../api/builtin-kinds.ts';
import { Content } from '../../api/content.ts';
import { newObject, type Kind } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { pushChart } from '../../core/contents/stored-charts.ts';
import { openMember } from '../../core/delivery/member.ts';
import { informer } from '../../runtime/informer.ts';
import { createEgress } from '../../sources/egress.ts';
import { inspectChart } from '../../sources/inspect-chart.ts';
import { accessInformers } from './access-informers.ts';
import { bootstrapK0rdent } from './bootstrap.ts';
import { fluxInformers } from './flux-informers.ts';
import { runGovernance } from './governance.ts';
import { k0rdentKinds } from './k0rdent-kinds.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace as namespace } from './kinds/group.ts';
import { AccessManagement, Credential, Region, Release, StateManagementProvider } from './kinds/management.ts';
import { ClusterTemplate, ClusterTemplateChain, ProviderTemplate, ServiceTemplate, ServiceTemplateChain } from './kinds/template.ts';
import { clusterModeAnnotation, contentAnnotation } from './template-content.ts';
import { runTemplates } from './template-controller.ts';
import { templateInformers } from './template-informers.ts';

async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [Content, ...k0rdentKinds]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  for (const name of [namespace, 'tenant', 'other']) await hub.apply(Namespace, { metadata: { name, labels: { team: name } } });
  const settings = { signal, onError: () => () => {} };
  const templates = templateInformers(hub, settings);
  const hubObjects = openMember('hub', hub, { signal });
  runTemplates({ hub, hubObjects, egress: createEgress({ allow: [] }), templates, flux: fluxInformers(hub, settings), ...settings });
  const of = <Spec, Status>(kind: Kind<Spec, Status>) => informer(hub, kind, { signal });
  runGovernance({
    hub,
    hubObjects,
    templates,
    access: accessInformers(hub, settings),
    deployments: of(ClusterDeployment),
    credentials: of(Credential),
    providers: of(StateManagementProvider),
    releases: of(Release),
    regions: of(Region),
    ...settings,
  });
  const create = <Spec, Status>(kind: Kind<Spec, Status>, metadata: KubeObject['metadata'], spec: Spec) =>
    hub.create(kind, newObject(kind, metadata, spec));
  const until = <Spec, Status>(
    kind: Kind<Spec, Status>,
    key: { namespace?: string; name: string },
    isRight: (obj: (KubeObject & { spec: Spec; status?: Status }) | undefined) => boolean,
  ) => eventually(() => hub.get(kind, key), isRight, { timeoutMs: 60_000, what: `${kind.kind} ${key.name}` });
  const secret = (name: string, data: Record<string, string> = {}) =>
    hub.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, data });
  return { hub, signal, create, until, secret };
}

test('a Credential is ready when its identity is there, and stays while a ClusterDeployment uses it', async t => {
  const { hub, create, until, secret } = await start(t);
  const key = { namespace, name: 'cred' };
  await create(Credential, key, { identityRef: { apiVersion: 'v1', kind: 'Secret', name: 'kubeconfig', namespace } });
  const waiting = await until(Credential, key, one => one?.status?.ready === false);
  assert.equal(
    waiting?.status?.conditions?.[0]?.message,
    'Failed to get ClusterIdentity object of Kind=Secret kcm-system/kubeconfig: not found',
  );
  await secret('kubeconfig');
  await until(Credential, key, one => one?.status?.ready === true);
  await hub.delete(Secret, { namespace, name: 'kubeconfig' });
  await until(Credential, key, one => one?.status?.ready === false);

  await create(ClusterDeployment, { namespace, name: 'dev' }, { template: 'adopted', credential: 'cred' });
  await hub.delete(Credential, key);
  await until(Credential, key, one => one?.metadata.deletionTimestamp !== undefined);
  await hub.delete(ClusterDeployment, { namespace, name: 'dev' });
  await until(Credential, key, one => one === undefined);
});

test('providers, releases and regions say whether they can be used', async t => {
  const { create, until, secret } = await start(t);
  const selector = (value: string) => ({ matchLabels: { 'ksm.k0rdent.mirantis.com/adapter': value } });
  await create(StateManagementProvider, { name: 'ksm-projectsveltos' }, { selector: selector('kcm-controller-manager') });
  await create(StateManagementProvider, { name: 'mine' }, { selector: selector('kcm-controller-manager') });
  await create(StateManagementProvider, { name: 'theirs' }, { selector: selector('argo') });
  await until(StateManagementProvider, { name: 'ksm-projectsveltos' }, one => one?.status?.ready === true);
  await until(StateManagementProvider, { name: 'mine' }, one => one?.status?.ready === true);
  const theirs = await until(StateManagementProvider, { name: 'theirs' }, one => one?.status?.conditions?.length === 5);
  assert.equal(theirs?.status?.ready, false);

  const spec = { version: '1.0.0', kcm: { template: 'kcm' }, capi: { template: 'kcm' } };
  await create(Release, { name: 'r' }, spec);
  await create(Release, { name: 'ours', annotations: { 'drover.io/built-in': 'true' } }, spec);
  await until(Release, { name: 'ours' }, one => one?.status?.ready === true);
  const release = await until(Release, { name: 'r' }, one => one?.status?.ready === false);
  assert.deepEqual(
    release?.status?.conditions?.map(one => [one.type, one.message]),
    [
      ['TemplatesCreated', 'missing ProviderTemplates: kcm'],
      ['TemplatesValid', 'ProviderTemplates that are not valid: kcm'],
    ],
  );
  await create(ProviderTemplate, { name: 'kcm' }, { helm: { chartSpec: { chart: 'nothing' } } });
  await until(Release, { name: 'r' }, one => one?.status?.conditions?.[0]?.status === 'True' && one.status.ready === false);

  await create(Region, { name: 'east' }, { kubeConfig: { name: 'east', key: 'kubeconfig' } });
  const region = await until(Region, { name: 'east' }, one => one?.status?.conditions?.[0]?.status === 'False');
  assert.equal(region?.status?.conditions?.[0]?.message, 'Secret kcm-system/east not found');
  await secret('east', { kubeconfig: 'eA==' });
  await until(Region, { name: 'east' }, one => one?.status?.conditions?.[0]?.status === 'True');
});

test('AccessManagement gives chains and credentials to namespaces, chains bring templates, and what is not given goes', async t => {
  const { hub, signal, create, until } = await start(t);
  await pushChart(hub, inspectChart(packedChart('web', '1.0.0'), 'test'), { signal });
  await create(ServiceTemplate, { namespace, name: 'web' }, { helm: { chartSpec: { chart: 'web', version: '1.0.0' } } });
  await create(ServiceTemplateChain, { namespace, name: 'webs' }, { supportedTemplates: [{ name: 'web' }] });
  await create(Credential, { namespace, name: 'cloud' }, { identityRef: { kind: 'Secret', name: 'x', namespace } });
  await create(Credential, { namespace, name: 'hidden' }, { identityRef: { kind: 'Secret', name: 'x', namespace } });
  await create(
    AccessManagement,
    { name: 'kcm' },
    {
      accessRules: [
        { targetNamespaces: { list: ['tenant', 'made'] }, serviceTemplateChains: ['webs'], credentials: ['cloud'] },
        { targetNamespaces: { stringSelector: 'team=other' }, resources: [{ kind: 'Credential', names: ['cloud'] }, { kind: 'Nothing' }] },
      ],
    },
  );
  const chain = await until(ServiceTemplateChain, { namespace: 'tenant', name: 'webs' }, one => one?.status?.valid === true);
  assert.equal(chain?.metadata.labels?.['k0rdent.mirantis.com/managed'], 'true');
  await until(ServiceTemplateChain, { namespace: 'made', name: 'webs' }, Boolean);
  const template = await until(ServiceTemplate, { namespace: 'tenant', name: 'web' }, one => one?.status?.valid === true);
  assert.deepEqual(template?.spec, { helm: { chartRef: { kind: 'HelmChart', namespace, name: 'web' } } });
  const credential = await until(Credential, { namespace: 'other', name: 'cloud' }, Boolean);
  assert.equal(credential?.spec.identityRef.namespace, 'other');
  assert.equal(await hub.get(Credential, { namespace: 'tenant', name: 'hidden' }), undefined);
  const access = await until(AccessManagement, { name: 'kcm' }, one => one?.status?.resources !== undefined);
  assert.match(JSON.stringify(access?.status?.resources), /has no kind Nothing/);

  await create(Credential, { namespace: 'tenant', name: 'own' }, { identityRef: { kind: 'Secret', name: 'x' } });
  await hub.patch(AccessManagement, { name: 'kcm' }, { type: 'merge', body: { spec: { accessRules: [] } } });
  await until(ServiceTemplateChain, { namespace: 'tenant', name: 'webs' }, one => one === undefined);
  await until(Credential, { namespace: 'other', name: 'cloud' }, one => one === undefined);
  assert.ok(await hub.get(Credential, { namespace: 'tenant', name: 'own' }));
});

test('a template that came with Drover is given like any other', async t => {
  const { hub, create, until } = await start(t);
  await bootstrapK0rdent(hub, { version: '1.0.0', signal: AbortSignal.timeout(60_000) });
  const name = 'sandbox-1-0-0';
  await create(ClusterTemplateChain, { namespace, name: 'clusters' }, { supportedTemplates: [{ name }] });
  const accessRules = [{ targetNamespaces: { list: ['tenant'] }, clusterTemplateChains: ['clusters'] }];
  await hub.patch(AccessManagement, { name: 'kcm' }, { type: 'merge', body: { spec: { accessRules } } });
  const copy = await until(ClusterTemplate, { namespace: 'tenant', name }, one => one?.status?.valid === true);
  assert.equal(copy?.metadata.annotations?.[clusterModeAnnotation], 'sandbox');
  // Nobody gets at bytes by naming them.
  const annotations = { 'drover.io/built-in': 'true', [contentAnnotation]: copy?.metadata.annotations?.[contentAnnotation] ?? '' };
  await create(ClusterTemplate, { namespace: 'tenant', name: 'forged', annotations }, { helm: { chartSpec: { chart: 'nothing' } } });
  await until(ClusterTemplate, { namespace: 'tenant', name: 'forged' }, one => one?.status?.valid === false);
});

test('a chain with a way to nowhere is not valid', async t => {
  const { create, until } = await start(t);
  const supportedTemplates = [{ name: 'a', availableUpgrades: [{ name: 'b' }] }];
  await create(ServiceTemplateChain, { namespace, name: 'bad' }, { supportedTemplates });
  const bad = await until(ServiceTemplateChain, { namespace, name: 'bad' }, one => one?.status !== undefined);
  assert.equal(bad?.status?.valid, false);
  assert.equal(
    bad?.status?.validationError,
    "template b is allowed for upgrade but is not present in the list of '.spec.supportedTemplates'",
  );
});
