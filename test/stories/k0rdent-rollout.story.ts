import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ConfigMap } from '../../src/api/builtin-kinds.ts';
import type { MultiClusterService } from '../../src/dialects/k0rdent/kinds/multi-cluster-service.ts';
import type { ServiceSet } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import { packedChart } from '../helpers/chart-files.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { objectReader, type ReadObject } from '../helpers/object-reader.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 90_000, everyMs: 100 };
const namespace = 'kcm-system';
const apiVersion = 'k0rdent.mirantis.com/v1beta1';
const versions = ['1.0.0', '1.1.0', '1.2.0', '2.0.0'];
const templateName = (version: string): string => `web-${version.replaceAll('.', '-')}`;

/** Its pods never become ready on the clusters that a value names. */
const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: { matchLabels: { app: {{ .Release.Name }} } }
  template:
    metadata:
      labels: { app: {{ .Release.Name }}, version: {{ .Chart.Version | quote }} }
      {{- if has .Values.cluster .Values.breaksOn }}
      annotations: { sandbox.drover.io/behavior: not-ready }
      {{- end }}
    spec:
      containers: [{ name: web, image: "web:{{ .Chart.Version }}" }]
`;
const chart = (version: string) =>
  packedChart('web', version, {
    'values.yaml': `greeting: hello\ncluster: ""\nbreaksOn: ${version === '2.0.0' ? '[c4]' : '[]'}\n`,
    'templates/deployment.yaml': deployment,
  });

const serviceTemplate = (version: string) => ({
  apiVersion,
  kind: 'ServiceTemplate',
  metadata: { name: templateName(version), namespace },
  spec: { helm: { chartSpec: { chart: 'web', version } } },
});
const clusterDeployment = (name: string, tier: string) => ({
  apiVersion,
  kind: 'ClusterDeployment',
  metadata: { name, namespace, labels: { app: 'web', tier } },
  spec: { template: 'sandbox-1-0-0', config: {} },
});
const fleet = { c1: 'canary', c2: 'canary', c3: 'first', c4: 'first', c5: 'rest', c6: 'rest' };
const names = Object.keys(fleet);

const services = (version: string) => [
  {
    name: 'web',
    namespace: 'web',
    template: templateName(version),
    values: 'cluster: {{ .Cluster.metadata.name }}\n',
    helmOptions: { timeout: '6s' },
  },
];
const web = (version: string) => ({
  apiVersion,
  kind: 'MultiClusterService',
  metadata: { name: 'web' },
  spec: {
    clusterSelector: { matchLabels: { app: 'web' } },
    serviceSpec: { services: services(version) },
    rollout: {
      waves: [
        { name: 'canary', clusterSelector: { matchLabels: { tier: 'canary' } }, maxConcurrency: 1, soak: '2s' },
        { name: 'first', count: '34%' },
        { name: 'rest', remainder: true },
      ],
      maxUnavailable: 2,
      onFailure: 'Rollback',
    },
  },
});

for (const kind of hubKindsByTime)
  describe(`rollouts of a MultiClusterService, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('k0rdent-rollout');
    let etcd: Etcd;
    let hub: EitherHub;
    let kubectl: CommandLine;
    let get: ReadObject;
    const readers = new Map<string, ReadObject>();
    let drover: ReturnType<typeof droverFor>;

    before(async () => {
      etcd = await startEtcd();
      hub = await startEitherHub(kind, etcd);
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      get = objectReader(kubectl, hub.kubeconfig);
      drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      mkdirSync(path.join(scratch.dir, 'charts'));
      await eventually(
        () => kubectl.run(`get clustertemplates -n ${namespace} sandbox-1-0-0 -o jsonpath={.status.valid}`),
        ({ stdout }) => stdout === 'true',
        patient,
      );
      for (const version of versions) {
        const file = path.join(scratch.dir, 'charts', `web-${version}.tgz`);
        writeFileSync(file, chart(version));
        await drover.expect(`chart push ${file}`, { says: 'pushed' });
      }
      await apply(...versions.map(serviceTemplate), ...Object.entries(fleet).map(([name, tier]) => clusterDeployment(name, tier)));
    });
    after(async () => {
      await hub?.[Symbol.asyncDispose]();
      await etcd?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    let files = 0;
    async function apply(...objects: object[]): Promise<void> {
      const file = path.join(scratch.dir, `apply-${++files}.json`);
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
      await kubectl.expect(`apply -f ${file}`);
    }

    const rollout = async () => (await get<MultiClusterService>('mcs web'))?.status?.rollout;
    const merge = (patch: object) => kubectl.expect(`patch mcs web --type merge -p '${JSON.stringify(patch)}'`);
    const wants = (version: string) => merge({ spec: { serviceSpec: { services: services(version) } } });

    async function phaseBecomes(phase: string): Promise<void> {
      const seen = new Set<string>();
      await eventually(
        async () => {
          const now = await rollout();
          if (now?.message) seen.add(`${now.phase}: ${now.message}`);
          return now?.phase;
        },
        found => found === phase,
        { ...patient, what: `phase ${phase}` },
      ).catch((cause: unknown) => {
        throw new Error(`the rollout was:\n${[...seen].join('\n')}`, { cause });
      });
    }

    /** What the clusters were last told, by their ServiceSets. */
    async function told(): Promise<Record<string, string | undefined>> {
      const { items } = (await get<{ items: ServiceSet[] }>(`servicesets -n ${namespace}`))!;
      return Object.fromEntries(items.map(({ spec }) => [spec.cluster, spec.services?.[0]?.template]));
    }

    const memberOf = (cluster: string) => kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(cluster), dir: scratch.dir });

    /** The version that a cluster has, as its release says. */
    async function versionOn(cluster: string): Promise<string | undefined> {
      let reader = readers.get(cluster);
      if (!reader) readers.set(cluster, (reader = objectReader(memberOf(cluster), hub.memberKubeconfig(cluster))));
      return (await reader<ConfigMap>('configmap -n web web'))?.data?.['version'];
    }
    const versionsNow = async () => Object.fromEntries(await Promise.all(names.map(async name => [name, await versionOn(name)])));
    const allAt = (version: string) => Object.fromEntries(names.map(name => [name, version]));

    /** Nobody has the change before all waves ahead are through. */
    function assertOrder(state: NonNullable<Awaited<ReturnType<typeof rollout>>>): void {
      const begun = state.waves.findLastIndex(wave => wave.clusters.some(one => one.state === 'Running' || one.state === 'Succeeded'));
      for (const wave of state.waves.slice(0, Math.max(0, begun)))
        assert.equal(wave.phase, 'Done', `${wave.name} before ${state.waves[begun]!.name}`);
    }

    test('the first revision comes wave by wave', async () => {
      await apply(web('1.0.0'));
      await phaseBecomes('Succeeded');
      await kubectl.expect('wait --for=condition=RolledOut mcs/web --timeout=10s');
      assert.deepEqual(await versionsNow(), allAt('1.0.0'));
      const state = (await rollout())!;
      assert.deepEqual(
        state.waves.map(wave => `${wave.name} ${wave.phase}: ${wave.clusters.map(one => one.name).join(' ')}`),
        [
          `canary Done: ${namespace}/c1 ${namespace}/c2`,
          `first Done: ${namespace}/c3 ${namespace}/c4`,
          `rest Done: ${namespace}/c5 ${namespace}/c6`,
        ],
      );
      await eventually(
        () => kubectl.run('get mcs web'),
        ({ stdout }) => /^web +6\/6 /m.test(stdout),
        patient,
      );
    });

    test('a change waits while it is paused, goes on when it is resumed, and survives a hub that is killed', async () => {
      await merge({ spec: { rollout: { paused: true }, serviceSpec: { services: services('1.1.0') } } });
      await phaseBecomes('Paused');
      assert.deepEqual(await told(), allAt('web-1-0-0'));
      await drover.expect('rollout resume mcs/web', { says: 'multiclusterservice.k0rdent.mirantis.com/web resumed' });
      const half = await eventually(rollout, now => now?.waves[0]?.clusters[0]?.state === 'Soaking', patient);
      assertOrder(half!);
      await hub.restart();
      await eventually(
        async () => {
          const now = await rollout();
          if (now) assertOrder(now);
          return now?.phase;
        },
        phase => phase === 'Succeeded',
        patient,
      );
      assert.deepEqual(await versionsNow(), allAt('1.1.0'));
      assert.ok((await rollout())!.previous, 'the revision before is remembered');
    });

    test('a version that breaks more clusters than may break is put back everywhere', async () => {
      const before = (await rollout())!;
      await wants('2.0.0');
      await phaseBecomes('RolledBack');
      const state = (await rollout())!;
      assert.deepEqual([state.verified, state.rollbackTo], [before.verified, before.verified]);
      assert.deepEqual(
        state.waves.flatMap(wave => wave.clusters.map(one => one.state)),
        ['RolledBack', 'RolledBack', 'RolledBack', 'RolledBack', 'Aborted', 'Aborted'],
      );
      assert.deepEqual(await versionsNow(), allAt('1.1.0'));
      assert.equal(
        (await memberOf('c5').expect('get replicasets -n web -o name')).trim().split('\n').length,
        2,
        'c5 never had the broken one',
      );
      const { code, stdout } = await drover.run('rollout status mcs/web');
      assert.notEqual(code, 0);
      assert.match(
        stdout,
        new RegExp(`Revision ${state.revision} was put back to ${before.verified}; no more start: 1 failed in wave first, 0 may`),
      );
      await eventually(
        async () =>
          (await get<MultiClusterService>('mcs web'))?.status?.matchingClusters?.map(one => `${one.name} ${one.deployed} ${one.reason}`),
        found => found?.every(one => / false RolledBack$/.test(one)) === true,
        patient,
      );
    });

    test('a cluster that comes meanwhile gets what is verified', async () => {
      await apply(clusterDeployment('c7', 'rest'));
      await eventually(
        () => versionOn('c7'),
        found => found === '1.1.0',
        patient,
      );
    });

    test('a cluster that is held stays as it is, and catches up when it is let go', async () => {
      await kubectl.expect(`annotate cld -n ${namespace} c3 drover.io/hold=true`);
      await wants('1.2.0');
      await phaseBecomes('Succeeded');
      assert.deepEqual(await versionsNow(), { ...allAt('1.2.0'), c3: '1.1.0' });
      await kubectl.expect(`annotate cld -n ${namespace} c3 drover.io/hold-`);
      await eventually(
        () => versionOn('c3'),
        found => found === '1.2.0',
        patient,
      );
    });

    test('a rollout that succeeded can be undone, and tried again', async () => {
      const { previous, revision } = (await rollout())!;
      await drover.expect('rollout undo mcs/web', { says: `is asked to go back to revision ${previous}` });
      await phaseBecomes('RolledBack');
      assert.deepEqual(await versionsNow(), allAt('1.1.0'));
      await drover.expect('rollout retry mcs/web', { says: 'is asked to begin again' });
      await drover.expect('rollout status mcs/web', { says: new RegExp(`Revision ${revision} is on 7 of 7 clusters`) });
      assert.deepEqual(await versionsNow(), allAt('1.2.0'));
      const { stderr } = await drover.run('rollout abort mcs/web');
      assert.match(stderr, /a rollout that is Succeeded cannot be aborted/);
    });

    test('what becomes unhealthy while a wave soaks is put back', async () => {
      await merge({
        spec: {
          rollout: {
            waves: [
              { name: 'canary', clusterNames: ['c1'], soak: '10m' },
              { name: 'rest', remainder: true },
            ],
          },
        },
      });
      await wants('1.0.0');
      await phaseBecomes('Soaking');
      const annotations = { 'sandbox.drover.io/behavior': 'not-ready' };
      const broken = { spec: { strategy: { type: 'Recreate', rollingUpdate: null }, template: { metadata: { annotations } } } };
      await memberOf('c1').expect(`patch deployment -n web web -p '${JSON.stringify(broken)}'`);
      await eventually(rollout, now => now?.phase === 'RollingBack' || now?.phase === 'RolledBack', patient);
      assert.match((await rollout())!.breach!.message, /1 failed in wave canary, 0 may/);
      assert.equal(await versionOn('c2'), '1.2.0');
      // What somebody else wrote is not the chart's to take away.
      const mended = { spec: { template: { metadata: { annotations: { 'sandbox.drover.io/behavior': null } } } } };
      await memberOf('c1').expect(`patch deployment -n web web -p '${JSON.stringify(mended)}'`);
      await phaseBecomes('RolledBack');
      assert.equal(await versionOn('c1'), '1.2.0');
    });

    test('without rollout all clusters get it at once, and nothing is remembered', async () => {
      await merge({ spec: { rollout: null, serviceSpec: { services: services('1.1.0') } } });
      await eventually(versionsNow, found => JSON.stringify(found) === JSON.stringify(allAt('1.1.0')), patient);
      await eventually(rollout, found => found === undefined, patient);
    });
  });
