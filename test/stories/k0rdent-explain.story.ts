import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { MultiClusterService } from '../../src/dialects/k0rdent/kinds/multi-cluster-service.ts';
import type { ServiceSet } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import {
  becomes,
  conditionOf,
  multiClusterService,
  serviceTemplate,
  startK0rdentStory,
  systemNamespace as namespace,
  templateName,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');

/** Stand-ins for the charts of the documentation, with something that nobody is to read. */
const secret = `apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }}-key }
stringData: { key: "secret-of-{{ .Chart.Version }}" }
`;
const charts: readonly (readonly [name: string, version: string])[] = [
  ['ingress-nginx', '4.11.0'],
  ['ingress-nginx', '4.11.3'],
  ['ingress-nginx', '4.13.0'],
  ['kyverno', '3.2.6'],
];
const service = (name: string, version: string) => ({ name, namespace: name, template: templateName(name, version) });
const tier = { 'cluster-deployment/tier': 'dev' };
const clusterDeployment = (name: string, priority: number, services: object[]) => ({
  apiVersion: 'k0rdent.mirantis.com/v1beta1',
  kind: 'ClusterDeployment',
  metadata: { name, namespace, labels: tier },
  spec: { template: 'sandbox-1-0-0', config: {}, serviceSpec: { services, priority } },
});
const globalIngress = (version: string, priority: number) =>
  multiClusterService('global-ingress', {
    clusterSelector: { matchLabels: tier },
    serviceSpec: { services: [service('ingress-nginx', version)], priority },
  });

for (const kind of hubKindsByTime)
  describe(`k0rdent explained, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('k0rdent-explain');
    let etcd: Etcd;
    let hub: EitherHub;
    let story: K0rdentStory;
    let drover: CommandLine;

    before(async () => {
      etcd = await startEtcd();
      hub = await startEitherHub(kind, etcd);
      story = await startK0rdentStory(hub, scratch.dir);
      drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      for (const [name, version] of charts)
        await story.pushChart(name, version, packedChart(name, version, { 'templates/secret.yaml': secret }));
      await story.apply(...charts.map(([name, version]) => serviceTemplate(name, version)));
      await story.templatesAreValid(...charts.map(([name, version]) => templateName(name, version)));
      await story.apply(
        clusterDeployment('dev-cluster-1', 100, [service('kyverno', '3.2.6'), service('ingress-nginx', '4.11.0')]),
        clusterDeployment('dev-cluster-2', 500, [service('ingress-nginx', '4.11.0')]),
        globalIngress('4.11.3', 300),
      );
      await becomes(clustersReady, 'False Failed 1/2', 'the MultiClusterService');
      await becomes(versions, ['4.11.3', '4.11.0'], 'what the clusters run');
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const clustersReady = async () => conditionOf(await story.mcs('global-ingress'), 'ClusterInReadyState');
    const memberOf = (cluster: string) => kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir: scratch.dir });
    async function versionOn(cluster: string): Promise<string> {
      return (await memberOf(cluster).run('get configmap -n ingress-nginx ingress-nginx -o jsonpath={.data.version}')).stdout;
    }
    const versions = async () => [await versionOn('dev-cluster-1'), await versionOn('dev-cluster-2')];
    function fileOf(object: object): string {
      const file = path.join(scratch.dir, 'edited.json');
      writeFileSync(file, JSON.stringify(object));
      return file;
    }

    test('a loser is told who won with which priority, and what would happen if one left', async () => {
      const one = await drover.expect('explain mcs/global-ingress --cluster dev-cluster-2');
      assert.doesNotMatch(one, /dev-cluster-1/);
      for (const said of [
        /Cluster kcm-system\/dev-cluster-2: Outranked, which is no failure\./,
        /ClusterDeployment kcm-system\/dev-cluster-2 +priority 500 +has the release/,
        /MultiClusterService global-ingress +priority 300 +waits \(this one\)/,
        /since 500 is the\s+highest priority/,
        /If ClusterDeployment kcm-system\/dev-cluster-2 left, MultiClusterService\s+global-ingress would take the release over in place with template\s+ingress-nginx-4-11-3: by an upgrade, without an uninstall\./,
        /If MultiClusterService global-ingress left, nothing would change/,
      ])
        assert.match(one, said);
      await drover.expect('explain mcs/global-ingress', { says: [/Cluster kcm-system\/dev-cluster-1: All is deployed/, 'dev-cluster-2'] });
      await drover.expect('explain cld/dev-cluster-1', { says: [/kyverno\/kyverno/, /since nobody else\s+wants to deliver it/] });
      await drover.expect('explain serviceset/dev-cluster-2', { says: /ClusterDeployment kcm-system\/dev-cluster-2 .*\(this one\)/ });
      const { clusters } = JSON.parse(await drover.expect('explain mcs/global-ingress -o json')) as { clusters: { cluster: string }[] };
      assert.deepEqual(
        clusters.map(({ cluster }) => cluster),
        ['kcm-system/dev-cluster-1', 'kcm-system/dev-cluster-2'],
      );
      await drover.expect('explain mcs/nowhere', { code: 1, says: 'the hub has no MultiClusterService "nowhere"' });
      await drover.expect('explain mcs/global-ingress --cluster nowhere', { code: 1, says: 'is not on cluster "nowhere"' });
    });

    test('a cordoned cluster gets nothing new and says so; a drained one gives back what chose it, until it is uncordoned', async () => {
      const late = multiClusterService('late', {
        clusterSelector: { matchLabels: tier },
        serviceSpec: { services: [{ ...service('kyverno', '3.2.6'), name: 'late' }], priority: 100 },
      });
      const setsOf = async (name: string) =>
        (
          await story.kubectl.expect(
            `get servicesets -n ${namespace} -o jsonpath='{.items[?(@.spec.multiClusterService=="${name}")].spec.cluster}'`,
          )
        )
          .split(' ')
          .sort();
      await drover.expect('cordon cluster dev-cluster-1 --dry-run=server', { says: 'cluster/dev-cluster-1 cordoned (server dry run)' });
      await drover.expect('cordon cluster dev-cluster-1', { says: 'cluster/dev-cluster-1 cordoned\n' });
      await drover.expect('cordon cluster/dev-cluster-1 --error-unchanged', { code: 3, says: 'cluster/dev-cluster-1 already cordoned' });
      await drover.expect('cordon -l nobody=here', { code: 1, says: 'no cluster matches' });
      await drover.expect('cordon', { code: 2, says: 'which cluster is meant is not said' });
      await story.apply(late);
      await becomes(() => setsOf('late'), ['dev-cluster-2'], 'where the late service goes');
      await drover.expect('explain mcs/late --cluster dev-cluster-1', {
        says: /it is cordoned, so\s+that\s+nothing\s+new\s+is\s+placed\s+on\s+it/,
      });
      assert.equal(await versionOn('dev-cluster-1'), '4.11.3', 'what is there stays');

      await drover.expect('drain cluster dev-cluster-1', { code: 2, says: 'there is nobody to ask' });
      const told = await drover.expect('drain cluster dev-cluster-1 --yes', {
        says: [
          'dev-cluster-1: one release goes',
          'goes  ingress-nginx/ingress-nginx of MultiClusterService global-ingress',
          /stays kyverno\/kyverno of ClusterDeployment kcm-system\/dev-cluster-1: its owner names this cluster/,
          'dev-cluster-1: 1 of 1 releases are gone (1/1)',
        ],
      });
      assert.match(told, /cluster\/dev-cluster-1 drained\n/);
      await drover.expect('drain dev-cluster-1 --yes', { says: 'cluster/dev-cluster-1 already drained' });
      await becomes(() => setsOf('global-ingress'), ['dev-cluster-2'], 'who still has the service');
      await becomes(() => versionOn('dev-cluster-1'), '4.11.0', 'what its own ClusterDeployment wants takes over');
      await drover.expect('explain mcs/global-ingress', {
        says: /it is drained, so\s+that\s+what\s+was\s+placed\s+on\s+it\s+goes\s+away/,
      });

      await drover.expect('uncordon cluster dev-cluster-1', { says: 'cluster/dev-cluster-1 uncordoned' });
      await becomes(() => setsOf('global-ingress'), ['dev-cluster-1', 'dev-cluster-2'], 'who has the service again');
      await becomes(() => versionOn('dev-cluster-1'), '4.11.3', 'what is back');
      await becomes(() => setsOf('late'), ['dev-cluster-1', 'dev-cluster-2'], 'where the late service goes now');
      await story.kubectl.expect('delete mcs late --wait=true');
      await becomes(clustersReady, 'False Failed 1/2', 'the MultiClusterService');
    });

    test('what is as it should be has no difference, and an outranked release would not change', async () => {
      await drover.expect('diff mcs/global-ingress', {
        says: 'cluster dev-cluster-2: release ingress-nginx/ingress-nginx stays with ClusterDeployment kcm-system/dev-cluster-2, which has priority 500: nothing would change',
      });
      await memberOf('dev-cluster-1').expect(`patch configmap -n ingress-nginx ingress-nginx -p '{"data":{"greeting":"by hand"}}'`);
      const text = await drover.expect('diff mcs/global-ingress --cluster dev-cluster-1', { code: 1 });
      assert.match(text, /LIVE\/dev-cluster-1\.v1\.ConfigMap\.ingress-nginx\.ingress-nginx/);
      assert.match(text, /^- {2}greeting: by hand\n\+ {2}greeting: hello$/m);
      await memberOf('dev-cluster-1').expect(`patch configmap -n ingress-nginx ingress-nginx -p '{"data":{"greeting":"hello"}}'`);
    });

    test('a change can be looked at before it is made, on every cluster, and shows no secrets', async () => {
      const text = await drover.expect(`diff mcs/global-ingress -f ${fileOf(globalIngress('4.13.0', 900))}`, { code: 1 });
      assert.match(text, /^diff -u -N LIVE\/dev-cluster-1\.v1\.ConfigMap/m);
      assert.match(text, /^-  version: 4\.11\.3\n\+ {2}version: 4\.13\.0$/m);
      assert.match(text, /^diff -u -N LIVE\/dev-cluster-2\.v1\.ConfigMap/m);
      assert.match(text, /^-  version: 4\.11\.0\n\+ {2}version: 4\.13\.0$/m);
      assert.match(text, /^\+ {2}key: '?\*\*\* \(after\)'?$/m);
      for (const value of ['secret-of', Buffer.from('secret-of').toString('base64').slice(0, 10)]) assert.ok(!text.includes(value), text);

      const leaving = { ...globalIngress('4.11.3', 300), spec: { clusterSelector: { matchLabels: { nobody: 'has' } } } };
      await drover.expect(`diff mcs/global-ingress -f ${fileOf(leaving)}`, {
        says: 'cluster dev-cluster-1: release ingress-nginx/ingress-nginx would pass to ClusterDeployment kcm-system/dev-cluster-1 by an upgrade',
      });
      const fresh = multiClusterService('fresh', {
        clusterSelector: { matchLabels: tier },
        serviceSpec: {
          services: [{ ...service('kyverno', '3.2.6'), name: 'policies', values: 'greeting: "{{ .Cluster.metadata.name }}"' }],
        },
      });
      const added = await drover.expect(`diff mcs/fresh -f ${fileOf(fresh)} --cluster dev-cluster-2`, { code: 1 });
      assert.match(added, /^\+ {2}greeting: dev-cluster-2$/m);
      const bad = multiClusterService('fresh', {
        clusterSelector: { matchLabels: tier },
        serviceSpec: { services: [service('none', '1.0.0')] },
      });
      await drover.expect(`diff mcs/fresh -f ${fileOf(bad)}`, { code: 2, says: 'failed to fetch template kcm-system/none-1-0-0' });
      assert.deepEqual(await versions(), ['4.11.3', '4.11.0']);
    });

    test('one that only plans tells what it would do to each release, and does nothing', async () => {
      const trial = multiClusterService('trial', {
        clusterSelector: { matchLabels: tier },
        serviceSpec: {
          services: [service('ingress-nginx', '4.13.0'), { ...service('kyverno', '3.2.6'), name: 'policies' }],
          priority: 400,
          syncMode: 'DryRun',
        },
      });
      await story.apply(trial);
      const reports = async () => {
        const { items } = (await story.get<{ items: ServiceSet[] }>(`servicesets -n ${namespace}`))!;
        const sets = items.filter(({ spec }) => spec.multiClusterService === 'trial');
        return Object.fromEntries(
          sets.map(({ spec, status }) => [
            spec.cluster,
            (status?.releaseReports ?? []).map(one => `${one.releaseName} ${one.action}: ${one.message}`),
          ]),
        );
      };
      const held =
        'ClusterSummary p--dev-cluster-2-sveltos-dev-cluster-2 managing it (ClusterDeployment kcm-system/dev-cluster-2, priority 500)';
      await becomes(
        reports,
        {
          'dev-cluster-1': [
            'ingress-nginx Upgrade: Current version: "ingress-nginx-4.11.3". Would move to version: "ingress-nginx-4.13.0"; the release would be taken over from MultiClusterService global-ingress, priority 300',
            'policies Install: Chart kyverno-3.2.6 would be installed',
          ],
          'dev-cluster-2': [`ingress-nginx Conflict: ${held}`, 'policies Install: Chart kyverno-3.2.6 would be installed'],
        },
        'the reports',
      );
      assert.deepEqual(await versions(), ['4.11.3', '4.11.0']);
      assert.equal(conditionOf(await story.mcs('trial'), 'ClusterInReadyState'), 'False Failed 0/2');
      await drover.expect('explain mcs/trial -C dev-cluster-1', {
        says: [/A delivery would come to Upgrade/, /trial +priority 400 +only plans/],
      });
      const text = await drover.expect('diff mcs/trial', { code: 1, says: 'stays with ClusterDeployment kcm-system/dev-cluster-2' });
      assert.match(text, /^\+ {2}version: 4\.13\.0$/m);
      await story.kubectl.expect('delete mcs trial --timeout 60s');
      assert.deepEqual(await versions(), ['4.11.3', '4.11.0']);
    });

    test('settings of the hub: the layout of the first k0rdent, and outranked counts as served', async () => {
      const listed = (says: RegExp[]) => async () => {
        const { stdout } = await story.kubectl.run(`get clusterdeployments.k0rdent.mirantis.com -n ${namespace} --show-labels`);
        return says.every(one => one.test(stdout)) ? 'as it should' : stdout;
      };
      const data = { 'k0rdent.columns': 'seed', 'k0rdent.outranked': 'satisfied' };
      await story.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'drover-settings', namespace }, data });
      await becomes(
        listed([/^NAME +READY +STATUS +LABELS$/m, /^dev-cluster-1 +True +ClusterDeployment is ready +cluster-deployment\/tier=dev/m]),
        'as it should',
        'the layout of the seed',
      );
      await becomes(clustersReady, 'True Succeeded 2/2', 'an outranked cluster');
      const { status } = (await story.mcs('global-ingress')) as MultiClusterService;
      assert.deepEqual(
        status?.matchingClusters?.map(({ name, deployed, outranked }) => [name, deployed, outranked]),
        [
          ['dev-cluster-1', true, undefined],
          ['dev-cluster-2', true, true],
        ],
      );
      await story.kubectl.expect(`delete configmap drover-settings -n ${namespace}`);
      await becomes(listed([/^NAME +READY +SERVICES +TEMPLATE +MESSAGES +AGE +LABELS$/m]), 'as it should', 'the present layout');
      await becomes(clustersReady, 'False Failed 1/2', 'an outranked cluster again');
    });
  });
