import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../test/helpers/memory-hub.ts';
import { startEtcd } from '../../test/helpers/real-cluster.ts';
import { startRealMember } from '../../test/helpers/real-member.ts';
import { missingRig } from '../../test/helpers/rig.ts';
import { startWebhooks } from '../../test/helpers/webhook-rig.ts';
import { CustomResourceDefinition, Namespace, Secret } from '../api/builtin-kinds.ts';
import { newObject, type Kind } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import { httpClient } from '../client/http-client.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../client/kubeconfig/kubeconfig.ts';
import { registerWebhooks, registrationName, ValidatingWebhookConfiguration } from '../core/admission/register-webhooks.ts';
import { openMember } from '../core/delivery/member.ts';
import { k0rdentAdmission } from '../dialects/k0rdent/admission/k0rdent-admission.ts';
import { k0rdentRegistration, runK0rdentRegistration } from '../dialects/k0rdent/admission/register-admission.ts';
import { k0rdentKinds } from '../dialects/k0rdent/k0rdent-kinds.ts';
import { ClusterDeployment } from '../dialects/k0rdent/kinds/cluster-deployment.ts';
import { systemNamespace as namespace } from '../dialects/k0rdent/kinds/group.ts';
import { AccessManagement, Credential, Management, Region, Release } from '../dialects/k0rdent/kinds/management.ts';
import { MultiClusterService } from '../dialects/k0rdent/kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from '../dialects/k0rdent/kinds/namespaced-multi-cluster-service.ts';
import { ClusterTemplate, ProviderTemplate, ServiceTemplate, ServiceTemplateChain } from '../dialects/k0rdent/kinds/template.ts';
import { informer } from '../runtime/informer.ts';

const isBad = {
  type: 'CredentialReady',
  status: 'False',
  reason: 'Failed',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
} as const;

/** The webhooks of k0rdent at an address of their own, and an API server that asks them. */
async function start(t: TestContext, hub: KubeClient) {
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  await hub.apply(Namespace, { metadata: { name: namespace } });
  const deployments = informer(hub, ClusterDeployment, { signal });
  const reviewer = k0rdentAdmission({ hub, hubObjects: openMember('hub', hub, { signal }), deployments });
  const address = await startWebhooks(t, { k0rdent: reviewer });
  const create = <Spec, Status>(kind: Kind<Spec, Status>, metadata: KubeObject['metadata'], spec: Spec) =>
    hub.create(kind, newObject(kind, metadata, spec));
  const say = <Spec, Status>(kind: Kind<Spec, Status>, key: { namespace?: string; name: string }, status: Status) =>
    hub.apply(kind, { metadata: key, status } as never, { subresource: 'status' });
  const refused = async (write: Promise<unknown>, words: RegExp, code = 403) =>
    assert.rejects(write, (error: unknown) => {
      assert.ok(error instanceof StatusError, String(error));
      assert.match(error.message, words);
      assert.equal(error.code, code);
      return true;
    });
  return {
    hub,
    create,
    say,
    refused,
    deployments,
    address,
    signal,
  };
}

