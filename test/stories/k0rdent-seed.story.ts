import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { catalogChart } from '../charts/catalog-chart.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { page } from '../helpers/k0rdent-page.ts';
import {
  becomes,
  conditionOf,
  isBefore,
  k0rdentVersion,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace,
  templateName,
  watchReleases,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';
import { runningMemberPrograms, startRunningMember } from '../helpers/running-member.ts';

const missing = missingRig(...runningMemberPrograms, 'kubectl', 'helm');

/** The page leaves out what else a ClusterDeployment says, which is how its cluster is had: here with a kubeconfig. */
function filledIn(text: string): string {
  const name = /name: (\S+)/.exec(text)![1]!;
  const [before = '', services = ''] = text.split('  . . .\n');
  return `${before}  template: adopted-cluster-1-0-1\n  credential: ${name}\n  config: {}\n${services}`;
}
const devCluster1 = filledIn(page.devCluster1);
const devCluster2 = filledIn(page.devCluster2);
const withoutServices = (text: string): string => text.slice(0, text.indexOf('  serviceSpec:'));

/** The charts of the page. Those versions of ingress-nginx that nobody serves as a Go module are made of 4.11.0: see catalogChart. */
const charts = [
  ['kyverno', '3.2.6'],
  ['ingress-nginx', '4.11.0'],
  ['ingress-nginx', '4.11.3'],
  ['ingress-nginx', '4.13.0'],
  ['cert-manager', '1.18.2'],
  ['postgres-operator', '1.14.0'],
] as const;

for (const kind of hubKindsByTime)
  describe(`the page of k0rdent with its charts on real clusters, hub: ${kind}`, { skip: missing ?? false, timeout: 290_000 }, () => {
    const scratch = scratchDir('k0rdent-seed');
    const stack = new AsyncDisposableStack();
    let etcd: Etcd;
    let hub: EitherHub;
    let story: K0rdentStory;
    let members: Record<'dev-cluster-1' | 'dev-cluster-2', Member>;

    before(async () => {
      etcd = stack.use(await startEtcd());
      const [one, two, started] = await Promise.all([startRunningMember(etcd), startRunningMember(etcd), startEitherHub(kind, etcd)]);
      for (const each of [one, two, started]) stack.use(each);
      members = { 'dev-cluster-1': memberOf(one), 'dev-cluster-2': memberOf(two) };
      hub = started;
      story = await startK0rdentStory(hub, scratch.dir);
      for (const [name, version] of charts) await story.pushChart(name, version, catalogChart(name, version));
      await story.apply(...charts.map(([name, version]) => serviceTemplate(name, version)), ...Object.keys(members).flatMap(credential));
      for (const name of Object.keys(members))
        await becomes(
          async () => (await story.get<{ status?: { ready?: boolean } }>(`credential -n ${systemNamespace} ${name}`))?.status?.ready,
          true,
          `the Credential of ${name}`,
        );
      await story.templatesAreValid(...charts.map(([name, version]) => templateName(name, version)));
    });
    after(async () => {
      await stack.disposeAsync();
      scratch[Symbol.dispose]();
    });

    interface Member {
      readonly cluster: RealCluster;
      readonly kubectl: CommandLine;
      readonly helm: CommandLine;
    }

    function memberOf(cluster: RealCluster): Member {
      const home = path.join(scratch.dir, 'helm');
      const env = { KUBECONFIG: cluster.kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
      return {
        cluster,
        kubectl: kubectlFor('kubectl', { kubeconfig: cluster.kubeconfig, dir: cluster.dir }),
        helm: new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir }),
      };
    }

    function credential(name: string): object[] {
      const { cluster } = members[name as keyof typeof members];
      const metadata = { name, namespace: systemNamespace };
      const identityRef = { apiVersion: 'v1', kind: 'Secret', ...metadata };
      return [
        { apiVersion: 'v1', kind: 'Secret', metadata, stringData: { value: readFileSync(cluster.kubeconfig, 'utf8') } },
        { apiVersion: k0rdentVersion, kind: 'Credential', metadata, spec: { identityRef } },
      ];
    }

    /** What `helm list -A` shows: chart, revision and status of each release. */
    async function releases(name: keyof typeof members): Promise<Record<string, string>> {
      const list = JSON.parse(await members[name].helm.expect('list -A -o json')) as Record<string, string>[];
      const lines = list.map(({ namespace, name: release, chart, revision, status }) => [
        `${namespace}/${release}`,
        `${chart} ${revision} ${status}`,
      ]);
      return Object.fromEntries(lines.sort()) as Record<string, string>;
    }
    const bothReleases = async () => [await releases('dev-cluster-1'), await releases('dev-cluster-2')];

    /** Image and identity of the controller of ingress-nginx. */
    async function ingress(name: keyof typeof members): Promise<{ image: string; uid: string }> {
      const path = '{.spec.template.spec.containers[0].image}{" "}{.metadata.uid}';
      const text = await members[name].kubectl.expect(`get deployment -n ingress-nginx ingress-nginx-controller -o jsonpath='${path}'`);
      const [image = '', uid = ''] = text.split(' ');
      return { image: image.replace(/@.*/, ''), uid };
    }
    const image = (version: string) => `registry.k8s.io/ingress-nginx/controller:${version}`;

    /** The revisions of ingress-nginx as `helm history` shows them: of the last two, as k0rdent keeps no more. */
    async function history(name: keyof typeof members): Promise<string[]> {
      const list = JSON.parse(await members[name].helm.expect('history ingress-nginx -n ingress-nginx -o json')) as Record<
        string,
        string
      >[];
      return list.map(({ revision, chart, status }) => `${revision} ${chart} ${status}`);
    }

    const says = (set: string, cluster: string, owner: string, priority: number) =>
      `ClusterSummary p--${set}-sveltos-${cluster} managing it (${owner}, priority ${priority})`;
    const byMcs1 = says('dev-cluster-1-bb74fe23', 'dev-cluster-1', 'MultiClusterService global-ingress', 300);
    const byCd2 = says('dev-cluster-2', 'dev-cluster-2', 'ClusterDeployment kcm-system/dev-cluster-2', 500);
    const wonByMcs = {
      'dev-cluster-1': `ingress-nginx-4-11-0 ${byMcs1}, kyverno-3-2-6 Deployed; false 1/2`,
      'dev-cluster-1-bb74fe23': 'ingress-nginx-4-11-3 Deployed; true 1/1',
      'dev-cluster-2': 'ingress-nginx-4-11-0 Deployed; true 1/1',
      'dev-cluster-2-bb74fe23': `ingress-nginx-4-11-3 ${byCd2}; false 0/1`,
    };
    const mcsNow = async (name: string) => {
      const found = await story.mcs(name);
      return {
        clusters: conditionOf(found, 'ClusterInReadyState'),
        ready: conditionOf(found, 'Ready'),
        matching: (found?.status?.matchingClusters ?? []).map(one => `${one.name} ${one.deployed}`),
      };
    };
    const cdNow = async (name: string) => {
      const found = await story.cd(name);
      return {
        ready: conditionOf(found, 'Ready'),
        services: conditionOf(found, 'ServicesInReadyState'),
        states: (found?.status?.services ?? []).map(one => `${one.template} ${one.state}`),
      };
    };
    const isReady = 'True Succeeded Object is ready';
    let uid1 = '';
    let uid2 = '';

    test('two ClusterDeployments bring their own services', async () => {
      await story.applyText(`${devCluster1}---\n${devCluster2}`);
      await becomes(
        () => cdNow('dev-cluster-2'),
        { ready: isReady, services: 'True Succeeded 1/1', states: ['ingress-nginx-4-11-0 Deployed'] },
        'dev-cluster-2',
      );
      await becomes(
        () => cdNow('dev-cluster-1'),
        { ready: isReady, services: 'True Succeeded 2/2', states: ['ingress-nginx-4-11-0 Deployed', 'kyverno-3-2-6 Deployed'] },
        'dev-cluster-1',
      );
      assert.deepEqual(await bothReleases(), [
        { 'ingress-nginx/ingress-nginx': 'ingress-nginx-4.11.0 1 deployed', 'kyverno/kyverno': 'kyverno-3.2.6 1 deployed' },
        { 'ingress-nginx/ingress-nginx': 'ingress-nginx-4.11.0 1 deployed' },
      ]);
      ({ uid: uid1 } = await ingress('dev-cluster-1'));
      ({ uid: uid2 } = await ingress('dev-cluster-2'));
      await members['dev-cluster-1'].kubectl.expect('get deployments -n kyverno', { says: /^kyverno-admission-controller +1\/1 /m });
      await members['dev-cluster-1'].kubectl.expect('get crd clusterpolicies.kyverno.io');
    });

    test('global-ingress outranks the one and is outranked by the other, as the page says', async () => {
      await story.applyText(page.globalIngress);
      await becomes(story.setsNow, wonByMcs, 'the ServiceSets');
      assert.deepEqual(await bothReleases(), [
        { 'ingress-nginx/ingress-nginx': 'ingress-nginx-4.11.3 2 deployed', 'kyverno/kyverno': 'kyverno-3.2.6 1 deployed' },
        { 'ingress-nginx/ingress-nginx': 'ingress-nginx-4.11.0 1 deployed' },
      ]);
      assert.deepEqual(await ingress('dev-cluster-1'), { image: image('v1.11.3'), uid: uid1 });
      assert.deepEqual(await ingress('dev-cluster-2'), { image: image('v1.11.0'), uid: uid2 });
      await becomes(
        () => cdNow('dev-cluster-1'),
        {
          ready: isReady,
          services: 'True Succeeded 2/2',
          states: ['ingress-nginx-4-11-0 Failed', 'ingress-nginx-4-11-3 Deployed', 'kyverno-3-2-6 Deployed'],
        },
        'dev-cluster-1',
      );
      await becomes(
        () => cdNow('dev-cluster-2'),
        { ready: isReady, services: 'True Succeeded 1/1', states: ['ingress-nginx-4-11-0 Deployed', 'ingress-nginx-4-11-3 Failed'] },
        'dev-cluster-2',
      );
      await becomes(
        () => mcsNow('global-ingress'),
        {
          clusters: 'False Failed 1/2',
          ready: 'False Failed 1/2 Clusters are ready.',
          matching: ['dev-cluster-1 true', 'dev-cluster-2 false'],
        },
        'global-ingress',
      );
      await story.kubectl.expect('get clusterdeployments.k0rdent.mirantis.com -n kcm-system --show-labels', {
        says: [
          /^NAME +READY +SERVICES +TEMPLATE +MESSAGES +AGE +LABELS$/m,
          /^dev-cluster-1 +True +2\/2 +adopted-cluster-1-0-1 +Object is ready +\S+ +cluster-deployment\/tier=dev,k0rdent.mirantis.com\/component=kcm$/m,
          /^dev-cluster-2 +True +1\/1 +adopted-cluster-1-0-1 +Object is ready +\S+ +cluster-deployment\/tier=dev,k0rdent.mirantis.com\/component=kcm$/m,
        ],
      });
    });

    /** As somebody who edits the file and applies it again. */
    const applyPriority = (text: string) => story.applyText(devCluster1.replace('    priority: 100\n', text));
    /** Once the ServiceSet says so and its status is of that, all that comes of it is told. */
    const isTold = (priority: number) =>
      becomes(
        async () => {
          const set = await story.set('dev-cluster-1');
          return [set?.spec.provider.config?.['priority'], set?.status?.['observedGeneration'] === set?.metadata.generation];
        },
        [priority, true],
        'the priority',
      );

    test('an equal priority takes nothing over, a higher one does, in place', async () => {
      await applyPriority('    priority: 300\n');
      await isTold(300);
      await becomes(story.setsNow, wonByMcs, 'the ServiceSets');
      assert.deepEqual(await history('dev-cluster-1'), ['1 ingress-nginx-4.11.0 superseded', '2 ingress-nginx-4.11.3 deployed']);

      await applyPriority('    priority: 301\n');
      await becomes(async () => (await mcsNow('global-ingress')).clusters, 'False Failed 0/2', 'global-ingress');
      await becomes(
        () => history('dev-cluster-1'),
        ['2 ingress-nginx-4.11.3 superseded', '3 ingress-nginx-4.11.0 deployed'],
        'the history',
      );
      assert.deepEqual(await ingress('dev-cluster-1'), { image: image('v1.11.0'), uid: uid1 });

      await applyPriority('    priority: 100\n');
      await becomes(
        () => history('dev-cluster-1'),
        ['3 ingress-nginx-4.11.0 superseded', '4 ingress-nginx-4.11.3 deployed'],
        'the history',
      );
    });

    test('the priority in the config of the provider counts, not the one beside it', async () => {
      await applyPriority('    priority: 900\n    provider:\n      config:\n        priority: 300\n');
      await isTold(300);
      await becomes(story.setsNow, wonByMcs, 'the ServiceSets');
      assert.deepEqual(await history('dev-cluster-1'), ['3 ingress-nginx-4.11.0 superseded', '4 ingress-nginx-4.11.3 deployed']);
      assert.deepEqual(await ingress('dev-cluster-1'), { image: image('v1.11.3'), uid: uid1 });
    });

    test('without global-ingress the release goes back by an upgrade, and nothing is uninstalled', async () => {
      await story.kubectl.expect('delete mcs global-ingress --timeout 60s');
      await becomes(
        () => history('dev-cluster-1'),
        ['4 ingress-nginx-4.11.3 superseded', '5 ingress-nginx-4.11.0 deployed'],
        'the history',
      );
      assert.deepEqual(await ingress('dev-cluster-1'), { image: image('v1.11.0'), uid: uid1 });
      assert.deepEqual(await ingress('dev-cluster-2'), { image: image('v1.11.0'), uid: uid2 });
      assert.deepEqual(await history('dev-cluster-2'), ['1 ingress-nginx-4.11.0 deployed']);
      await becomes(
        story.setsNow,
        {
          'dev-cluster-1': 'ingress-nginx-4-11-0 Deployed, kyverno-3-2-6 Deployed; true 2/2',
          'dev-cluster-2': 'ingress-nginx-4-11-0 Deployed; true 1/1',
        },
        'the ServiceSets',
      );
    });

    test('services that nobody wants any more are uninstalled', async () => {
      await story.applyText(`${withoutServices(devCluster1)}---\n${withoutServices(devCluster2)}`);
      await becomes(bothReleases, [{}, {}], 'the releases');
      await becomes(async () => (await cdNow('dev-cluster-1')).services, 'True Succeeded 0/0', 'dev-cluster-1');
    });

    test('services are kept on a cluster that is selected no more, if one says so', async () => {
      // Labels that no cluster has: nothing is to be done.
      const words = { name: 'anywhere', key1: 'a', value1: 'b', key2: 'c', value2: 'd' };
      const release = { 'servicetemplate-1-name': 'kyverno-3-2-6', 'release-name': 'x', 'release-namespace': 'x' };
      const filled = Object.entries({ ...words, ...release }).reduce(
        (text, [word, value]) => text.replace(`<${word}>`, value),
        page.creation,
      );
      await story.applyText(filled);
      await story.applyText(page.keeping);
      const onBoth = { 'ingress-nginx/ingress-nginx': 'ingress-nginx-4.11.3 1 deployed' };
      await becomes(
        () => mcsNow('global-ingress'),
        { clusters: 'True Succeeded 2/2', ready: isReady, matching: ['dev-cluster-1 true', 'dev-cluster-2 true'] },
        'global-ingress',
      );
      await story.kubectl.expect(`label cld -n ${systemNamespace} dev-cluster-1 cluster-deployment/tier-`);
      await becomes(
        () => mcsNow('global-ingress'),
        { clusters: 'True Succeeded 1/1', ready: isReady, matching: ['dev-cluster-2 true'] },
        'global-ingress',
      );
      assert.deepEqual(await bothReleases(), [onBoth, onBoth]);
      await becomes(async () => (await mcsNow('anywhere')).clusters, 'True Succeeded 0/0', 'anywhere');
      await story.kubectl.expect('delete mcs anywhere global-ingress --timeout 60s');
      await becomes(bothReleases, [{}, {}], 'the releases');
    });

    let seen: Awaited<ReturnType<typeof watchReleases>>[] = [];

    test('mcs2 comes to each cluster when mcs1 is there, whatever the other clusters do', async () => {
      const slow = members['dev-cluster-2'].kubectl;
      seen = await Promise.all(Object.values(members).map(({ cluster }) => watchReleases(cluster.kubeconfig, scratch.dir)));
      for (const one of seen) stack.use(one);
      // Without a node nothing becomes ready there.
      await slow.expect('cordon kwok-node-0');
      await story.kubectl.expect(`label cld -n ${systemNamespace} dev-cluster-1 dev-cluster-2 owner=dev-team`);
      await story.applyText(page.dependencies);
      await becomes(
        () => releases('dev-cluster-1'),
        {
          'cert-manager/cert-manager': 'cert-manager-1.18.2 1 deployed',
          'ingress-nginx/ingress-nginx': 'ingress-nginx-4.13.0 1 deployed',
          'postgres-operator/postgres-operator': 'postgres-operator-1.14.0 1 deployed',
        },
        'the releases of dev-cluster-1',
      );
      await becomes(
        async () => (await story.mcs('mcs2'))?.status?.matchingClusters?.map(one => `${one.name} ${one.deployed} ${one.message ?? ''}`),
        [
          'dev-cluster-1 true ',
          'dev-cluster-2 false skipping create/update of ServiceSet for matching cluster kcm-system/dev-cluster-2: waiting on mcs1 (0/1 services deployed)',
        ],
        'the clusters of mcs2',
      );
      assert.deepEqual(await story.setsNow().then(Object.keys), [
        'dev-cluster-1',
        'dev-cluster-1-3556efa5',
        'dev-cluster-1-fc79ea26',
        'dev-cluster-2',
        'dev-cluster-2-3556efa5',
      ]);
      assert.ok(
        seen[1]?.events().every(event => / cert-manager /.test(event)),
        'something of mcs2 is on dev-cluster-2',
      );
      // The values of the page reached the charts.
      const first = members['dev-cluster-1'].kubectl;
      await first.expect('get crd certificates.cert-manager.io');
      await first.expect('get deployments -n ingress-nginx', { says: /^ingress-nginx-controller +3\/3 /m });

      await slow.expect('uncordon kwok-node-0');
      await becomes(
        () => mcsNow('mcs2'),
        { clusters: 'True Succeeded 2/2', ready: isReady, matching: ['dev-cluster-1 true', 'dev-cluster-2 true'] },
        'mcs2',
      );
      for (const { events } of seen) {
        isBefore(events(), /cert-manager deployed$/, /ingress-nginx pending-install$/);
        isBefore(events(), /ingress-nginx deployed$/, /postgres-operator pending-install$/);
      }
    });

    test('mcs1 stays while mcs2 is there, and everything goes in the reverse order', async () => {
      await story.kubectl.expect('delete mcs mcs1 --wait=false');
      await becomes(
        async () => conditionOf(await story.mcs('mcs1'), 'MultiClusterServiceDependencyValidation'),
        'False Failed failed to delete MultiClusterService /mcs1 because 1 other MultiClusterServices depend on it',
        'mcs1',
      );
      assert.equal((await releases('dev-cluster-1'))['cert-manager/cert-manager'], 'cert-manager-1.18.2 1 deployed');
      await story.kubectl.expect('delete mcs mcs2 --timeout 60s');
      await becomes(() => story.mcs('mcs1'), undefined, 'mcs1');
      assert.deepEqual(await bothReleases(), [{}, {}]);
      for (const { events } of seen) {
        isBefore(events(), /^DELETED postgres-operator /, /ingress-nginx uninstalling$/);
        isBefore(events(), /^DELETED ingress-nginx /, /cert-manager uninstalling$/);
      }
    });

    test('the clusters are left as they were', async () => {
      await story.kubectl.expect(`delete cld -n ${systemNamespace} dev-cluster-1 dev-cluster-2 --timeout 90s`);
      for (const [name, { kubectl }] of Object.entries(members)) {
        await story.kubectl.expect(`get clusters.drover.io ${name}`, { code: 1, says: 'not found' });
        await kubectl.expect('get secrets -A -l owner=helm', { says: 'No resources found' });
      }
    });
  });
