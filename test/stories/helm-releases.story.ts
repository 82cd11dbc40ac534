import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ConfigMap, Secret } from '../../src/api/builtin-kinds.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { openMember, type Member } from '../../src/core/delivery/member.ts';
import { deliverRelease } from '../../src/core/releases/deliver-release.ts';
import type { HelmRelease, ReleaseKey } from '../../src/core/releases/helm-release.ts';
import { readReleases } from '../../src/core/releases/read-releases.ts';
import type { ReleaseContext } from '../../src/core/releases/release-input.ts';
import { uninstallRelease } from '../../src/core/releases/uninstall-release.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { eventually } from '../helpers/eventually.ts';
import { CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { chartInput, clientOf, configMap, historyOf, hookJob, Job, withChartYaml, type ChartFiles } from '../helpers/release-rig.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';

const skip = missingRig('helm', 'etcd', 'kube-apiserver', 'kube-controller-manager') ?? false;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: front, labels: { tier: {{ .Values.tier | default "web" }} } }
spec:
  replicas: {{ .Values.replicas | default 1 }}
  selector: { matchLabels: { app: front } }
  template:
    metadata: { labels: { app: front } }
    spec:
      containers:
        - name: front
          image: nginx
          {{- with .Values.env }}
          env: {{- toYaml . | nindent 12 }}
          {{- end }}
`;
/** The chart of a record, without the times of its files and without an order among them. */
function essenceOf({ chart }: HelmRelease) {
  const recorded = JSON.parse(chart.parts.join('')) as Record<
    'templates' | 'files',
    { name: string; data: string; modtime?: string }[] | null
  > &
    JsonObject;
  const { modtime: _, schemamodtime: __, ...rest } = recorded as JsonObject;
  const plain = (all: { name: string; data: string }[] | null) => (all ?? []).map(({ name, data }) => `${name} ${data}`).sort();
  return { ...rest, templates: plain(recorded.templates), files: plain(recorded.files) };
}

const files: ChartFiles = {
  'templates/front.yaml': deployment,
  'templates/settings.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\ndata: {{ .Values.settings | toJson }}\n`,
  'templates/NOTES.txt': 'Thank you for installing {{ .Chart.Name }}.',
  'values.yaml': 'settings: { colour: red }\n',
};

