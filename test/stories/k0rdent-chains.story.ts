import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { serviceSetName } from '../../src/dialects/k0rdent/service-set-name.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import {
  becomes,
  conditionOf,
  isBefore,
  k0rdentVersion,
  multiClusterService,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace,
  templateName,
  watchReleases,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm');

/** 4.14.0 is broken. */
const versions = ['4.11.3', '4.11.5', '4.12.0', '4.14.0', '4.15.0'];
const chart = 'ingress-nginx';
const name = (version: string): string => templateName(chart, version);
const chartBytes = (version: string): Buffer =>
  packedChart(chart, version, version === '4.14.0' ? { 'templates/broken.yaml': '{{ fail "4.14.0 was a mistake" }}' } : {});

/** A chain in which each version leads to others. */
function chain(chainName: string, upgrades: Readonly<Record<string, readonly string[]>>) {
  const supportedTemplates = Object.entries(upgrades).map(([from, to]) => ({
    name: name(from),
    availableUpgrades: to.map(version => ({ name: name(version), version })),
  }));
  return {
    apiVersion: k0rdentVersion,
    kind: 'ServiceTemplateChain',
    metadata: { name: chainName, namespace: systemNamespace },
    spec: { supportedTemplates },
  };
}
const step = (version: string) => ({ name: name(version), version });

const clusterDeployment = (cluster: string, labels: Record<string, string>, serviceSpec: object = {}) => ({
  apiVersion: k0rdentVersion,
  kind: 'ClusterDeployment',
  metadata: { name: cluster, namespace: systemNamespace, labels },
  spec: { template: 'sandbox-1-0-0', config: {}, serviceSpec },
});
/** k0rdent keeps two revisions unless it is told otherwise. */
const service = (release: string, version: string, more: object = {}) => ({
  name: release,
  namespace: release,
  template: name(version),
  helmOptions: { upgradeOptions: { maxHistory: 10 } },
  ...more,
});