async function reviews(t: TestContext, client: KubeClient): Promise<void> {
  const { hub, create, say, refused, deployments, address, signal } = await start(t, client);
  const chart = { helm: { chartSpec: { chart: 'c', version: '1.0.0' } } };
  const at = (name: string) => ({ namespace, name });
  for (const name of ['adopted', 'next', 'bad']) await create(ClusterTemplate, at(name), chart);
  await say(ClusterTemplate, at('adopted'), {
    valid: true,
    config: { size: 1 },
    providers: ['infrastructure-internal'],
    k8sVersion: '1.31.0',
  });
  await say(ClusterTemplate, at('next'), { valid: true });
  await say(ClusterTemplate, at('bad'), { valid: false, validationError: 'no chart' });
  for (const name of ['web', 'old', 'used']) await create(ServiceTemplate, at(name), chart);
  for (const name of ['web', 'used']) await say(ServiceTemplate, at(name), { valid: true });
  await say(ServiceTemplate, at('old'), { valid: true, k8sConstraint: '<1.30' });
  await create(Credential, at('cred'), { identityRef: { kind: 'Secret', name: 'x' } });
  await create(Credential, at('wrong'), { identityRef: { kind: 'AWSClusterStaticIdentity', name: 'x' } });
  await say(Credential, at('wrong'), { ready: true });
  await say(Credential, at('cred'), { ready: false, conditions: [isBad] });
  await create(ProviderTemplate, { name: 'kcm' }, chart);
  await create(Release, { name: 'r1' }, { version: '1.0.0', kcm: { template: 'kcm' }, capi: { template: 'kcm' } });
  await create(MultiClusterService, { name: 'mcs' }, { serviceSpec: { services: [{ name: 'a', namespace: 'a', template: 'used' }] } });
  await registerWebhooks(hub, k0rdentRegistration, { address, failurePolicy: 'Fail', signal });
  const missing = newObject(ClusterDeployment, at('missing'), { template: 'none', config: {} });
  // An API server notices its configuration after a moment.
  await eventually(
    () => hub.create(ClusterDeployment, missing, { dryRun: true }).catch((error: unknown) => error),
    (error): boolean => error instanceof StatusError && /is not found in namespace kcm-system/.test(error.message),
    { timeoutMs: 60_000, what: 'the first refusal' },
  );
  const service = (name: string, template: string, more: object = {}) => ({ name, namespace: 'a', template, ...more });
  const deployment = (spec: Partial<ClusterDeployment['spec']>) =>
    create(ClusterDeployment, at('dev'), { template: 'adopted', config: {}, ...spec });
  const services = (...list: ReturnType<typeof service>[]) => deployment({ serviceSpec: { services: list } });

  await refused(
    deployment({ template: 'bad' }),
    /the ClusterDeployment is invalid: the ClusterTemplate kcm-system\/bad is invalid with the error: no chart/,
  );
  await refused(deployment({ credential: 'cred' }), /the Credential kcm-system\/cred is not Ready/);
  await refused(
    deployment({ credential: 'wrong' }),
    /provider infrastructure-internal does not support ClusterIdentity Kind AWSClusterStaticIdentity from the Credential kcm-system\/wrong/,
  );
  await refused(
    services(service('a', 'nothing')),
    /some services have invalid templates\nthe ServiceTemplate kcm-system\/nothing is not found/,
  );
  await refused(
    services(service('a', 'old')),
    /k8s version 1\.31\.0 of the ClusterTemplate kcm-system\/adopted does not satisfy k8s constraint <1\.30 from the ServiceTemplate kcm-system\/old/,
  );
  await refused(
    services(service('a', 'web', { dependsOn: [{ name: 'b', namespace: 'a' }] })),
    /dependency a\/b of service a\/a is not defined as a service/,
  );
  const cycle = (name: string, other: string) => service(name, 'web', { dependsOn: [{ name: other, namespace: 'a' }] });
  await refused(services(cycle('a', 'b'), cycle('b', 'a')), /dependency cycle detected at a\/a/);

  const made = await create(ClusterDeployment, at('dev'), { template: 'adopted', serviceSpec: { services: [service('a', 'web')] } });
  assert.deepEqual(made.spec.config, { size: 1 }, 'the values of the template');
  assert.equal(made.spec.dryRun, true);
  await eventually(() => deployments.get(`${namespace}/dev`), Boolean);

  const change = (body: object) => hub.patch(ClusterDeployment, at('dev'), { type: 'merge', body: body as never });
  await refused(change({ spec: { template: 'next' } }), /cluster upgrade is forbidden/);
  await refused(change({ spec: { dataSource: 'db' } }), /spec\.dataSource cannot be added or removed after creation/);
  await change({ metadata: { labels: { tier: 'dev' } } });
  await say(ClusterDeployment, at('dev'), { availableUpgrades: ['next'] });
  await change({ spec: { template: 'next' } });

  await refused(hub.delete(ClusterTemplate, at('next')), /template deletion is forbidden/);
  await refused(hub.delete(ServiceTemplate, at('web')), /template deletion is forbidden/);
  await refused(hub.delete(ServiceTemplate, at('used')), /template deletion is forbidden/);
  await refused(hub.delete(ProviderTemplate, { name: 'kcm' }), /template deletion is forbidden/);
  await hub.delete(ServiceTemplate, at('old'));

  const chain = (name: string, ...names: string[]) =>
    create(ServiceTemplateChain, at(name), { supportedTemplates: names.map(one => ({ name: one })) });
  await refused(chain('bad', 'web', 'gone'), /spec\.supportedTemplates\[1\]\.name: Not found: "gone"/, 422);
  await chain('good', 'web');

  await refused(
    create(Management, { name: 'kcm' }, { release: 'r2' }),
    /spec\.release: Forbidden: releases\.k0rdent\.mirantis\.com "r2" not found/,
    422,
  );
  await refused(create(Management, { name: 'kcm' }, { release: 'r1' }), /spec\.release: Forbidden: release "r1" status is not ready/, 422);
  await say(Release, { name: 'r1' }, { ready: true });
  await create(Management, { name: 'kcm' }, { release: 'r1' });
  await refused(hub.delete(Management, { name: 'kcm' }), /management deletion is forbidden/);
  await refused(hub.delete(Release, { name: 'r1' }), /release r1 is still in use/);

  await create(ClusterTemplate, at('cloud'), chart);
  await say(ClusterTemplate, at('cloud'), {
    valid: true,
    providers: ['infrastructure-aws'],
    providerContracts: { 'infrastructure-aws': 'v1beta2' },
  });
  const provider = async (name: string, contracts: Record<string, string>) => {
    await create(ProviderTemplate, { name }, chart);
    await say(ProviderTemplate, { name }, { valid: true, providers: ['infrastructure-aws'], capiContracts: contracts });
  };
  await provider('aws', { v1beta1: 'v1beta1_v1beta2' });
  await provider('aws-old', { v1beta1: 'v1beta1' });
  const management = (providers: object[]) =>
    hub.patch(Management, { name: 'kcm' }, { type: 'merge', body: { spec: { providers } } as never });
  const cloud = () => create(ClusterDeployment, at('cloud'), { template: 'cloud', config: {} });
  await management([{ name: 'aws', template: 'aws' }]);
  await say(Management, { name: 'kcm' }, { availableProviders: ['infrastructure-azure', 'infrastructure-internal'] });
  await refused(
    cloud(),
    /incompatible providers in Management kcm: one or more required providers are not deployed yet: \[infrastructure-aws\]/,
  );
  await say(
    Management,
    { name: 'kcm' },
    {
      availableProviders: ['infrastructure-aws', 'infrastructure-internal'],
      capiContracts: { 'infrastructure-aws': { v1beta1: 'v1beta1' } },
    },
  );
  await refused(
    cloud(),
    /one or more required provider contract versions does not satisfy deployed: \[provider infrastructure-aws does not support v1beta2\]/,
  );
  await say(Management, { name: 'kcm' }, { availableProviders: ['infrastructure-aws', 'infrastructure-internal'] });
  await cloud();
  await eventually(() => deployments.get(`${namespace}/cloud`), Boolean);
  await refused(
    management([]),
    /spec\.providers: Forbidden: provider infrastructure-aws is required by at least one ClusterDeployment and cannot be removed from the Management kcm/,
    422,
  );
  await refused(
    management([{ name: 'aws', template: 'aws-old' }]),
    /the Management is invalid: missing contract version v1beta2 for infrastructure-aws provider that is required by one or more ClusterDeployment/,
  );
  await refused(management([{ name: 'aws', template: 'gone' }]), /the Management is invalid: failed to get ProviderTemplate gone/);
  await refused(hub.delete(ProviderTemplate, { name: 'aws' }), /template deletion is forbidden/);
  await hub.delete(ClusterDeployment, at('cloud'));
  await eventually(() => deployments.get(`${namespace}/cloud`) === undefined, Boolean);
  await management([]);

  const access = await create(AccessManagement, { name: 'kcm' }, { accessRules: [{ credentials: ['cred'] }] });
  assert.deepEqual(access.spec.accessRules, [
    { mode: 'Copy', resources: [{ kind: 'Credential', apiGroup: 'k0rdent.mirantis.com', names: ['cred'] }] },
  ]);
  await refused(create(AccessManagement, { name: 'second' }, {}), /AccessManagement object already exists/);
  const rule = { spec: { accessRules: [{ resources: [{ kind: 'Region' }] }] } };
  await refused(
    hub.patch(AccessManagement, { name: 'kcm' }, { type: 'merge', body: rule }),
    /accessRules\[0\]\.resources\[0\]: Region\.k0rdent\.mirantis\.com is cluster-scoped/,
  );
  await refused(hub.delete(AccessManagement, { name: 'kcm' }), /AccessManagement deletion is forbidden/);

  await refused(create(Region, { name: 'r' }, { kubeConfig: { name: 'no' } }), /failed to get Secret kcm-system\/no/);
  await hub.create(Secret, { apiVersion: 'v1', kind: 'Secret', metadata: at('kubeconfig'), data: { value: 'eA==' } });
  await refused(
    create(Region, { name: 'r' }, { kubeConfig: { name: 'kubeconfig', key: 'other' } }),
    /kubeConfig Secret does not have other key defined/,
  );
  await create(Region, { name: 'r' }, { clusterDeployment: { namespace, name: 'dev' } });
  await refused(hub.delete(ClusterDeployment, at('dev')), /ClusterDeployment cannot be deleted: referenced by Region "r"/);
  await hub.delete(Region, { name: 'r' });
  await hub.delete(ClusterDeployment, at('dev'));
}

