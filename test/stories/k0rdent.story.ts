import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ConfigMap } from '../../src/api/builtin-kinds.ts';
import type { ClusterDeployment } from '../../src/dialects/k0rdent/kinds/cluster-deployment.ts';
import type { MultiClusterService } from '../../src/dialects/k0rdent/kinds/multi-cluster-service.ts';
import type { ServiceSet } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { droverFor } from '../helpers/drover.ts';
import { otherHubKindByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { objectReader, type ReadObject } from '../helpers/object-reader.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 60_000, everyMs: 100 };
const namespace = 'kcm-system';
const apiVersion = 'k0rdent.mirantis.com/v1beta1';

/** Small charts that stand in for the real ones: what matters here is who deploys which version where. */
const charts: readonly (readonly [name: string, version: string])[] = [
  ['ingress-nginx', '4.11.0'],
  ['ingress-nginx', '4.11.3'],
  ['ingress-nginx', '4.13.0'],
  ['kyverno', '3.2.6'],
  ['cert-manager', '1.18.2'],
  ['postgres-operator', '1.14.0'],
];
const templateName = (name: string, version: string): string => `${name}-${version.replaceAll('.', '-')}`;

const serviceTemplate = (chart: string, version: string) => ({
  apiVersion,
  kind: 'ServiceTemplate',
  metadata: { name: templateName(chart, version), namespace },
  spec: { helm: { chartSpec: { chart, version } } },
});
const service = (name: string, template: string, more: object = {}) => ({ name, namespace: name, template, ...more });
const clusterDeployment = (name: string, labels: Record<string, string>, serviceSpec: object) => ({
  apiVersion,
  kind: 'ClusterDeployment',
  metadata: { name, namespace, labels },
  spec: { template: 'sandbox-1-0-0', config: {}, serviceSpec },
});
const multiClusterService = (name: string, spec: object) => ({ apiVersion, kind: 'MultiClusterService', metadata: { name }, spec });

const tier = { 'cluster-deployment/tier': 'dev' };
const own1 = [service('kyverno', 'kyverno-3-2-6'), service('ingress-nginx', 'ingress-nginx-4-11-0')];
const own2 = [service('ingress-nginx', 'ingress-nginx-4-11-0')];
const globalIngress = multiClusterService('global-ingress', {
  clusterSelector: { matchLabels: tier },
  serviceSpec: { services: [service('ingress-nginx', 'ingress-nginx-4-11-3')], priority: 300 },
});

for (const kind of otherHubKindByTime)
  describe(`k0rdent, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('k0rdent');
    let etcd: Etcd;
    let adopted: RealCluster;
    let hub: EitherHub;
    let kubectl: CommandLine;
    let get: ReadObject;
    const readers = new Map<string, ReadObject>();

    before(async () => {
      etcd = await startEtcd();
      [adopted, hub] = await Promise.all([startRealMember(etcd), startEitherHub(kind, etcd)]);
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      get = objectReader(kubectl, hub.kubeconfig);
      const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      mkdirSync(path.join(scratch.dir, 'charts'));
      await eventually(
        () => kubectl.run(`get clustertemplates -n ${namespace} sandbox-1-0-0`),
        ({ code }) => code === 0,
        patient,
      );
      for (const [name, version] of charts) {
        const file = path.join(scratch.dir, 'charts', `${name}-${version}.tgz`);
        writeFileSync(file, packedChart(name, version));
        await drover.expect(`chart push ${file}`, { says: 'pushed' });
      }
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await adopted?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    let files = 0;
    async function apply(...objects: object[]): Promise<void> {
      const file = path.join(scratch.dir, `apply-${++files}.json`);
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      await kubectl.expect(`apply -f ${file}`);
    }

    const cd = (name: string) => get<ClusterDeployment>(`clusterdeployment -n ${namespace} ${name}`);
    const mcs = (name: string) => get<MultiClusterService>(`multiclusterservice ${name}`);

    /** Waits until what is said is so, and shows what it was instead when it never is. */
    async function becomes<T>(read: () => Promise<T>, expected: T, what: string): Promise<void> {
      let last: T | undefined;
      try {
        await eventually(
          async () => (last = await read()),
          found => JSON.stringify(found) === JSON.stringify(expected),
          { ...patient, what },
        );
      } catch {
        assert.deepEqual(last, expected, what);
      }
    }

    const condition = (
      obj: { status?: { conditions?: readonly { type: string; status: string; reason: string; message: string }[] } } | undefined,
      type: string,
    ) => {
      const found = obj?.status?.conditions?.find(one => one.type === type);
      return found && `${found.status} ${found.reason} ${found.message}`.trim();
    };

    /** Of every ServiceSet: its services, whether it is deployed, and the count. */
    async function setsNow(): Promise<Record<string, string>> {
      const { items } = (await get<{ items: ServiceSet[] }>(`servicesets -n ${namespace}`))!;
      return Object.fromEntries(
        items.map(({ metadata, status }) => {
          const services = (status?.services ?? []).map(one => `${one.template} ${one.failureMessage ?? one.state}`);
          const count = status?.conditions?.find(one => one.type === 'ServicesInReadyState')?.message;
          return [metadata.name, `${services.join(', ')}; ${status?.deployed} ${count}`];
        }),
      );
    }

    /** The version of a chart that a cluster has, as its release says. */
    async function versionOn(cluster: string, release: string): Promise<string | undefined> {
      let reader = readers.get(cluster);
      if (!reader) readers.set(cluster, (reader = objectReader(kubectl, hub.memberKubeconfig(cluster))));
      return (await reader<ConfigMap>(`configmap -n ${release} ${release}`))?.data?.['version'];
    }
    const versions = async () => ({
      kyverno1: await versionOn('dev-cluster-1', 'kyverno'),
      ingress1: await versionOn('dev-cluster-1', 'ingress-nginx'),
      ingress2: await versionOn('dev-cluster-2', 'ingress-nginx'),
    });
    const says = (set: string, cluster: string, owner: string, priority: number) =>
      `ClusterSummary p--${set}-sveltos-${cluster} managing it (${owner}, priority ${priority})`;
    const byMcs1 = says('dev-cluster-1-bb74fe23', 'dev-cluster-1', 'MultiClusterService global-ingress', 300);
    const byCd2 = says('dev-cluster-2', 'dev-cluster-2', 'ClusterDeployment kcm-system/dev-cluster-2', 500);
    const seedSets = {
      'dev-cluster-1': `ingress-nginx-4-11-0 ${byMcs1}, kyverno-3-2-6 Deployed; false 1/2`,
      'dev-cluster-1-bb74fe23': 'ingress-nginx-4-11-3 Deployed; true 1/1',
      'dev-cluster-2': 'ingress-nginx-4-11-0 Deployed; true 1/1',
      'dev-cluster-2-bb74fe23': `ingress-nginx-4-11-3 ${byCd2}; false 0/1`,
    };
    const mcsNow = async () => {
      const found = await mcs('global-ingress');
      return {
        clusters: condition(found, 'ClusterInReadyState'),
        ready: condition(found, 'Ready'),
        matching: (found?.status?.matchingClusters ?? []).map(
          one => `${one.kind} ${one.namespace}/${one.name} ${one.deployed} ${one.regional}`,
        ),
      };
    };

    test('the example of the documentation, in any order, has the outcome that the documentation says', async () => {
      const example = [
        globalIngress,
        clusterDeployment('dev-cluster-1', tier, { services: own1, priority: 100 }),
        clusterDeployment('dev-cluster-2', tier, { services: own2, priority: 500 }),
        ...charts.map(([name, version]) => serviceTemplate(name, version)),
      ];
      // As in k0rdent, a ClusterDeployment is refused until its templates are there. The same command again does the rest.
      await apply(...example).then(
        () => assert.fail('ClusterDeployments need their templates'),
        (error: Error) => assert.match(error.message, /some services have invalid templates/),
      );
      await apply(...example);
      await becomes(setsNow, seedSets, 'the ServiceSets');
      await becomes(versions, { kyverno1: '3.2.6', ingress1: '4.11.3', ingress2: '4.11.0' }, 'what the clusters run');
      const seen = async (name: string) => {
        const found = await cd(name);
        return {
          ready: condition(found, 'Ready'),
          services: condition(found, 'ServicesInReadyState'),
          states: (found?.status?.services ?? []).map(one => `${one.template} ${one.state}`),
        };
      };
      const isReady = 'True Succeeded Object is ready';
      await becomes(
        () => seen('dev-cluster-1'),
        {
          ready: isReady,
          services: 'True Succeeded 2/2',
          states: ['ingress-nginx-4-11-0 Failed', 'ingress-nginx-4-11-3 Deployed', 'kyverno-3-2-6 Deployed'],
        },
        'dev-cluster-1',
      );
      await becomes(
        () => seen('dev-cluster-2'),
        { ready: isReady, services: 'True Succeeded 1/1', states: ['ingress-nginx-4-11-0 Deployed', 'ingress-nginx-4-11-3 Failed'] },
        'dev-cluster-2',
      );
      await becomes(
        mcsNow,
        {
          clusters: 'False Failed 1/2',
          ready: 'False Failed 1/2 Clusters are ready.',
          matching: ['ClusterDeployment kcm-system/dev-cluster-1 true false', 'ClusterDeployment kcm-system/dev-cluster-2 false false'],
        },
        'the MultiClusterService',
      );
      const found = await mcs('global-ingress');
      for (const type of ['ServicesReferencesValidation', 'ServicesDependencyValidation', 'MultiClusterServiceDependencyValidation'])
        assert.equal(condition(found, type), 'True Succeeded');
      assert.deepEqual(found?.status?.servicesUpgradePaths, [
        {
          name: 'ingress-nginx',
          namespace: 'ingress-nginx',
          template: 'ingress-nginx-4-11-3',
          availableUpgrades: [{ versions: [{ name: 'ingress-nginx-4-11-3', version: 'ingress-nginx-4-11-3' }] }],
        },
      ]);
      await kubectl.expect(`get clusterdeployments.k0rdent.mirantis.com -n ${namespace} --show-labels`, {
        says: [
          /^NAME +READY +SERVICES +TEMPLATE +MESSAGES +AGE +LABELS$/m,
          /^dev-cluster-1 +True +2\/2 +sandbox-1-0-0 +Object is ready .*cluster-deployment\/tier=dev,k0rdent.mirantis.com\/component=kcm$/m,
        ],
      });
      await kubectl.expect('get mgmt', { says: /^kcm +True +drover /m });
      await kubectl.expect('get mcs', { says: /^global-ingress +1\/2 /m });
    });

    const setPriority = (serviceSpec: JsonObject) =>
      kubectl.expect(`patch cld -n ${namespace} dev-cluster-1 --type merge -p '${JSON.stringify({ spec: { serviceSpec } })}'`);

    test('an equal priority does not take a release over, a higher one does, and the config of the provider counts', async () => {
      await setPriority({ priority: 300 });
      await becomes(
        async () => (await get<ServiceSet>(`serviceset -n ${namespace} dev-cluster-1`))?.spec.provider.config?.['priority'],
        300,
        'the priority',
      );
      await becomes(setsNow, seedSets, 'the ServiceSets');
      assert.equal(await versionOn('dev-cluster-1', 'ingress-nginx'), '4.11.3');

      await setPriority({ priority: 301 });
      await becomes(() => versionOn('dev-cluster-1', 'ingress-nginx'), '4.11.0', 'the version');
      await becomes(async () => (await mcsNow()).clusters, 'False Failed 0/2', 'the MultiClusterService');

      await setPriority({ priority: 900, provider: { config: { priority: 299 } } });
      await becomes(() => versionOn('dev-cluster-1', 'ingress-nginx'), '4.11.3', 'the version');
      await becomes(async () => (await mcsNow()).clusters, 'False Failed 1/2', 'the MultiClusterService');
    });

    test('when the MultiClusterService goes, its release goes back to the ClusterDeployment by an upgrade', async () => {
      const member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig('dev-cluster-1'), dir: scratch.dir });
      const uid = await member.expect('get configmap -n ingress-nginx ingress-nginx -o jsonpath={.metadata.uid}');
      await kubectl.expect('delete mcs global-ingress --timeout 60s');
      await becomes(() => versionOn('dev-cluster-1', 'ingress-nginx'), '4.11.0', 'the version');
      assert.equal(await member.expect('get configmap -n ingress-nginx ingress-nginx -o jsonpath={.metadata.uid}'), uid);
      await becomes(
        setsNow,
        {
          'dev-cluster-1': 'ingress-nginx-4-11-0 Deployed, kyverno-3-2-6 Deployed; true 2/2',
          'dev-cluster-2': 'ingress-nginx-4-11-0 Deployed; true 1/1',
        },
        'the ServiceSets',
      );
    });

    const mcs1 = multiClusterService('mcs1', {
      clusterSelector: { matchLabels: { owner: 'dev-team' } },
      serviceSpec: { services: [service('cert-manager', 'cert-manager-1-18-2')] },
    });
    const mcs2 = multiClusterService('mcs2', {
      clusterSelector: { matchLabels: { owner: 'dev-team' } },
      dependsOn: ['mcs1'],
      serviceSpec: {
        services: [
          service('postgres-operator', 'postgres-operator-1-14-0', { dependsOn: [{ name: 'ingress-nginx', namespace: 'ingress-two' }] }),
          service('ingress-nginx', 'ingress-nginx-4-13-0', { namespace: 'ingress-two' }),
        ],
      },
    });
    const label = (name: string, labels: string) => kubectl.expect(`label cld -n ${namespace} ${name} --overwrite ${labels}`);
    const setNames = async () => Object.keys(await setsNow());

    test('one MultiClusterService waits for another, cluster by cluster, and its services for each other', async () => {
      await apply(mcs2);
      await becomes(
        async () => condition(await mcs('mcs2'), 'MultiClusterServiceDependencyValidation'),
        'False Failed dependency /mcs1 of /mcs2 is not defined',
        'mcs2 without mcs1',
      );
      // No cluster has the label, so mcs1 has nothing to do anywhere.
      await apply(mcs1);
      await becomes(async () => condition(await mcs('mcs2'), 'ClusterInReadyState'), 'True Succeeded 0/0', 'mcs2 without clusters');

      // The set of mcs1 rests, so nothing of mcs2 comes.
      await kubectl.expect('patch smp ksm-projectsveltos --type merge -p \'{"spec":{"suspend":true}}\'');
      await label('dev-cluster-1', 'owner=dev-team');
      await becomes(
        async () => (await mcs('mcs2'))?.status?.matchingClusters?.map(one => one.message),
        ['skipping create/update of ServiceSet for matching cluster kcm-system/dev-cluster-1: waiting on mcs1 (0/1 services deployed)'],
        'what mcs2 waits for',
      );
      assert.equal(
        condition(await mcs('mcs2'), 'MultiClusterServiceDependencyReady'),
        'False MultiClusterServiceDependencyNotReady waiting for MultiClusterService dependencies to be ready on 1 matching cluster(s)',
      );
      assert.deepEqual(await setNames(), ['dev-cluster-1', 'dev-cluster-1-3556efa5', 'dev-cluster-2']);

      await kubectl.expect('patch smp ksm-projectsveltos --type merge -p \'{"spec":{"suspend":false}}\'');
      await becomes(async () => condition(await mcs('mcs2'), 'Ready'), 'True Succeeded Object is ready', 'mcs2');
      assert.equal(
        (await setsNow())['dev-cluster-1-fc79ea26'],
        'ingress-nginx-4-13-0 Deployed, postgres-operator-1-14-0 Deployed; true 2/2',
      );
      assert.equal(await versionOn('dev-cluster-1', 'postgres-operator'), '1.14.0');
    });

    test('a MultiClusterService on which another depends is not deleted', async () => {
      await kubectl.expect('delete mcs mcs1 --wait=false');
      await becomes(
        async () => condition(await mcs('mcs1'), 'MultiClusterServiceDependencyValidation'),
        'False Failed failed to delete MultiClusterService /mcs1 because 1 other MultiClusterServices depend on it',
        'mcs1',
      );
      assert.equal(await versionOn('dev-cluster-1', 'cert-manager'), '1.18.2');
      await kubectl.expect('delete mcs mcs2 --timeout 60s');
      await becomes(setNames, ['dev-cluster-1', 'dev-cluster-2'], 'the ServiceSets');
      await becomes(() => mcs('mcs1'), undefined, 'mcs1');
      assert.equal(await versionOn('dev-cluster-1', 'postgres-operator'), undefined);
    });

    test('labels bring services and take them away, unless they are to be kept; an empty selector matches nothing', async () => {
      const wanted = (selector: object, more: object = {}) =>
        multiClusterService('extra', {
          clusterSelector: selector,
          serviceSpec: { services: [service('extra', 'kyverno-3-2-6')] },
          ...more,
        });
      await apply(wanted({}));
      await becomes(async () => condition(await mcs('extra'), 'ClusterInReadyState'), 'True Succeeded 0/0', 'an empty selector');
      const expressions = [
        { key: 'zone', operator: 'In', values: ['a', 'b'] },
        { key: 'old', operator: 'DoesNotExist' },
      ];
      await apply(wanted({ matchExpressions: expressions }));
      await label('dev-cluster-2', 'zone=b');
      await becomes(() => versionOn('dev-cluster-2', 'extra'), '3.2.6', 'the service on a cluster that matches');
      await label('dev-cluster-2', 'old=yes');
      await becomes(() => versionOn('dev-cluster-2', 'extra'), undefined, 'the service on one that does not any more');

      await apply(wanted({ matchExpressions: expressions }, { keepServicesOnSelectorMismatch: true }));
      await label('dev-cluster-2', 'old-');
      await becomes(async () => condition(await mcs('extra'), 'ClusterInReadyState'), 'True Succeeded 1/1', 'one that matches again');
      await label('dev-cluster-2', 'zone=c');
      await becomes(
        async () => ({
          clusters: condition(await mcs('extra'), 'ClusterInReadyState'),
          listed: (await mcs('extra'))?.status?.matchingClusters,
        }),
        { clusters: 'True Succeeded 0/0', listed: [] },
        'one whose services are kept',
      );
      assert.equal(await versionOn('dev-cluster-2', 'extra'), '3.2.6');
      await kubectl.expect('delete mcs extra --timeout 60s');
      await becomes(() => versionOn('dev-cluster-2', 'extra'), undefined, 'the service when its owner goes');
    });

    test('a missing template in another namespace fails that cluster alone', async () => {
      await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
      const other = clusterDeployment('elsewhere', { team: 'x' }, {});
      const elsewhere = { ...other, metadata: { ...other.metadata, namespace: 'team' } };
      await assert.rejects(apply(elsewhere), /the ClusterTemplate team\/sandbox-1-0-0 is not found in namespace team/);
      await apply({
        apiVersion,
        kind: 'ClusterTemplateChain',
        metadata: { name: 'sandboxes', namespace },
        spec: { supportedTemplates: [{ name: 'sandbox-1-0-0' }] },
      });
      const rules = [{ targetNamespaces: { list: ['team'] }, clusterTemplateChains: ['sandboxes'] }];
      await kubectl.expect(`patch am kcm --type merge -p '${JSON.stringify({ spec: { accessRules: rules } })}'`);
      await eventually(
        () => kubectl.run('get clustertemplate -n team sandbox-1-0-0'),
        ({ code }) => code === 0,
        patient,
      );
      await apply(elsewhere);
      await apply(
        multiClusterService('both', {
          clusterSelector: { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
          serviceSpec: { services: [service('both', 'kyverno-3-2-6')] },
        }),
      );
      await label('dev-cluster-2', 'team=y');
      await becomes(
        async () =>
          (await mcs('both'))?.status?.matchingClusters?.map(one => `${one.namespace}/${one.name} ${one.deployed} ${one.message}`),
        [
          'kcm-system/dev-cluster-2 true undefined',
          'team/elsewhere false failed to fetch template team/kyverno-3-2-6: ServiceTemplate "kyverno-3-2-6" not found',
        ],
        'the clusters of the MultiClusterService',
      );
      await kubectl.expect('delete mcs both --timeout 60s');
      await kubectl.expect('delete cld -n team elsewhere --timeout 60s');
    });

    test('a ClusterDeployment that goes takes its services and its cluster along', async () => {
      await kubectl.expect(`delete cld -n ${namespace} dev-cluster-1 --timeout 60s`);
      await becomes(setNames, ['dev-cluster-2'], 'the ServiceSets');
      await kubectl.expect('get clusters.drover.io dev-cluster-1', { code: 1, says: 'not found' });
    });

    test('a cluster is adopted with the kubeconfig of a Credential, and is left behind without a trace', async () => {
      const secret = (text: string) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'adopted-kubeconfig', namespace },
        stringData: { value: text },
      });
      const identityRef = { apiVersion: 'v1', kind: 'Secret', name: 'adopted-kubeconfig', namespace };
      const deployment = clusterDeployment('adopted', {}, { services: [service('web', 'kyverno-3-2-6')] });
      await apply(
        secret(readFileSync(adopted.kubeconfig, 'utf8').replace(/https:\/\/[^\s"']+/, 'https://127.0.0.1:1')),
        { apiVersion, kind: 'Credential', metadata: { name: 'adopted', namespace }, spec: { identityRef } },
        { ...deployment, spec: { ...deployment.spec, template: 'adopted-cluster-1-0-1', credential: 'adopted' } },
      );
      await eventually(
        async () => condition(await cd('adopted'), 'Ready') ?? '',
        text => text.startsWith('False Failed cannot adopt the cluster: '),
        { ...patient, what: 'a kubeconfig that leads nowhere' },
      );
      await apply(secret(readFileSync(adopted.kubeconfig, 'utf8')));
      await becomes(async () => condition(await cd('adopted'), 'Ready'), 'True Succeeded Object is ready', 'the adopted cluster');
      assert.match((await cd('adopted'))?.status?.k8sVersion ?? '', /^v1\./);
      const member = kubectlFor('kubectl', { kubeconfig: adopted.kubeconfig, dir: scratch.dir });
      await member.expect('get configmap -n web web -o jsonpath={.data.version}', { says: '3.2.6' });
      await kubectl.expect(`delete cld -n ${namespace} adopted --timeout 90s`);
      await member.expect('get configmap -n web web', { code: 1, says: 'not found' });
      await kubectl.expect('get clusters.drover.io adopted', { code: 1, says: 'not found' });
    });
  });