for (const kind of hubKindsByTime)
  describe(`chains and dependencies of k0rdent, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('k0rdent-chains');
    const stack = new AsyncDisposableStack();
    let etcd: Etcd;
    let hub: EitherHub;
    let story: K0rdentStory;

    before(async () => {
      etcd = stack.use(await startEtcd());
      hub = stack.use(await startEitherHub(kind, etcd));
      story = await startK0rdentStory(hub, scratch.dir);
      for (const version of versions) await story.pushChart(chart, version, chartBytes(version));
      await story.apply(...versions.map(version => serviceTemplate(chart, version)));
      await story.templatesAreValid(...versions.map(name));
      await story.apply(
        chain('upwards', { '4.11.3': ['4.11.5', '4.12.0'], '4.11.5': ['4.12.0'], '4.12.0': [] }),
        chain('downwards', { '4.12.0': ['4.11.5'], '4.11.5': ['4.11.3', '4.12.0'], '4.11.3': [] }),
        chain('through-a-mistake', { '4.11.3': ['4.14.0'], '4.14.0': ['4.15.0'], '4.15.0': [] }),
        clusterDeployment('edge-1', { edge: 'one' }),
        clusterDeployment('edge-2', { edge: 'two' }),
      );
      for (const cluster of ['edge-1', 'edge-2']) await isReady(cluster);
    });
    after(async () => {
      await stack.disposeAsync();
      scratch[Symbol.dispose]();
    });

    const isReady = (cluster: string) =>
      becomes(async () => conditionOf(await story.cd(cluster), 'Ready'), 'True Succeeded Object is ready', cluster);

    /** The revisions of a release as `helm history` on the cluster shows them. */
    async function history(cluster: string, release: string): Promise<string[]> {
      const home = path.join(scratch.dir, 'helm');
      const env = { KUBECONFIG: hub.memberKubeconfig(cluster), HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
      const helm = new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir });
      const { code, stdout } = await helm.run(`history ${release} -n ${release} -o json`);
      if (code !== 0) return [];
      const list = JSON.parse(stdout) as { revision: number; chart: string; status: string }[];
      return list.map(one => `${one.revision} ${one.chart.replace(`${chart}-`, '')} ${one.status}`);
    }
    const walked = (...all: string[]) => all.map((version, i) => `${i + 1} ${version} ${i === all.length - 1 ? 'deployed' : 'superseded'}`);

    const dataOf = async (cluster: string, release: string) => {
      const member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir: scratch.dir });
      const { code, stdout } = await member.run(`get configmap -n ${release} ${release} -o jsonpath='{.data.version} {.data.greeting}'`);
      return code === 0 ? stdout : undefined;
    };
    const chained = (version: string, templateChain: string, other: object = {}) =>
      multiClusterService('chained', {
        clusterSelector: { matchExpressions: [{ key: 'edge', operator: 'Exists' }] },
        serviceSpec: { services: [service('web', version, { templateChain }), service('other', '4.11.3', other)] },
      });
    /** What a MultiClusterService has on the first cluster. */
    const setOf = (mcs: string) => story.set(serviceSetName('edge-1', mcs));
    const stateOf = async (release: string) => (await setOf('chained'))?.status?.services?.find(one => one.name === release);

    test('the upgrades that a chain offers are listed', async () => {
      await story.apply(chained('4.11.3', 'upwards'));
      await becomes(async () => conditionOf(await story.mcs('chained'), 'Ready'), 'True Succeeded Object is ready', 'chained');
      const paths = (await story.mcs('chained'))?.status?.servicesUpgradePaths;
      assert.deepEqual(paths, [
        {
          name: 'web',
          namespace: 'web',
          template: name('4.11.3'),
          availableUpgrades: [{ versions: [step('4.11.5'), step('4.12.0')] }, { versions: [step('4.11.5')] }],
        },
        {
          name: 'other',
          namespace: 'other',
          template: name('4.11.3'),
          availableUpgrades: [{ versions: [{ name: name('4.11.3'), version: name('4.11.3') }] }],
        },
      ]);
      await story.apply(
        clusterDeployment('edge-1', { edge: 'one' }, { services: [service('own', '4.11.5', { templateChain: 'upwards' })] }),
      );
      await becomes(
        async () => (await story.cd('edge-1'))?.status?.servicesUpgradePaths?.[0]?.availableUpgrades,
        [{ versions: [step('4.12.0')] }],
        'the upgrades of edge-1',
      );
    });

    test('an upgrade walks every step of the chain, on every cluster', async () => {
      await story.apply(chained('4.12.0', 'upwards'));
      for (const cluster of ['edge-1', 'edge-2'])
        await becomes(() => history(cluster, 'web'), walked('4.11.3', '4.11.5', '4.12.0'), `the history on ${cluster}`);
      await becomes(async () => conditionOf(await story.mcs('chained'), 'Ready'), 'True Succeeded Object is ready', 'chained');
    });

    test('what the chain does not offer is not done, and said; the other services go on', async () => {
      await story.apply(chained('4.11.3', 'upwards', { values: 'greeting: good morning' }));
      const message = "service web/web can't be upgraded from ingress-nginx-4-12-0 to ingress-nginx-4-11-3";
      await becomes(
        async () => (await story.mcs('chained'))?.status?.matchingClusters?.map(one => `${one.name} ${one.deployed} ${one.message}`),
        [`edge-1 false ${message}`, `edge-2 false ${message}`],
        'the clusters of the MultiClusterService',
      );
      await becomes(
        async () => (await stateOf('web'))?.conditions?.map(one => `${one.type} ${one.status} ${one.message}`),
        [`UpgradePathBlocked True ${message}`],
        'the condition of the service',
      );
      assert.equal((await stateOf('web'))?.state, 'Deployed');
      await becomes(() => dataOf('edge-1', 'other'), '4.11.3 good morning', 'the other service');
      assert.deepEqual(await history('edge-1', 'web'), walked('4.11.3', '4.11.5', '4.12.0'));
      await story.kubectl.expect('get mcs chained', { says: /^chained +0\/2 /m });
    });

    test('a chain that leads back is walked down, step by step', async () => {
      await story.apply(chained('4.11.3', 'downwards'));
      const down = walked('4.11.3', '4.11.5', '4.12.0', '4.11.5', '4.11.3');
      for (const cluster of ['edge-1', 'edge-2']) await becomes(() => history(cluster, 'web'), down, `the history on ${cluster}`);
      await becomes(async () => (await stateOf('web'))?.conditions, undefined, 'the condition of the service');
      await becomes(async () => conditionOf(await story.mcs('chained'), 'Ready'), 'True Succeeded Object is ready', 'chained');
    });

    test('a release that failed can be sent elsewhere, also back', async () => {
      await story.apply(chained('4.15.0', 'through-a-mistake'));
      await becomes(async () => (await stateOf('web'))?.state, 'Failed', 'the step that fails');
      assert.match((await stateOf('web'))?.failureMessage ?? '', /4\.14\.0 was a mistake/);
      assert.equal((await stateOf('web'))?.template, name('4.14.0'));
      assert.equal(await dataOf('edge-1', 'web'), '4.11.3 hello');

      await story.apply(chained('4.11.3', 'through-a-mistake'));
      await becomes(async () => conditionOf(await story.mcs('chained'), 'Ready'), 'True Succeeded Object is ready', 'chained');
      assert.equal(await dataOf('edge-1', 'web'), '4.11.3 hello');

      const direct = (version: string) =>
        multiClusterService('chained', {
          clusterSelector: { matchExpressions: [{ key: 'edge', operator: 'Exists' }] },
          serviceSpec: { services: [service('web', version)] },
        });
      await story.apply(direct('4.14.0'));
      await becomes(async () => (await stateOf('web'))?.state, 'Failed', 'the upgrade that fails');
      await story.apply(direct('4.12.0'));
      await becomes(() => dataOf('edge-1', 'web'), '4.12.0 hello', 'the version');
      await story.kubectl.expect('delete mcs chained --timeout 60s');
    });

    test('ClusterTemplateChains say to what a ClusterDeployment can be upgraded', async () => {
      const clusterChain = (chainName: string, upgrades: Record<string, string[]>) => ({
        apiVersion: k0rdentVersion,
        kind: 'ClusterTemplateChain',
        metadata: { name: chainName, namespace: systemNamespace },
        spec: {
          supportedTemplates: Object.entries(upgrades).map(([from, to]) => ({
            name: from,
            availableUpgrades: to.map(one => ({ name: one })),
          })),
        },
      });
      await story.apply(clusterChain('clusters', { 'sandbox-1-0-0': ['adopted-cluster-1-0-1'], 'adopted-cluster-1-0-1': [] }));
      await becomes(async () => (await story.cd('edge-2'))?.status?.availableUpgrades, ['adopted-cluster-1-0-1'], 'the upgrades');
      await story.kubectl.expect(`delete clustertemplatechain -n ${systemNamespace} clusters`);
      await becomes(async () => (await story.cd('edge-2'))?.status?.availableUpgrades ?? [], [], 'the upgrades without the chain');
    });

    /** `alpha` needs `zeta`: the order of their names is the wrong one. */
    const pair = (zeta: object, alpha: object = {}) =>
      multiClusterService('pair', {
        clusterSelector: { matchLabels: { edge: 'one' } },
        serviceSpec: {
          services: [
            service('alpha', '4.11.3', { dependsOn: [{ name: 'zeta', namespace: 'zeta' }], ...alpha }),
            service('zeta', '4.11.3', zeta),
          ],
        },
      });
    const pairIsReady = () =>
      becomes(async () => conditionOf(await story.mcs('pair'), 'Ready'), 'True Succeeded Object is ready', 'the MultiClusterService');

    test('a service comes after what it depends on, and waits for it while it is upgraded', async () => {
      await using releases = await watchReleases(hub.memberKubeconfig('edge-1'), scratch.dir);
      await story.apply(pair({}));
      await pairIsReady();
      isBefore(releases.events(), /zeta deployed$/, /alpha pending-install$/);

      // What is changed of it at the same time is held back too.
      await story.apply(pair({ template: name('4.14.0') }, { values: 'greeting: good evening' }));
      await becomes(
        async () => (await setOf('pair'))?.status?.services?.map(one => `${one.name} ${one.state}`),
        ['zeta Failed', 'alpha Deployed'],
        'the services',
      );
      assert.equal(await dataOf('edge-1', 'alpha'), '4.11.3 hello');
      assert.deepEqual(await history('edge-1', 'alpha'), walked('4.11.3'));

      await story.apply(pair({ template: name('4.12.0') }, { values: 'greeting: good evening' }));
      await pairIsReady();
      assert.equal(await dataOf('edge-1', 'zeta'), '4.12.0 hello');
      assert.equal(await dataOf('edge-1', 'alpha'), '4.11.3 good evening');
      // Each change is a few writes; it used to be hundreds.
      assert.ok((await setOf('pair'))!.metadata.generation! < 20);
    });

    test('what others depend on is uninstalled last, whether the services go or their owner', async () => {
      const gone = (events: readonly string[]) => isBefore(events, /^DELETED alpha /, /zeta uninstalling$/);
      {
        await using releases = await watchReleases(hub.memberKubeconfig('edge-1'), scratch.dir);
        await story.apply(
          multiClusterService('pair', { clusterSelector: { matchLabels: { edge: 'one' } }, serviceSpec: { services: [] } }),
        );
        await becomes(
          async () => [await dataOf('edge-1', 'alpha'), await dataOf('edge-1', 'zeta')],
          [undefined, undefined],
          'the services',
        );
        gone(releases.events());
      }
      await story.apply(pair({}));
      await pairIsReady();
      await using releases = await watchReleases(hub.memberKubeconfig('edge-1'), scratch.dir);
      await story.kubectl.expect('delete mcs pair --timeout 60s');
      gone(releases.events());
    });

    test('MultiClusterServices leave a cluster in the reverse of the order in which they came', async () => {
      const one = (mcs: string, dependsOn: string[] = []) =>
        multiClusterService(mcs, {
          clusterSelector: { matchLabels: { order: 'yes' } },
          dependsOn,
          serviceSpec: { services: [service(mcs, '4.11.3')] },
        });
      await story.apply(one('base'), one('atop', ['base']));
      await story.kubectl.expect(`label cld -n ${systemNamespace} edge-2 order=yes`);
      await becomes(async () => conditionOf(await story.mcs('atop'), 'ClusterInReadyState'), 'True Succeeded 1/1', 'atop');
      await using releases = await watchReleases(hub.memberKubeconfig('edge-2'), scratch.dir);
      await story.kubectl.expect(`label cld -n ${systemNamespace} edge-2 order-`);
      await becomes(async () => [await dataOf('edge-2', 'base'), await dataOf('edge-2', 'atop')], [undefined, undefined], 'the services');
      isBefore(releases.events(), /^DELETED atop /, /base uninstalling$/);
      await story.kubectl.expect('delete mcs base atop --timeout 60s');
    });
  });