test("k0rdent's objects are reviewed on the embedded API server", async t => {
  const { client } = await startMemoryHub(t, k0rdentKinds);
  await reviews(t, client);
});

test('nothing is refused for want of an answer until one was seen', async t => {
  const { client } = await startMemoryHub(t, k0rdentKinds);
  const { hub, create, refused, address, signal } = await start(t, client);
  const after = Promise.resolve();
  const policy = async () => {
    const found = await hub.get(ValidatingWebhookConfiguration, { name: registrationName('k0rdent') });
    return (found?.['webhooks'] as { failurePolicy: string }[] | undefined)?.[0]?.failurePolicy;
  };
  const faulty = (name: string) => create(ClusterDeployment, { namespace, name }, { template: 'none', config: {} });

  const gone = new AbortController();
  await registerWebhooks(hub, k0rdentRegistration, { address: { ...address, url: 'https://127.0.0.1:1' }, failurePolicy: 'Fail', signal });
  await refused(faulty('first'), /failed calling webhook/, 500);
  runK0rdentRegistration({ hub, address: { ...address, url: 'https://127.0.0.1:2' }, after, signal: gone.signal });
  await eventually(policy, found => found === 'Ignore');
  await faulty('first');
  gone.abort();

  runK0rdentRegistration({ hub, address, after, signal });
  await eventually(policy, found => found === 'Fail');
  await refused(faulty('second'), /the ClusterTemplate kcm-system\/none is not found in namespace kcm-system/);
  await hub.patch(ClusterDeployment, { namespace, name: 'first' }, { type: 'merge', body: { metadata: { labels: { a: 'b' } } } });

  // The way to the gateway is lost: what does not change the spec is nobody's business.
  await registerWebhooks(hub, k0rdentRegistration, { address: { ...address, url: 'https://127.0.0.1:1' }, failurePolicy: 'Fail', signal });
  await hub.patch(ClusterDeployment, { namespace, name: 'first' }, { type: 'merge', body: { metadata: { labels: { a: 'c' } } } });
  await refused(
    hub.patch(ClusterDeployment, { namespace, name: 'first' }, { type: 'merge', body: { spec: { dryRun: true } } }),
    /failed calling webhook/,
    500,
  );
});

