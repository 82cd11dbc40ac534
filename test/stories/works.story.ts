import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Content, contentTypes } from '../../src/api/content.ts';
import { newObject } from '../../src/api/define-kind.ts';
import type { Work } from '../../src/api/work.ts';
import { packChart } from '../../src/sources/pack-chart.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { kubectlFor, words, CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm');
const workloads = { moreControllers: ['deployment-controller', 'replicaset-controller'] };
const patient = { timeoutMs: 60_000, everyMs: 200 };

const template = `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { colour: {{ .Values.colour | quote }}, kube: {{ .Capabilities.KubeVersion.Version | quote }} }
`;

function chartContent(version: string): Content {
  const file = (name: string, text: string) => ({ name, data: Buffer.from(text) });
  const about = file('Chart.yaml', `apiVersion: v2\nname: web\nversion: ${version}\nappVersion: "7"\n`);
  const { bytes, digest } = packChart([about, file('values.yaml', 'colour: none\n'), file('templates/map.yaml', template)], 'story');
  const spec = { type: contentTypes.chart, digest, sizeBytes: bytes.length, data: Buffer.from(bytes).toString('base64') };
  return newObject(Content, { name: digest.replace(':', '-') }, spec);
}

for (const kind of hubKindsByTime)
  describe(`Works, hub: ${kind}`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('works');
    const content = chartContent('1.0.0');
    let etcd: Etcd;
    let joined: RealCluster;
    let imported: RealCluster;
    let hub: EitherHub;
    let kubectl: CommandLine;
    let agent: Program | undefined;
    let agentCommand = '';

    before(async () => {
      etcd = await startEtcd();
      [joined, imported, hub] = await Promise.all([
        startRealMember(etcd, workloads),
        startRealMember(etcd, workloads),
        startEitherHub(kind, etcd, ['--sandbox', '1']),
      ]);
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      const drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      await eventually(() => kubectl.expect('get clusters.drover.io sandbox-1'), Boolean, patient);
      await drover.expect(`join east --kubeconfig ${joined.kubeconfig}`, { says: 'joined' });
      ({ agentCommand } = JSON.parse(await drover.expect('import west -o json')) as { agentCommand: string });
      agent = startAgent();
      await apply(content);
    });
    after(async () => {
      await agent?.stop();
      for (const one of [hub, joined, imported, etcd]) await one?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const startAgent = () =>
      new Program({
        name: 'agent',
        command: path.join(repositoryRoot, 'node_modules/.bin/node'),
        args: [
          path.join(repositoryRoot, 'bin/drover.js'),
          ...words(agentCommand).slice(1),
          ...['--kubeconfig', imported.kubeconfig, '--state', path.join(scratch.dir, 'state')],
        ],
        logFile: path.join(scratch.dir, 'agent.log'),
        env: { HOME: scratch.dir },
      });
    const apply = (obj: object) => kubectl.expect('apply --server-side --force-conflicts -f -', { input: JSON.stringify(obj) });
    const idOf = (cluster: string) =>
      eventually(() => kubectl.expect(`get clusters.drover.io ${cluster} -o jsonpath={.status.id}`), Boolean, patient);
    const memberOf = (cluster: string): { kubectl: CommandLine; helm: CommandLine } => {
      const kubeconfig = { east: joined.kubeconfig, west: imported.kubeconfig }[cluster] ?? hub.memberKubeconfig(cluster);
      const env = { KUBECONFIG: kubeconfig, HOME: scratch.dir };
      return {
        kubectl: kubectlFor('kubectl', { kubeconfig, dir: scratch.dir }),
        helm: new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir }),
      };
    };
    const work = (namespace: string, name: string, spec: object) => ({
      apiVersion: 'drover.io/v1alpha1',
      kind: 'Work',
      metadata: { name, namespace },
      spec: { release: { name: 'web', namespace: 'shop' }, ...spec },
    });
    const chart = { content: content.spec.digest };
    const waitFor = (namespace: string, name: string, condition = 'Ready') =>
      kubectl.expect(`wait works.drover.io ${name} -n ${namespace} --for=condition=${condition} --timeout=60s`, { timeoutMs: 70_000 });

    /** A Deployment whose pods no cluster takes. */
    const ill = [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'ill' },
        spec: {
          selector: { matchLabels: { app: 'ill' } },
          template: {
            metadata: { labels: { app: 'ill' } },
            spec: { serviceAccountName: 'nobody', containers: [{ name: 'c', image: 'ill' }] },
          },
        },
      },
    ];

    for (const cluster of ['sandbox-1', 'east', 'west'])
      test(`on ${cluster}: a chart is installed, upgraded, handed over, handed back and uninstalled`, async () => {
        const ns = await idOf(cluster);
        const member = memberOf(cluster);
        await apply(work(ns, 'ill', { release: { name: 'ill', namespace: 'ill' }, manifests: ill }));
        const colour = () => member.kubectl.expect('get configmap web -n shop -o jsonpath={.data.colour}');
        await apply(work(ns, 'low', { chart, values: { colour: 'red' } }));
        await waitFor(ns, 'low');
        await kubectl.expect('get works -A', { says: [new RegExp(`${ns} +low +${cluster} +True +Healthy +\\d`)] });
        assert.equal(await colour(), 'red');

        await apply(work(ns, 'low', { chart, values: { colour: 'blue' } }));
        await eventually(colour, found => found === 'blue', patient);
        await waitFor(ns, 'low');
        await member.helm.expect('history web -n shop', { says: [/1\s.*superseded/, /2\s.*deployed/] });

        await apply(work(ns, 'high', { chart, values: { colour: 'gold' }, priority: 200 }));
        await waitFor(ns, 'high');
        assert.equal(await colour(), 'gold');
        await waitFor(ns, 'low', 'Outranked');
        await kubectl.expect(`get works -n ${ns} low -o wide`, {
          says: [`Work "high" with priority 200 has release "shop/web" on cluster "${cluster}"`],
        });

        await kubectl.expect(`delete work high -n ${ns} --timeout=60s`, { timeoutMs: 70_000 });
        await eventually(colour, found => found === 'blue', patient);
        await waitFor(ns, 'low');
        await member.helm.expect('history web -n shop', { says: [/4\s.*deployed/] });

        await kubectl.expect(`delete work low -n ${ns} --timeout=60s`, { timeoutMs: 70_000 });
        await member.kubectl.expect('get configmap web -n shop', { code: 1, says: 'not found' });
        assert.doesNotMatch(await member.helm.expect('list -A'), /web/);
      });

    test('one changed value on one cluster touches one cluster', async () => {
      const [one, other] = [await idOf('sandbox-1'), await idOf('east')];
      const manifests = (n: string) => [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' }, data: { n } }];
      for (const ns of [one, other]) await apply(work(ns, 'maps', { manifests: manifests('1') }));
      for (const ns of [one, other]) await waitFor(ns, 'maps');
      const version = () => memberOf('east').kubectl.expect('get configmap n -n shop -o jsonpath={.metadata.resourceVersion}');
      const readWork = async () => JSON.parse(await kubectl.expect(`get work maps -n ${other} -o json`)) as Work;
      const [before, untouched] = [await version(), (await readWork()).metadata.resourceVersion];
      await apply(work(one, 'maps', { manifests: manifests('2') }));
      await eventually(
        () => memberOf('sandbox-1').kubectl.expect('get configmap n -n shop -o jsonpath={.data.n}'),
        found => found === '2',
        patient,
      );
      assert.deepEqual([await version(), (await readWork()).metadata.resourceVersion], [before, untouched]);
    });

    test('what members warn of about what is not well is told on the hub, and what is removed is forgotten', async () => {
      for (const cluster of ['sandbox-1', 'east', 'west']) {
        const ns = await idOf(cluster);
        const about = 'involvedObject.kind=Work,involvedObject.name=ill,reason=FailedCreate';
        const told = await eventually(
          () =>
            kubectl.expect(`get events -n ${ns} -l drover.io/cluster=${cluster} --field-selector ${about} -o jsonpath={.items[*].message}`),
          text => text !== '',
          { ...patient, what: `a warning of ${cluster}` },
        );
        assert.match(told, new RegExp(`^Cluster ${cluster}: ReplicaSet ill/ill-\\w+: Error creating: pods .* is forbidden`));
        assert.doesNotMatch(told, /Cluster.*Cluster/, 'once');
        await kubectl.expect(`describe work ill -n ${ns}`, { says: [/Warning +FailedCreate .*drover\.io\/work +Cluster/] });
        await kubectl.expect(`delete work ill -n ${ns} --timeout=60s`, { timeoutMs: 70_000 });
      }
    });

    test('a hub that is killed has delivered nothing twice, and goes on', async () => {
      const ns = await idOf('east');
      await apply(work(ns, 'kept', { chart, values: { colour: 'red' }, release: { name: 'kept', namespace: 'shop' } }));
      await waitFor(ns, 'kept');
      await hub.restart();
      await apply(work(ns, 'kept', { chart, values: { colour: 'green' }, release: { name: 'kept', namespace: 'shop' } }));
      const { kubectl: onEast, helm } = memberOf('east');
      await eventually(
        () => onEast.expect('get configmap kept -n shop -o jsonpath={.data.colour}'),
        found => found === 'green',
        patient,
      );
      await helm.expect('history kept -n shop', { says: [/2\s.*deployed/] });
    });

    test('an imported cluster that is cut off keeps its Works, also over a restart of its agent, and reports when it is back', async () => {
      const ns = await idOf('west');
      const onWest = memberOf('west').kubectl;
      const colour = () => onWest.expect('get configmap stays -n shop -o jsonpath={.data.colour}');
      const release = { name: 'stays', namespace: 'shop' };
      await apply(work(ns, 'stays', { release, chart, values: { colour: 'red' }, sync: 'CorrectDrift' }));
      await waitFor(ns, 'stays');
      // What the agent keeps for itself is written a moment later.
      await eventually(() => agent!.logTail(50).includes('delivering'));
      hub.program.kill('SIGSTOP');
      try {
        await agent!.stop();
        const paint = (to: string) => onWest.expect(`patch configmap stays -n shop --type merge -p '{"data":{"colour":"${to}"}}'`);
        await paint('grey');
        agent = startAgent();
        await eventually(colour, found => found === 'red', { ...patient, timeoutMs: 90_000 });
        await onWest.expect('delete configmap stays -n shop');
        await eventually(colour, found => found === 'red', patient);
      } finally {
        hub.program.kill('SIGCONT');
      }
      await apply(work(ns, 'stays', { release, chart, values: { colour: 'blue' }, sync: 'CorrectDrift' }));
      await eventually(colour, found => found === 'blue', patient);
      await waitFor(ns, 'stays');
    });

    test('while its agent is away nobody knows how the Works of a cluster are, and the hub says so', async () => {
      const ns = await idOf('west');
      await waitFor(ns, 'stays');
      await agent!.stop();
      await waitFor(ns, 'stays', 'Ready=Unknown');
      await kubectl.expect(`get works -n ${ns} stays -o wide`, { says: ['ClusterUnreachable', 'what runs there goes on'] });
      agent = startAgent();
      await waitFor(ns, 'stays');
    });

    test('Works that lie in no namespace of a cluster say so', async () => {
      await apply(work('default', 'lost', { manifests: [] }));
      await eventually(
        () => kubectl.expect('get work lost -n default -o wide'),
        found => found.includes('No cluster has the namespace "default"'),
        patient,
      );
      await kubectl.expect('delete work lost -n default --timeout=30s');
    });

    test('a cluster that leaves takes its Works along', async () => {
      const ns = await idOf('east');
      await kubectl.expect('delete clusters.drover.io east --timeout=90s', { timeoutMs: 100_000 });
      await kubectl.expect(`get namespace ${ns}`, { code: 1, says: 'not found' });
      await memberOf('east').kubectl.expect('get configmap kept -n shop', { code: 1, says: 'not found' });
    });
  });