describe('helm on a member and Drover understand each other', { skip, timeout: 300_000 }, () => {
  const scratch = scratchDir('helm-releases');
  const ended = new AbortController();
  const attached = new AsyncDisposableStack();
  let etcd: Etcd;
  let cluster: RealCluster;
  let client: KubeClient;
  let member: Member;
  let helm: CommandLine;
  let env: Record<string, string>;
  before(async () => {
    etcd = attached.use(await startEtcd());
    cluster = attached.use(await startRealMember(etcd));
    client = attached.use(clientOf(cluster.kubeconfig));
    member = openMember('east', client, ended);
    const home = path.join(scratch.dir, 'home');
    env = { KUBECONFIG: cluster.kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    helm = new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir, timeoutMs: 120_000 });
    writeChart('shop', files);
  });
  after(async () => {
    ended.abort();
    await attached.disposeAsync();
    scratch[Symbol.dispose]();
  });

  function writeChart(folder: string, content: ChartFiles): void {
    for (const [name, text] of Object.entries(withChartYaml(content))) {
      const file = path.join(scratch.dir, folder, name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
  const ctx = (parts: Partial<ReleaseContext> = {}): ReleaseContext => ({
    signal: AbortSignal.timeout(120_000),
    now: () => new Date(),
    ...parts,
  });
  const deliver = (release: ReleaseKey, values: JsonObject, content = files, context = ctx()) =>
    deliverRelease(member, chartInput(member, { files: content, release, values, options: { wait: false } }), context);
  const settings = async ({ namespace }: ReleaseKey) => (await client.get(ConfigMap, { namespace, name: 'settings' }))?.data;
  const Deployment = { group: 'apps', version: 'v1', kind: 'Deployment', resource: 'deployments', scope: 'Namespaced' } as const;
  const front = async ({ namespace }: ReleaseKey) => {
    const found = await client.get(Deployment, { namespace, name: 'front' });
    const spec = found?.['spec'] as { replicas: number; template: { spec: { containers: { env?: unknown }[] } } } | undefined;
    return {
      labels: found?.metadata.labels,
      replicas: spec?.replicas,
      env: spec?.template.spec.containers[0]?.env,
      managers: found?.metadata.managedFields,
    };
  };

  test('helm reads what was delivered', async () => {
    const release = { name: 'web', namespace: 'reading' };
    await deliver(release, { replicas: 2 });
    await deliver(release, { replicas: 3 }, { ...files, 'templates/hook.yaml': configMap('note', {}, { 'helm.sh/hook': 'pre-upgrade' }) });
    await helm.expect('list -n reading', { says: /web\s+reading\s+2\s.*deployed\s+shop-1\.0\.0\s+7/ });
    await helm.expect('status web -n reading', { says: [/STATUS: deployed/, /REVISION: 2/, 'Thank you for installing shop.'] });
    const history = JSON.parse(await helm.expect('history web -n reading -o json')) as {
      revision: number;
      status: string;
      description: string;
    }[];
    assert.deepEqual(
      history.map(({ revision, status, description }) => `${revision} ${status} ${description}`),
      ['1 superseded Install complete', '2 deployed Upgrade complete'],
    );
    await helm.expect('get values web -n reading', { says: /^replicas: 3$/m });
    await helm.expect('get values web -n reading --all', { says: /colour: red/ });
    await helm.expect('get manifest web -n reading', { says: ['# Source: shop/templates/front.yaml', 'kind: Deployment'] });
    await helm.expect('get hooks web -n reading', { says: 'name":"note"' });
    await helm.expect('get notes web -n reading', { says: 'Thank you' });
    await helm.expect('get metadata web -n reading', { says: [/CHART: shop/, /VERSION: 1\.0\.0/, /APP_VERSION: 7/, /STATUS: deployed/] });
    await helm.expect('get all web -n reading', { says: ['HOOKS:', 'MANIFEST:'] });
  });

  test('what helm writes down of a chart is what we write down of it', async () => {
    const [ours, theirs] = [
      { name: 'ours', namespace: 'twins' },
      { name: 'theirs', namespace: 'twins-of-helm' },
    ];
    await deliver(ours, { replicas: 2 });
    await helm.expect('install theirs shop -n twins-of-helm --create-namespace --set replicas=2', { says: 'STATUS: deployed' });
    const [mine, other] = await Promise.all([ours, theirs].map(async key => (await readReleases(member, key, ctx())).at(-1)!.release));
    assert.deepEqual(essenceOf(mine!), essenceOf(other!));
    assert.deepEqual(mine!.config, other!.config);
    assert.equal(mine!.manifest, other!.manifest);
    assert.equal(mine!.notes, other!.notes);
    const labels = async (key: ReleaseKey) =>
      Object.keys(
        (await client.get(Secret, { namespace: key.namespace, name: `sh.helm.release.v1.${key.name}.v1` }))?.metadata.labels ?? {},
      ).filter(name => name !== 'createdAt');
    assert.deepEqual(await labels(ours), await labels(theirs));
  });

  test('helm rolls back what was delivered, and the next delivery takes it again, field for field', async () => {
    const release = { name: 'web', namespace: 'turns' };
    await deliver(release, { settings: { colour: 'blue' } });
    await deliver(release, { settings: { colour: 'green' }, replicas: 3 });
    await helm.expect('rollback web 1 -n turns', { says: 'Rollback was a success' });
    assert.deepEqual(await settings(release), { colour: 'blue' });
    assert.equal((await front(release)).replicas, 1);
    await helm.expect('upgrade web shop -n turns --set settings.size=large --set tier=back', { says: 'REVISION: 4' });
    assert.deepEqual(await settings(release), { colour: 'red', size: 'large' });

    const { tookOver } = await deliver(release, { settings: { colour: 'green' }, replicas: 3 });
    assert.match(tookOver ?? '', /revision 4 was deployed by another program/);
    assert.deepEqual(await settings(release), { colour: 'green' });
    assert.equal((await front(release)).replicas, 3);
    assert.equal((await front(release)).labels?.['tier'], 'web');
    assert.deepEqual((await historyOf(member, release)).slice(-2), ['4 superseded', '5 deployed']);
    await helm.expect('uninstall web -n turns', { says: 'release "web" uninstalled' });
    assert.deepEqual(
      (await client.list(ConfigMap, { namespace: 'turns' })).items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt'),
      [],
    );
    assert.deepEqual(await historyOf(member, release), []);
  });

  for (const [how, flag] of [
    ['server-side', '--server-side=true'],
    ['client-side', '--server-side=false'],
  ] as const) {
    test(`a release that helm installed ${how} is adopted, and no field of it stays behind`, async () => {
      const release = { name: 'web', namespace: `adopt-${how}` };
      const values = `--set settings.size=large --set env[0].name=A --set env[0].value=one --set tier=back`;
      await helm.expect(`install web shop -n ${release.namespace} --create-namespace ${flag} ${values}`, { says: 'STATUS: deployed' });
      assert.deepEqual((await front(release)).env, [{ name: 'A', value: 'one' }]);
      const { revision, tookOver } = await deliver(release, { settings: { colour: 'blue' } });
      assert.equal(revision, 2);
      assert.match(tookOver ?? '', /revision 1 was deployed by another program/);
      assert.deepEqual(await settings(release), { colour: 'blue' });
      const { env: left, labels, managers } = await front(release);
      assert.equal(left, undefined);
      assert.equal(labels?.['tier'], 'web');
      assert.deepEqual(
        managers?.filter(({ manager }) => manager === 'helm'),
        [],
      );
      await helm.expect(`history web -n ${release.namespace}`, { says: [/1\s.*superseded/, /2\s.*deployed/] });
      await uninstallRelease(member, release, {}, ctx());
      await helm.expect(`list -n ${release.namespace} -q`, { says: /^$/ });
    });
  }

  test('what helm could not upgrade is upgraded', async () => {
    const release = { name: 'web', namespace: 'mending' };
    await helm.expect('install web shop -n mending --create-namespace', { says: 'STATUS: deployed' });
    await helm.expect('upgrade web shop -n mending --set replicas=many', { code: 1, says: /replicas/ });
    assert.deepEqual(await historyOf(member, release), ['1 deployed', '2 failed']);
    await deliver(release, { replicas: 2 });
    assert.deepEqual(await historyOf(member, release), ['1 superseded', '2 failed', '3 deployed']);
    await helm.expect('status web -n mending', { says: /REVISION: 3/ });
  });

  test('a release whose helm died is taken over', async () => {
    const release = { name: 'web', namespace: 'orphan' };
    await helm.expect('install web shop -n orphan --create-namespace', { says: 'STATUS: deployed' });
    writeChart('slow', { ...files, 'templates/job.yaml': hookJob('slow', 'pre-upgrade') });
    const args = ['upgrade', 'web', 'slow', '-n', 'orphan', '--timeout', '5m'];
    const command = rigProgramPath('helm');
    await using dying = new Program({ name: 'helm', command, args, env, cwd: scratch.dir, logFile: path.join(scratch.dir, 'dying.log') });
    await eventually(() => client.get(Job, { namespace: 'orphan', name: 'slow' }), Boolean, {
      timeoutMs: 60_000,
      what: 'the Job of the hook',
    });
    dying.kill('SIGKILL');
    await dying.exited;
    assert.deepEqual(await historyOf(member, release), ['1 deployed', '2 pending-upgrade']);
    await helm.expect('upgrade web shop -n orphan', { code: 1, says: 'another operation (install/upgrade/rollback) is in progress' });
    await assert.rejects(deliver(release, { replicas: 2 }), /another operation \(install\/upgrade\/rollback\) is in progress: revision 2/);
    const later = ctx({ now: () => new Date(Date.now() + 10 * 60_000) });
    const { tookOver } = await deliver(release, { replicas: 2 }, files, later);
    assert.match(tookOver ?? '', /revision 2 was left pending-upgrade by another program/);
    await helm.expect('history web -n orphan', { says: [/2\s.*failed\s.*Abandoned/, /3\s.*deployed/] });
  });

  test('helm sees deliveries that are under way and those that failed', async () => {
    const release = { name: 'web', namespace: 'truth' };
    const bad = { ...files, 'templates/bad.yaml': 'apiVersion: v1\nkind: Service\nmetadata: { name: bad }\nspec: { type: Nonsense }\n' };
    await assert.rejects(deliver(release, {}, bad), /release web failed/);
    await helm.expect('history web -n truth', { says: /1\s.*failed\s.*Release "web" failed: .*bad/ });
    const stop = new AbortController();
    const onProgress: ReleaseContext['onProgress'] = ({ step }) => (step === 'Applying' ? stop.abort(new Error('stopped')) : undefined);
    await assert.rejects(deliver(release, {}, files, ctx({ signal: stop.signal, onProgress })), /stopped/);
    await helm.expect('status web -n truth', { says: 'STATUS: pending-install' });
    await helm.expect('upgrade web shop -n truth', { code: 1, says: 'another operation (install/upgrade/rollback) is in progress' });
    assert.equal((await deliver(release, {})).revision, 2);
    await helm.expect('status web -n truth', { says: 'STATUS: deployed' });
  });
});
