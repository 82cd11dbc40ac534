import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { packedChart } from '../helpers/chart-files.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  becomes,
  conditionOf,
  k0rdentVersion as apiVersion,
  multiClusterService,
  patient,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace as namespace,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import type { CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');

const chart = (name: string) => ({ helm: { chartSpec: { chart: name, version: '1.0.0' } } });
const object = (kind: string, name: string, spec: object, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: { name, namespace, ...more },
  spec,
});
const global = (kind: string, name: string, spec: object) => ({ apiVersion, kind, metadata: { name }, spec });
/** Nothing is made of them: what matters here is what may be written. */
const deployment = (name: string, spec: object = {}) =>
  object('ClusterDeployment', name, { template: 'sandbox-1-0-0', config: {}, dryRun: true, ...spec });
const service = (name: string, template: string, more: object = {}) => ({ name, namespace: 'apps', template, ...more });
const withServices = (name: string, ...services: object[]) => deployment(name, { serviceSpec: { services } });
const chain = (kind: string, name: string, ...supportedTemplates: object[]) => object(kind, name, { supportedTemplates });

for (const kind of hubKindsByTime)
  describe(`what k0rdent refuses, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('k0rdent-admission');
    let etcd: Etcd;
    let hub: EitherHub;
    let story: K0rdentStory;
    let kubectl: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      hub = await startEitherHub(kind, etcd);
      story = await startK0rdentStory(hub, scratch.dir);
      ({ kubectl } = story);
      for (const name of ['web', 'other']) await story.pushChart(name, '1.0.0', packedChart(name, '1.0.0'));
      await eventually(
        () => kubectl.expect('get validatingwebhookconfiguration drover-k0rdent -o jsonpath={.webhooks[0].failurePolicy}'),
        policy => policy === 'Fail',
        patient,
      );
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    /** Applies something that may not be, and holds the answer to words. */
    async function refuses(obj: object, ...texts: (string | RegExp)[]): Promise<void> {
      const said = await story.refused(obj);
      for (const text of texts)
        assert.ok(typeof text === 'string' ? said.includes(text) : text.test(said), `does not say ${String(text)}: ${said}`);
    }
    const keeps = (what: string, ...says: string[]) => kubectl.expect(`delete ${what}`, { code: 1, says });
    const patch = (what: string, body: object, expected: Parameters<CommandLine['expect']>[1] = {}) =>
      kubectl.expect(`patch ${what} --type merge -p '${JSON.stringify(body)}'`, expected);
    const isInvalid = 'denied the request: the ClusterDeployment is invalid: ';

    test('a ClusterDeployment needs a template that is there and that can be used', async () => {
      await refuses(
        deployment('dev', { template: 'none' }),
        'Error from server (Forbidden)',
        'admission webhook "validation.clusterdeployment.k0rdent.mirantis.com" ' + isInvalid,
        'the ClusterTemplate kcm-system/none is not found in namespace kcm-system',
      );
      await story.apply(object('ClusterTemplate', 'bad', chart('nowhere')));
      await refuses(deployment('dev', { template: 'bad' }), `${isInvalid}the ClusterTemplate kcm-system/bad is invalid with the error: `);
      assert.equal(await story.cd('dev'), undefined);
    });

    test('templates, credentials and what uses them can be applied together', async () => {
      await story.apply(
        serviceTemplate('web', '1.0.0'),
        object('ClusterTemplate', 'other-1-0-0', chart('other')),
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'identity', namespace }, stringData: { value: 'x' } },
        object('Credential', 'cred', { identityRef: { apiVersion: 'v1', kind: 'Secret', name: 'identity', namespace } }),
        deployment('together', { template: 'other-1-0-0', credential: 'cred', serviceSpec: { services: [service('a', 'web-1-0-0')] } }),
      );
      await kubectl.expect(`delete cld -n ${namespace} together --timeout 60s`);
    });

    test('the services of a ClusterDeployment are checked', async () => {
      const templates = `${isInvalid}some services have invalid templates`;
      const dependencies = `${isInvalid}some services have invalid dependencies`;
      await story.apply(
        object('ServiceTemplate', 'not-good', chart('nowhere')),
        chain('ServiceTemplateChain', 'empty', { name: 'not-good' }),
      );
      await refuses(
        withServices('dev', service('a', 'gone'), service('b', 'not-good')),
        templates,
        'the ServiceTemplate kcm-system/gone is not found in namespace kcm-system',
        'the ServiceTemplate kcm-system/not-good is invalid with the error: ',
      );
      await refuses(
        withServices('dev', service('a', 'web-1-0-0', { templateChain: 'empty' })),
        templates,
        'the ServiceTemplateChain kcm-system/empty does not support ServiceTemplate web-1-0-0',
      );
      await refuses(
        withServices('dev', service('a', 'web-1-0-0', { templateChain: 'no' })),
        'the ServiceTemplateChain kcm-system/no is not found',
      );
      await refuses(withServices('dev', service('Not.A.Label', 'web-1-0-0')), templates, '"Not.A.Label" must be a DNS-1123 label');
      const needs = (name: string, other: string) => service(name, 'web-1-0-0', { dependsOn: [{ name: other, namespace: 'apps' }] });
      await refuses(withServices('dev', needs('b', 'a')), dependencies, 'dependency apps/a of service apps/b is not defined as a service');
      await refuses(withServices('dev', needs('a', 'b'), needs('b', 'a')), dependencies, 'dependency cycle detected at apps/a');

      await story.apply(withServices('dev', service('a', 'web-1-0-0')));
      await refuses(withServices('dev', service('a', 'web-1-0-0'), service('b', 'gone')), templates);
      assert.equal((await story.cd('dev'))?.spec.serviceSpec?.services?.length, 1);
    });

    test('a Credential must be there, be ready, and be of a kind that the provider takes', async () => {
      await refuses(
        deployment('new', { credential: 'no' }),
        `${isInvalid}the Credential kcm-system/no is not found in namespace kcm-system`,
      );
      await story.apply(object('Credential', 'lost', { identityRef: { apiVersion: 'v1', kind: 'Secret', name: 'lost', namespace } }));
      await refuses(deployment('new', { credential: 'lost' }), `${isInvalid}the Credential kcm-system/lost is not Ready`);
      await patch(
        `cld -n ${namespace} dev`,
        { spec: { credential: 'lost' } },
        { code: 1, says: 'the Credential kcm-system/lost is not Ready' },
      );
      await story.apply(
        object('ClusterTemplate', 'internal', { ...chart('web'), providers: ['infrastructure-internal'] }),
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'identity', namespace } },
        object('Credential', 'config', { identityRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'identity', namespace } }),
      );
      await refuses(
        deployment('new', { template: 'internal', credential: 'config' }),
        `${isInvalid}provider infrastructure-internal does not support ClusterIdentity Kind ConfigMap from the Credential kcm-system/config`,
      );
    });

    test('the version of Kubernetes must satisfy the services', async () => {
      await story.apply(
        object('ClusterTemplate', 'k31', { ...chart('web'), k8sVersion: '1.31.0' }),
        object('ServiceTemplate', 'old', { ...chart('web'), k8sConstraint: '< 1.30.0' }),
      );
      await refuses(
        deployment('new', { template: 'k31', serviceSpec: { services: [service('a', 'old')] } }),
        `${isInvalid}failed to validate k8s compatibility: k8s version 1.31.0 of the ClusterTemplate kcm-system/k31 does not satisfy k8s constraint < 1.30.0 from the ServiceTemplate kcm-system/old`,
        'Warning: Failed to validate k8s version compatibility with ServiceTemplates',
      );
    });

    test('a ClusterDeployment without config gets that of its template, and rests', async () => {
      await story.apply(object('ClusterDeployment', 'plain', { template: 'sandbox-1-0-0' }));
      const { spec } = (await story.cd('plain'))!;
      assert.deepEqual({ config: spec.config, dryRun: spec.dryRun }, { config: { nodes: 1 }, dryRun: true });
      await kubectl.expect(`delete cld -n ${namespace} plain --timeout 60s`);
    });

    test('a cluster changes its template only along a chain, and is warned of another chart', async () => {
      await patch(
        `cld -n ${namespace} dev`,
        { spec: { template: 'other-1-0-0' } },
        {
          code: 1,
          says: [
            'denied the request: cluster upgrade is forbidden',
            "Warning: Cluster can't be upgraded from sandbox-1-0-0 to other-1-0-0. This upgrade sequence is not allowed",
          ],
        },
      );
      await patch(
        `cld -n ${namespace} dev`,
        { spec: { dataSource: 'db' } },
        { code: 1, says: `${isInvalid}spec.dataSource cannot be added or removed after creation` },
      );
      await story.apply(
        chain(
          'ClusterTemplateChain',
          'up',
          { name: 'sandbox-1-0-0', availableUpgrades: [{ name: 'other-1-0-0' }] },
          { name: 'other-1-0-0' },
        ),
      );
      await becomes(async () => (await story.cd('dev'))?.status?.availableUpgrades, ['other-1-0-0'], 'the upgrades');
      await patch(
        `cld -n ${namespace} dev`,
        { spec: { template: 'other-1-0-0' } },
        { says: 'Warning: Helm chart name changed from "sandbox" to "other"' },
      );
    });

    test('templates stay while they are used', async () => {
      const forbidden = 'denied the request: template deletion is forbidden';
      const referenced = (one: string) =>
        `Warning: The ${one} object can't be removed if ClusterDeployment objects referencing it still exist`;
      await keeps(`clustertemplate -n ${namespace} other-1-0-0`, forbidden, referenced('ClusterTemplate'));
      await keeps(`servicetemplate -n ${namespace} web-1-0-0`, forbidden, referenced('ServiceTemplate'));
      await story.apply(multiClusterService('mcs', { serviceSpec: { services: [service('a', 'old')] } }));
      await keeps(
        `servicetemplate -n ${namespace} old`,
        forbidden,
        "Warning: The old ServiceTemplate object can't be removed if MultiClusterService objects [mcs] referencing it still exist",
      );
      await kubectl.expect('delete mcs mcs --timeout 60s');
      await kubectl.expect(`delete servicetemplate -n ${namespace} old`);
    });

    test('chains are sound, and name templates that are there', async () => {
      await refuses(
        chain('ServiceTemplateChain', 'c', { name: 'web-1-0-0' }, { name: 'gone' }),
        'The ServiceTemplateChain "c" is invalid: spec.supportedTemplates[1].name: Not found: "gone"',
      );
      await refuses(
        chain('ClusterTemplateChain', 'c', { name: 'other-1-0-0', availableUpgrades: [{ name: 'x' }] }),
        'denied the request: the template chain spec is invalid',
        "Warning: template x is allowed for upgrade but is not present in the list of '.spec.supportedTemplates'",
      );
    });

    test('there is one AccessManagement, it gives what has a namespace, and it stays with the Management', async () => {
      await refuses(global('AccessManagement', 'second', {}), 'denied the request: AccessManagement object already exists');
      const rules = (...accessRules: object[]) => ({ spec: { accessRules } });
      await patch('am kcm', rules({ resources: [{ kind: 'Region' }] }), {
        code: 1,
        says: 'accessRules[0].resources[0]: Region.k0rdent.mirantis.com is cluster-scoped and cannot be distributed',
      });
      await patch('am kcm', rules({ resources: [{ kind: 'Nothing', apiGroup: 'example.com' }] }), {
        code: 1,
        says: 'failed to resolve Nothing.example.com (ensure the CRD is installed)',
      });
      await patch('am kcm', rules({ targetNamespaces: { list: ['team'], stringSelector: 'a=b' } }), {
        code: 1,
        says: 'only one of list, selector, stringSelector can be specified',
      });
      await kubectl.expect('create namespace team');
      await patch('am kcm', rules({ targetNamespaces: { list: ['team'] }, clusterTemplateChains: ['up'] }));
      assert.deepEqual(
        (
          await story.get<{ spec: { accessRules: { resources: object[]; clusterTemplateChains?: object }[] } }>('am kcm')
        )?.spec.accessRules.map(one => [one.resources, one.clusterTemplateChains]),
        [[[{ kind: 'ClusterTemplateChain', apiGroup: 'k0rdent.mirantis.com', names: ['up'] }], undefined]],
      );
      await eventually(
        () => kubectl.run('get clustertemplate -n team other-1-0-0'),
        ({ code }) => code === 0,
        patient,
      );
      await keeps(
        'clustertemplate -n team other-1-0-0',
        'template deletion is forbidden',
        "Warning: The ClusterTemplate object can't be removed if it is managed by ClusterTemplateChain: up",
      );
      await patch('am kcm', rules());
      await eventually(
        () => kubectl.run('get clustertemplate -n team other-1-0-0'),
        ({ code }) => code === 1,
        patient,
      );
      await keeps('am kcm', 'denied the request: AccessManagement deletion is forbidden');
    });

    test('the Management has a Release that is ready, and the providers that clusters need', async () => {
      await patch(
        'mgmt kcm',
        { spec: { release: 'none' } },
        { code: 1, says: 'spec.release: Forbidden: releases.k0rdent.mirantis.com "none" not found' },
      );
      const templated = { template: 'core' };
      await story.apply(global('Release', 'next', { version: '2.0.0', kcm: templated, capi: templated }));
      await patch(
        'mgmt kcm',
        { spec: { release: 'next' } },
        { code: 1, says: 'spec.release: Forbidden: release "next" status is not ready' },
      );
      await keeps('release drover', 'denied the request: release drover is still in use');

      const provider = (name: string, capiContracts: object) =>
        global('ProviderTemplate', name, { ...chart('web'), providers: ['infrastructure-test'], capiContracts });
      await story.apply(
        provider('test-new', { v1beta1: 'v1beta1_v1beta2' }),
        provider('test-old', { v1beta1: 'v1beta1' }),
        object('ClusterTemplate', 'cloud', {
          ...chart('web'),
          providers: ['infrastructure-test', 'bootstrap-test'],
          providerContracts: { 'infrastructure-test': 'v1beta2' },
        }),
        object('ClusterTemplate', 'small-cloud', {
          ...chart('web'),
          providers: ['infrastructure-test'],
          providerContracts: { 'infrastructure-test': 'v1beta2' },
        }),
      );
      for (const name of ['test-new', 'test-old'])
        await becomes(() => kubectl.expect(`get providertemplate ${name} -o jsonpath={.status.valid}`), 'true', name);
      await patch('mgmt kcm', { spec: { providers: [{ name: 'test', template: 'test-new' }] } });
      await becomes(
        async () => (await story.get<{ status?: { availableProviders?: string[] } }>('mgmt kcm'))?.status?.availableProviders,
        ['infrastructure-internal', 'infrastructure-test'],
        'the providers',
      );
      await refuses(
        deployment('cloudy', { template: 'cloud' }),
        'one or more required providers are not deployed yet: [bootstrap-test]',
        'Warning: Failed to validate required providers',
      );
      await story.apply(deployment('cloudy', { template: 'small-cloud' }));
      const says =
        'provider infrastructure-test is required by at least one ClusterDeployment and cannot be removed from the Management kcm';
      await eventually(
        () => kubectl.run(`patch mgmt kcm --type merge --dry-run=server -p '{"spec":{"providers":[]}}'`),
        ({ code, stderr }) => code === 1 && stderr.includes(says),
        patient,
      );
      await patch(
        'mgmt kcm',
        { spec: { providers: [{ name: 'test', template: 'test-old' }] } },
        {
          code: 1,
          says: [
            'the Management is invalid: missing contract version v1beta2 for infrastructure-test provider that is required by one or more ClusterDeployment',
            'Warning: The Management object has incompatible CAPI contract versions in ProviderTemplates',
          ],
        },
      );
      await keeps(
        'providertemplate test-new',
        'template deletion is forbidden',
        'cannot be removed while it is used in the Management spec',
      );
      await keeps(
        'mgmt kcm',
        'denied the request: management deletion is forbidden',
        "Warning: The Management object can't be removed if ClusterDeployment objects still exist",
      );
      await kubectl.expect(`delete cld -n ${namespace} cloudy --timeout 60s`);
      await patch('mgmt kcm', { spec: { providers: [] } });
      await kubectl.expect('delete release next');
    });

    test('a Region has a cluster, and stays while ClusterDeployments are in it', async () => {
      await refuses(global('Region', 'eu', { kubeConfig: { name: 'no' } }), 'failed to get Secret kcm-system/no');
      await refuses(
        global('Region', 'eu', { kubeConfig: { name: 'identity', key: 'x' } }),
        'kubeConfig Secret does not have x key defined',
      );
      await refuses(
        global('Region', 'eu', { clusterDeployment: { namespace, name: 'no' } }),
        'failed to get ClusterDeployment kcm-system/no',
      );
      await refuses(global('Region', 'eu', {}), 'exactly one of kubeConfig or clusterDeployment must be set');
      await story.apply(
        global('Region', 'eu', { kubeConfig: { name: 'identity' } }),
        global('Region', 'us', { clusterDeployment: { namespace, name: 'dev' } }),
        object('Credential', 'eu', { region: 'eu', identityRef: { apiVersion: 'v1', kind: 'Secret', name: 'identity', namespace } }),
      );
      await keeps(`cld -n ${namespace} dev`, 'denied the request: ClusterDeployment cannot be deleted: referenced by Region "us"');
      await keeps(
        'mgmt kcm',
        'management deletion is forbidden',
        "Warning: The Management object can't be removed if Region objects still exist",
      );
      await kubectl.expect('delete region us --timeout 60s');
      await patch('region eu', { spec: { kubeConfig: { name: 'another' } } }, { code: 1, says: 'kubeConfig is immutable' });
      await story.apply(deployment('european', { credential: 'eu' }));
      await eventually(
        () => kubectl.run('delete region eu --dry-run=server'),
        ({ code, stderr }) => code === 1 && stderr.includes('denied the request: region deletion is forbidden'),
        patient,
      );
      await keeps(
        'region eu',
        "Warning: The Region object can't be removed while any ClusterDeployment objects deployed in that Region still exist",
      );
      await kubectl.expect(`delete cld -n ${namespace} european --timeout 60s`);
      await kubectl.expect('delete region eu --timeout 60s');
    });

    test('what may not change does not', async () => {
      const says = 'Spec is immutable';
      await patch(`servicetemplate -n ${namespace} web-1-0-0`, { spec: { version: '9' } }, { code: 1, says });
      await patch(`clustertemplate -n ${namespace} other-1-0-0`, { spec: { k8sVersion: '1.30.0' } }, { code: 1, says });
      await patch('providertemplate test-new', { spec: { providers: [] } }, { code: 1, says });
      await patch(`clustertemplatechain -n ${namespace} up`, { spec: { supportedTemplates: [] } }, { code: 1, says });
      await patch(`servicetemplatechain -n ${namespace} empty`, { spec: { supportedTemplates: [] } }, { code: 1, says });
      await patch(`credential -n ${namespace} eu`, { spec: { region: 'us' } }, { code: 1, says: 'Region is immutable' });
      await patch(`cld -n ${namespace} dev`, { spec: { serviceSpec: { provider: { name: 'ksm-projectsveltos' } } } });
      await patch(
        `cld -n ${namespace} dev`,
        { spec: { serviceSpec: { provider: { name: 'another' } } } },
        { code: 1, says: 'Provider name is immutable once set' },
      );
      await refuses(
        object('ServiceTemplate', 'two', { ...chart('web'), resources: { localSourceRef: { kind: 'ConfigMap', name: 'x' } } }),
        'Helm, Kustomize and Resources are mutually exclusive.',
      );
      await refuses(object('ServiceTemplate', 'nothing', {}), 'One of Helm, Kustomize, or Resources must be specified.');
      await refuses(
        object('ClusterTemplate', 'source', { helm: { chartSource: { localSourceRef: { kind: 'GitRepository', name: 'x' } } } }),
        '.spec.helm.chartSource is not supported for ClusterTemplates',
      );
    });

    test('a MultiClusterService is written as it is, and says what is wrong', async () => {
      await story.apply(multiClusterService('faulty', { serviceSpec: { services: [service('a', 'gone')] } }));
      await becomes(
        async () =>
          /the ServiceTemplate kcm-system\/gone is not found/.test(
            conditionOf(await story.mcs('faulty'), 'ServicesReferencesValidation') ?? '',
          ),
        true,
        'the condition',
      );
      await kubectl.expect('delete mcs faulty --timeout 60s');
    });

    for (const isElsewhere of [false, true])
      test(`a hub that was killed reviews again${isElsewhere ? ', at another address too' : ''}`, async () => {
        await hub.restart({ isElsewhere });
        const isAsked = () =>
          kubectl.run(`create --dry-run=server -f -`, { input: JSON.stringify(deployment('late', { template: 'none' })) });
        await eventually(isAsked, ({ code, stderr }) => code === 1 && stderr.includes(isInvalid), patient);
        const url = await kubectl.expect('get validatingwebhookconfiguration drover-k0rdent -o jsonpath={.webhooks[0].clientConfig.url}');
        assert.ok(url.startsWith(`${hub.gateway}/admission/`), url);
        await becomes(
          () => kubectl.expect('get validatingwebhookconfiguration drover-k0rdent -o jsonpath={.webhooks[0].failurePolicy}'),
          'Fail',
          'the policy',
        );
        const name = `late-${isElsewhere}`.toLowerCase();
        await story.apply(deployment(name));
        await becomes(async () => (await story.cd(name))?.metadata.finalizers, ['k0rdent.mirantis.com/cluster-deployment'], 'a new one');
        await kubectl.expect(`delete cld -n ${namespace} ${name} --timeout 60s`);
      });
  });