test('a template that was granted to a namespace can be used there, and stays then', async t => {
  const { client } = await startMemoryHub(t, k0rdentKinds);
  const { hub, create, say, refused, deployments, address, signal } = await start(t, client);
  await hub.apply(Namespace, { metadata: { name: 'team' } });
  const key = { namespace, name: 'shared' };
  await create(ClusterTemplate, key, { helm: { chartSpec: { chart: 'c', version: '1.0.0' } } });
  await say(ClusterTemplate, key, { valid: true });
  await registerWebhooks(hub, k0rdentRegistration, { address, failurePolicy: 'Fail', signal });
  const use = () => create(ClusterDeployment, { namespace: 'team', name: 'a' }, { template: 'shared', config: {} });
  await refused(use(), /the ClusterTemplate team\/shared is not found in namespace team/);
  const rule = { mode: 'Grant' as const, targetNamespaces: { list: ['team'] }, resources: [{ kind: 'ClusterTemplate' }] };
  await create(AccessManagement, { name: 'kcm' }, { accessRules: [rule] });
  await use();
  await eventually(() => deployments.get('team/a'), Boolean);
  await refused(hub.delete(ClusterTemplate, key), /template deletion is forbidden/);

  const own = { namespace: 'team', name: 'web' };
  await create(ServiceTemplate, own, { helm: { chartSpec: { chart: 'c', version: '1.0.0' } } });
  await create(NamespacedMultiClusterService, own, { serviceSpec: { services: [{ name: 'a', namespace: 'a', template: 'web' }] } });
  await refused(hub.delete(ServiceTemplate, own), /template deletion is forbidden/);
  await hub.delete(NamespacedMultiClusterService, own);
  await hub.delete(ServiceTemplate, own);
});

