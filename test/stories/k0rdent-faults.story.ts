import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { serviceSetName } from '../../src/dialects/k0rdent/service-set-name.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import {
  becomes,
  conditionOf,
  k0rdentVersion,
  multiClusterService,
  patient,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { eventually } from '../helpers/eventually.ts';
import { kubectlFor } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const service = (name: string, more: object = {}) => ({ name, namespace: name, template: 'web-1-0-0', ...more });
const everywhere = { matchLabels: { fleet: 'edge' } };
const mcsWith = (name: string, services: object[], more: object = {}) =>
  multiClusterService(name, { clusterSelector: everywhere, serviceSpec: { services, ...more } });
const clusterDeployment = (name: string, labels: object, services: object[], namespace = systemNamespace) => ({
  apiVersion: k0rdentVersion,
  kind: 'ClusterDeployment',
  metadata: { name, namespace, labels },
  spec: { template: 'sandbox-1-0-0', config: {}, serviceSpec: { services } },
});
const chain = (name: string, supportedTemplates: object[]) => ({
  apiVersion: k0rdentVersion,
  kind: 'ServiceTemplateChain',
  metadata: { name, namespace: systemNamespace },
  spec: { supportedTemplates },
});

for (const kind of hubKindsByTime)
  describe(`k0rdent and what people get wrong, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('k0rdent-faults');
    const stack = new AsyncDisposableStack();
    let etcd: Etcd;
    let hub: EitherHub;
    let story: K0rdentStory;

    before(async () => {
      etcd = stack.use(await startEtcd());
      hub = stack.use(await startEitherHub(kind, etcd));
      story = await startK0rdentStory(hub, scratch.dir);
      for (const version of ['1.0.0', '2.0.0']) await story.pushChart('web', version, packedChart('web', version));
      await story.apply(serviceTemplate('web', '1.0.0'));
      await story.templatesAreValid('web-1-0-0');
      await story.apply(
        clusterDeployment('edge-1', { fleet: 'edge', zone: 'a' }, [service('own')]),
        clusterDeployment('edge-2', { fleet: 'edge' }, []),
      );
      for (const name of ['edge-1', 'edge-2'])
        await becomes(async () => conditionOf(await story.cd(name), 'Ready'), 'True Succeeded Object is ready', name);
    });
    after(async () => {
      await stack.disposeAsync();
      scratch[Symbol.dispose]();
    });

    const mcsSays = (name: string, condition: string, text: string) =>
      becomes(async () => conditionOf(await story.mcs(name), condition), `False Failed ${text}`, `${condition} of ${name}`);
    const stateOn = async (cluster: string, mcs: string, release: string) => {
      const found = (await story.set(serviceSetName(cluster, mcs)))?.status?.services?.find(one => one.name === release);
      return found && `${found.state} ${found.failureMessage ?? ''}`.trim();
    };
    const becomesState = (cluster: string, mcs: string, release: string, expected: RegExp) =>
      eventually(
        () => stateOn(cluster, mcs, release),
        text => expected.test(text ?? ''),
        { ...patient, what: `${release} on ${cluster}` },
      );
    const greetingOn = async (cluster: string, release: string) => {
      const member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir: scratch.dir });
      const { code, stdout } = await member.run(`get configmap -n ${release} ${release} -o jsonpath={.data.greeting}`);
      return code === 0 ? stdout : undefined;
    };
    const remove = (...names: string[]) => story.kubectl.expect(`delete mcs ${names.join(' ')} --timeout 60s`);

    test('a template that is not there is named with the namespace that was looked in, and waited for', async () => {
      await story.apply(mcsWith('unknown', [service('later', { template: 'web-2-0-0' })]));
      const text = 'the ServiceTemplate kcm-system/web-2-0-0 is not found in namespace kcm-system';
      await mcsSays('unknown', 'ServicesReferencesValidation', `some services have invalid templates: ${text}`);
      assert.match(await story.refused(clusterDeployment('edge-3', {}, [service('later', { template: 'web-2-0-0' })])), new RegExp(text));

      await story.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
      const elsewhere = await story.refused(clusterDeployment('edge-4', {}, [service('web')], 'team'));
      assert.match(elsewhere, /Template team\/\S+ (is )?not found/);

      await story.apply(serviceTemplate('web', '2.0.0'));
      await becomes(
        async () => conditionOf(await story.mcs('unknown'), 'Ready'),
        'True Succeeded Object is ready',
        'the MultiClusterService',
      );
      await remove('unknown');
    });

    test('services that depend on each other in a circle, or on nothing, are refused', async () => {
      const needs = (name: string) => ({ dependsOn: [{ name, namespace: name }] });
      await story.apply(
        mcsWith('circle', [service('a', needs('b')), service('b', needs('a'))]),
        mcsWith('nothing', [service('a', needs('c'))]),
      );
      await mcsSays('circle', 'ServicesDependencyValidation', 'some services have invalid dependencies: dependency cycle detected at a/a');
      const missing = 'dependency c/c of service a/a is not defined as a service';
      await mcsSays('nothing', 'ServicesDependencyValidation', `some services have invalid dependencies: ${missing}`);
      assert.match(await story.refused(clusterDeployment('edge-3', {}, [service('a', needs('a'))])), /dependency cycle detected at a\/a/);
      assert.equal(await story.set(serviceSetName('edge-1', 'circle')), undefined);
      await remove('circle', 'nothing');
    });

    test('MultiClusterServices that depend on each other in a circle are refused, and can be deleted', async () => {
      const after = (name: string, needed: string) =>
        multiClusterService(name, { clusterSelector: everywhere, dependsOn: [needed], serviceSpec: { services: [service(name)] } });
      await story.apply(after('hen', 'egg'), after('egg', 'hen'), mcsWith('bystander', [service('bystander')]));
      await mcsSays('hen', 'MultiClusterServiceDependencyValidation', 'dependency cycle detected at /hen');
      await mcsSays('egg', 'MultiClusterServiceDependencyValidation', 'dependency cycle detected at /egg');
      await becomes(async () => conditionOf(await story.mcs('bystander'), 'ClusterInReadyState'), 'True Succeeded 2/2', 'the bystander');
      await remove('hen', 'egg', 'bystander');
    });

    test('a chain that offers what it does not have is refused, and so is a template that it does not list', async () => {
      const upgrade = (name: string, version?: string) => ({ name, ...(version && { version }) });
      const bad = [
        chain('gap', [{ name: 'web-1-0-0', availableUpgrades: [upgrade('web-9-0-0')] }]),
        chain('mixed', [
          { name: 'web-1-0-0', availableUpgrades: [upgrade('web-1-0-0', '1.0.0'), upgrade('web-2-0-0')] },
          { name: 'web-2-0-0' },
        ]),
      ];
      const texts = [
        /template web-9-0-0 is allowed for upgrade but is not present in the list of '.spec.supportedTemplates'/,
        /template web-1-0-0 has mixed version\/no-version available upgrades/,
      ];
      for (const [i, one] of bad.entries()) assert.match(await story.refused(one), texts[i]!);
      await story.apply(chain('short', [{ name: 'web-2-0-0' }]), mcsWith('off-chain', [service('x', { templateChain: 'short' })]));
      const text = 'the ServiceTemplateChain kcm-system/short does not support ServiceTemplate web-1-0-0';
      await mcsSays('off-chain', 'ServicesReferencesValidation', `some services have invalid templates: ${text}`);
      await remove('off-chain');
    });

    test('values that are no YAML fail their service alone, when errors are to be passed over', async () => {
      const services = [service('bad', { values: 'a: [' }), service('good')];
      await story.apply(mcsWith('values', services, { continueOnError: true }));
      await becomesState('edge-1', 'values', 'bad', /^Failed service bad\/bad on cluster kcm-system\/edge-[12]: the values are no YAML: /);
      await becomesState('edge-1', 'values', 'good', /^Deployed$/);
      await story.apply(mcsWith('values', [service('bad', { values: '[1, 2]' }), service('good')], { continueOnError: true }));
      await becomesState('edge-2', 'values', 'bad', /^Failed service bad\/bad on cluster kcm-system\/edge-[12]: the values must be a map$/);
      await story.apply(mcsWith('values', [service('bad', { values: 'greeting: mended' }), service('good')], { continueOnError: true }));
      await becomesState('edge-1', 'values', 'bad', /^Deployed$/);
      assert.equal(await greetingOn('edge-1', 'bad'), 'mended');
      await remove('values');
    });

    test('a template of values that does not work on one cluster does not keep it from the others', async () => {
      await story.apply(mcsWith('zones', [service('zone', { values: 'greeting: {{ .Cluster.metadata.labels.zone }}' })]));
      await becomesState('edge-2', 'zones', 'zone', /^Failed service zone\/zone on cluster kcm-system\/edge-2: .*zone/);
      await becomesState('edge-1', 'zones', 'zone', /^Deployed$/);
      assert.equal(await greetingOn('edge-1', 'zone'), 'a');
      assert.equal(await greetingOn('edge-2', 'zone'), undefined);
      await becomes(
        async () => conditionOf(await story.mcs('zones'), 'ClusterInReadyState'),
        'False Failed 1/2',
        'the MultiClusterService',
      );
      await story.kubectl.expect(`label cld -n ${systemNamespace} edge-2 zone=b`);
      await becomes(() => greetingOn('edge-2', 'zone'), 'b', 'the value');
      await remove('zones');
    });

    test('a priority that is out of range is refused in the one place and told in the other', async () => {
      const at = (more: object) => mcsWith('rank', [service('rank')], more);
      for (const [priority, text] of [
        [0, 'should be greater than or equal to 1'],
        [2147483647, 'should be less than or equal to 2147483646'],
      ] as const) {
        assert.match(await story.refused(at({ priority })), new RegExp(`spec.serviceSpec.priority.*${text}`, 's'));
        await story.apply(at({ provider: { config: { priority } } }));
        const read = async () => conditionOf(await story.set(serviceSetName('edge-1', 'rank')), 'ServiceSetProfile') ?? '';
        await eventually(read, said => /^False ServiceSetProfileBuildFailed .*priority/.test(said), {
          ...patient,
          what: `priority ${priority}`,
        });
        assert.equal(await greetingOn('edge-1', 'rank'), undefined);
      }
      await story.apply(at({ provider: { config: { priority: 2147483646 } } }));
      await becomesState('edge-1', 'rank', 'rank', /^Deployed$/);
    });

    test('what may not change is refused in the words of k0rdent', async () => {
      const template = serviceTemplate('web', '1.0.0');
      const changed = { ...template, spec: { helm: { chartSpec: { chart: 'web', version: '2.0.0' } } } };
      assert.match(await story.refused(changed), /Spec is immutable/);
      assert.match(await story.refused(chain('short', [{ name: 'web-1-0-0' }])), /Spec is immutable/);
      const by = (name: string) => mcsWith('rank', [service('rank')], { provider: { name } });
      await story.apply(by('ksm-projectsveltos'));
      assert.match(await story.refused(by('another')), /Provider name is immutable once set/);
      const twice = mcsWith('twice', [service('same'), service('same')]);
      assert.match(await story.refused(twice), /Duplicate value/);
      await remove('rank');
    });

    test('none of it has touched those who did nothing wrong', async () => {
      await becomes(async () => conditionOf(await story.cd('edge-1'), 'Ready'), 'True Succeeded Object is ready', 'edge-1');
      await story.apply(clusterDeployment('edge-1', { fleet: 'edge', zone: 'a' }, [service('own', { template: 'web-2-0-0' })]));
      const member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig('edge-1'), dir: scratch.dir });
      await becomes(
        () => member.run('get configmap -n own own -o jsonpath={.data.version}').then(({ stdout }) => stdout),
        '2.0.0',
        'the upgrade',
      );
      assert.deepEqual(Object.keys(await story.setsNow()), ['edge-1']);
    });
  });