test('a template that was just written is waited for, one that is bad is not', async t => {
  const { client } = await startMemoryHub(t, k0rdentKinds);
  const { hub, create, say, refused, address, signal } = await start(t, client);
  const chart = { helm: { chartSpec: { chart: 'c', version: '1.0.0' } } };
  await registerWebhooks(hub, k0rdentRegistration, { address, failurePolicy: 'Fail', signal });
  const at = (name: string) => ({ namespace, name });
  for (const name of ['slow', 'bad']) await create(ClusterTemplate, at(name), chart);
  const written = create(ClusterDeployment, at('a'), { template: 'slow' });
  const refusal = refused(create(ClusterDeployment, at('b'), { template: 'bad', config: {} }), /is invalid with the error: no chart/);
  await say(ClusterTemplate, at('bad'), { valid: false, validationError: 'no chart' });
  await refusal;
  await say(ClusterTemplate, at('slow'), { valid: false, validationError: 'Source is not ready' });
  await say(ClusterTemplate, at('slow'), { valid: true, config: { size: 2 } });
  assert.deepEqual((await written).spec.config, { size: 2 });
});

const skip = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager') ?? false;

test("k0rdent's objects are reviewed on a real kube-apiserver", { skip, timeout: 300_000 }, async t => {
  const etcd = await startEtcd();
  t.after(() => etcd[Symbol.asyncDispose]());
  const api = await startRealMember(etcd);
  t.after(() => api[Symbol.asyncDispose]());
  const transport = contextTransport(readContext(readKubeconfigs(api.kubeconfig, {}), { env: {} }));
  t.after(() => transport[Symbol.asyncDispose]());
  const client = httpClient(transport);
  for (const kind of k0rdentKinds) await client.apply(CustomResourceDefinition, kind.definition() as CustomResourceDefinition);
  for (const kind of k0rdentKinds) await eventually(() => client.list(kind), Boolean, { timeoutMs: 60_000 });
  await reviews(t, client);
});
