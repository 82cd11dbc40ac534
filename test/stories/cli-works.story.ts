import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { contentName, contentTypes } from '../../src/api/content.ts';
import { writeArchive } from '../../src/render/write-archive.ts';
import { digestOf } from '../../src/sources/digest.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub, type HubKind } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig } from '../helpers/rig.ts';

const templates = {
  'Chart.yaml': (version: string) => `apiVersion: v2\nname: web\nversion: ${version}\nappVersion: "9"\n`,
  'values.yaml': () => 'replicas: 1\npassword: first\nbehavior: run\n',
  'templates/web.yaml': (version: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: {{ .Release.Name }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: web } }
  template:
    metadata:
      labels: { app: web }
      annotations: { sandbox.drover.io/behavior: {{ .Values.behavior }} }
    spec: { containers: [{ name: web, image: "web:${version}" }] }
`,
  'templates/secret.yaml': () => `
apiVersion: v1
kind: Secret
metadata: { name: {{ .Release.Name }} }
stringData: { password: {{ .Values.password }} }
`,
  'templates/old.yaml': (version: string) =>
    version === '1.0.0' ? 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: old }\ndata: { a: "1" }\n' : '',
  'templates/NOTES.txt': () => 'Open {{ .Release.Name }} and\u001b[31m enjoy.\n',
};

interface Revision {
  readonly revision: number;
  readonly helmRevision: number | null;
  readonly isPresent: boolean;
  readonly spec: { readonly values?: { readonly behavior?: string } };
}

function chartContent(version: string) {
  const files = Object.entries(templates).map(([name, text]) => ({ name: `web/${name}`, data: Buffer.from(text(version)) }));
  const bytes = writeArchive(files);
  const digest = digestOf(bytes);
  const spec = { type: contentTypes.chart, digest, sizeBytes: bytes.length, data: bytes.toString('base64') };
  return { digest, object: { apiVersion: 'drover.io/v1alpha1', kind: 'Content', metadata: { name: contentName(digest) }, spec } };
}

for (const kind of hubKindsByTime)
  describe(`looking at Works, hub: ${kind}`, { skip: missingRig('kubectl', 'kube-apiserver', 'etcd') ?? false, timeout: 300_000 }, () =>
    tell(kind),
  );

function tell(kind: HubKind): void {
  const stack = new AsyncDisposableStack();
  const scratch = scratchDir('cli-works');
  const charts = { '1.0.0': chartContent('1.0.0'), '1.1.0': chartContent('1.1.0') };
  let etcd: Etcd;
  let hub: EitherHub;
  let drover: CommandLine;
  let kubectl: CommandLine;
  let member: CommandLine;
  let namespace: string;

  before(async () => {
    etcd = stack.use(await startEtcd());
    hub = stack.use(await startEitherHub(kind, etcd));
    drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig('east'), dir: scratch.dir });
    await drover.expect('sandbox create east --wait');
    await drover.expect('sandbox create west --wait');
    namespace = await drover.expect('get cluster east -o jsonpath={.status.id}');
    for (const { object } of Object.values(charts)) await kubectl.expect('create -f -', { input: JSON.stringify(object) });
  });
  after(async () => {
    await stack.disposeAsync();
    scratch[Symbol.dispose]();
  });

  const chartWork = (name: string, version: keyof typeof charts, more: object = {}) => ({
    apiVersion: 'drover.io/v1alpha1',
    kind: 'Work',
    metadata: { name, namespace },
    spec: { release: { name: 'web', namespace: 'shop' }, chart: { content: charts[version].digest }, ...more },
  });
  const apply = (work: object) => kubectl.expect('apply -f -', { input: JSON.stringify(work) });
  const fileWith = (name: string, work: object) => {
    const file = path.join(scratch.dir, name);
    writeFileSync(file, JSON.stringify(work));
    return file;
  };
  const isReady = (name: string) =>
    eventually(
      () => kubectl.expect(`-n ${namespace} get work ${name} -o json`),
      text => {
        const { metadata, status } = JSON.parse(text) as {
          metadata: { generation: number };
          status?: { observedGeneration?: number; conditions?: { type: string; status: string }[] };
        };
        return (
          status?.observedGeneration === metadata.generation && status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True'
        );
      },
      { timeoutMs: 60_000, what: `work ${name}` },
    );

  test('a diff before the first delivery shows everything that would be created', async () => {
    const file = fileWith('new.json', chartWork('web', '1.0.0'));
    const shown = await drover.expect(`diff work/web -C east -f ${file}`, { code: 1 });
    for (const name of ['v1.Namespace..shop', 'v1.Secret.shop.web', 'apps.v1.Deployment.shop.web', 'v1.ConfigMap.shop.old'])
      assert.ok(shown.includes(`+++ MERGED/${name}\n`), shown);
    assert.ok(!shown.includes('Zmlyc3Q=') && !shown.includes('first'), shown);
    await member.expect('get namespace shop', { code: 1 });
    await drover.expect('diff work/web -C east', { code: 2, says: ['cluster "east" has no work "web"', 'drover get works -C east'] });
  });

  test('Works are listed over all clusters, and of one cluster by its name', async () => {
    await apply(chartWork('web', '1.0.0'));
    await isReady('web');
    const lines = (await drover.expect('get works -A')).split('\n');
    assert.match(lines[0]!, /^NAMESPACE +NAME +CLUSTER +READY +REASON +AGE$/);
    assert.match(lines[1]!, /^c-m-\w+ +web +east +True +Healthy +\S+$/);
    assert.ok(
      lines.every(line => line.length <= 80),
      lines.join('\n'),
    );
    await drover.expect('get works -C east', { says: /^NAME +CLUSTER.*\nweb +east/ });
    await drover.expect('get works -C west', { says: 'No resources found' });
    assert.equal(await drover.expect('get work/web -C east -o name'), 'work.drover.io/web\n');
    await drover.expect('get works --all-clusters -o wide', { says: /^NAME +RELEASE.*MESSAGE +AGE\nweb +web +east/ });
  });

  test('explain says in plain words how the Work is', async () => {
    const shown = await drover.expect('explain work/web -C east');
    assert.match(shown, /^Work "web" delivers .*to cluster\s"east",\sas\srelease\s"web"\sin\snamespace\s"shop"/s);
    assert.match(shown, /It is ready: chart web-1\.0\.0 is deployed/);
    assert.match(shown, /Current +Deployment shop\/web\n/);
    assert.match(shown, /Open web and\\u001b\[31m enjoy/);
    assert.ok(
      shown.split('\n').every(line => line.length <= 80),
      shown,
    );
    const json = JSON.parse(await drover.expect(`explain work web -n ${namespace} -o json`)) as { cluster: string; objects: object[] };
    assert.equal(json.cluster, 'east');
    assert.equal(json.objects.length, 3);
    await drover.expect('explain work/nobody -C east', { code: 1, says: 'cluster "east" has no work "nobody"' });
    await drover.expect('explain work/web -C nobody', { code: 1, says: 'no member "nobody"' });
    await drover.expect('explain pod/web', { code: 2, says: 'is neither a Work nor an owner of services' });
  });

  test('a diff has the exit codes of kubectl diff, masks Secrets and changes nothing', async () => {
    assert.equal(await drover.expect('diff work/web'), '');
    const file = fileWith('changed.json', chartWork('web', '1.1.0', { values: { replicas: 2, password: 'second' } }));
    const shown = await drover.expect(`diff work/web -f ${file}`, { code: 1 });
    assert.match(shown, /-password: '\*\*\* \(before\)'|- {2}password: '\*\*\* \(before\)'/);
    assert.match(shown, /\n- {2}replicas: 1\n\+ {2}replicas: 2\n/);
    assert.match(shown, /\n- +- image: web:1\.0\.0\n\+ +- image: web:1\.1\.0\n/);
    assert.match(shown, /diff -u -N LIVE\/v1\.ConfigMap\.shop\.old MERGED\/v1\.ConfigMap\.shop\.old\n(.*\n){2}@@ -1,\d+ \+0,0 @@/);
    for (const secret of ['c2Vjb25k', 'Zmlyc3Q=']) assert.ok(!shown.includes(secret), shown);
    await drover.expect(`diff work/web -f ${file}`, {
      code: 1,
      env: { KUBECTL_EXTERNAL_DIFF: 'diff -r -q' },
      says: /LIVE\/apps\.v1\.Deployment\.shop\.web and .*MERGED\/apps\.v1\.Deployment\.shop\.web differ/,
    });
    await drover.expect('diff work/web', { env: { KUBECTL_EXTERNAL_DIFF: 'diff -r -q' } });
    await drover.expect('diff work/web', { code: 2, env: { KUBECTL_EXTERNAL_DIFF: '/no/such/program' }, says: 'cannot run' });
    await drover.expect(`diff work/web -f ${path.join(scratch.dir, 'nothing')}`, { code: 2, says: 'cannot read' });
    const folder = path.join(scratch.dir, 'wanted');
    mkdirSync(folder);
    copyFileSync(file, path.join(folder, 'work.json'));
    writeFileSync(path.join(folder, 'kustomization.yaml'), 'resources: [work.json]\ncommonLabels: { app: web }\n');
    const all = await drover.expect(`diff -k ${folder}`, { code: 1 });
    assert.match(all, /diff -u -N LIVE\/east\.apps\.v1\.Deployment\.shop\.web /);
    assert.equal(all.replaceAll('/east.', '/'), shown);
    assert.equal(await drover.expect(`diff work/web -k ${folder}`, { code: 1 }), shown);
    assert.equal(await drover.expect(`diff -k ${folder} -l app=other`), '');
    await drover.expect('diff', { code: 2, says: 'which Work is meant is not said' });
    assert.equal(await member.expect('-n shop get deployment web -o jsonpath={.spec.replicas}'), '1');
  });

  test('a diff says why the delivery would be refused', async () => {
    const wrong = chartWork('web', '1.0.0', { values: { replicas: 'many' } });
    await drover.expect(`diff work/web -f ${fileWith('wrong.json', wrong)}`, { code: 2, says: 'Deployment shop/web' });
    const moved = {
      ...chartWork('web', '1.0.0'),
      spec: { ...chartWork('web', '1.0.0').spec, release: { name: 'other', namespace: 'shop' } },
    };
    await drover.expect(`diff work/web -f ${fileWith('moved.json', moved)}`, { code: 2, says: 'the release cannot be changed' });
  });

  test("history shows what was delivered, with Helm's revisions, and rollback brings it back", async () => {
    await apply(chartWork('web', '1.1.0', { values: { replicas: 2 } }));
    await isReady('web');
    const rows = async () =>
      (await drover.expect('history work/web -C east'))
        .trimEnd()
        .split('\n')
        .map(line => line.split(/ {2,}/).slice(0, 4).join(' '));
    await eventually(
      rows,
      seen => seen.join() === ['REVISION WHAT HELM STATE', '1 web-1.0.0 1 superseded', '2 web-1.1.0 2 deployed'].join(),
    );
    await drover.expect('rollback work/web --dry-run=server', { says: 'work.drover.io/web rolled back to revision 1 (server dry run)\n' });
    await drover.expect('rollback work/web 1 --wait --timeout 1m', {
      says: ['work.drover.io/web rolled back to revision 1\n', 'is ready'],
    });
    assert.equal(await member.expect('-n shop get deployment web -o jsonpath={.spec.template.spec.containers[0].image}'), 'web:1.0.0');
    await member.expect('-n shop get configmap old');
    await eventually(
      rows,
      seen => seen.join() === ['REVISION WHAT HELM STATE', '2 web-1.1.0 2 superseded', '3 web-1.0.0 3 deployed'].join(),
    );
    await drover.expect('rollback work/web 3', { says: 'skipped rollback' });
    await drover.expect('rollback work/web 3 --error-unchanged', { says: 'skipped rollback', code: 3 });
    await drover.expect('rollback work/web 77', { code: 1, says: ['has no revision 77', 'drover history work/web'] });
    const json = JSON.parse(await drover.expect('history work/web -o json')) as Revision[];
    assert.deepEqual(
      json.map(({ isPresent, helmRevision }) => [isPresent, helmRevision]),
      [
        [false, 2],
        [true, 3],
      ],
    );
  });

  test('explain names who outranks a Work, and who would come next', async () => {
    await apply(chartWork('base', '1.1.0', { priority: 200, sync: 'DetectDrift' }));
    await isReady('base');
    const shown = await eventually(
      () => drover.expect('explain work/web'),
      text => text.includes('It is outranked'),
    );
    assert.match(shown, /work "base" has the release with priority\s200, this one has 100/);
    assert.match(shown, /base +priority 200 .* has the release\n +web +priority 100 .* waits \(this one\)\n/);
    assert.match(shown, /If work "base" left, work "web" would take the release over in place/);
    await drover.expect('rollback work/web 2 --wait --timeout 30s', {
      code: 1,
      says: ['does not become ready', 'drover explain work/web'],
    });
    await drover.expect('rollback work/web 0');
  });

  test('explain names a drifted field with both values and who changed it, and diff what puts it right', async () => {
    await member.expect(`-n shop patch deployment web --field-manager=ann --type=merge -p '{"spec":{"replicas":4}}'`);
    const shown = await eventually(
      () => drover.expect('explain work/base'),
      text => text.includes('Drift,'),
    );
    assert.match(shown, /Deployment shop\/web \.spec\.replicas\n +delivered was 1, it is 4, by manager "ann/);
    await drover.expect('diff work/base', { code: 1, says: /\n- {2}replicas: 4\n\+ {2}replicas: 1\n/ });
    await drover.expect('reapply work/base --dry-run=server', { says: 'work.drover.io/base reapplied (server dry run)' });
    await drover.expect('reapply work/base --wait', { says: 'work.drover.io/base reapplied' });
    assert.equal(await member.expect('-n shop get deployment web -o jsonpath={.spec.replicas}'), '1');
    await drover.expect('reapply work/web', { code: 1, says: 'cannot be applied again: it is outranked by base' });
    await kubectl.expect(`-n ${namespace} delete work base`);
    await isReady('web');
  });

  test('a wait that is too long ends with 4 and says what it waited for', async () => {
    await apply(chartWork('web', '1.0.0', { values: { behavior: 'not-ready' } }));
    const broken = await eventually(
      async () => {
        const all = JSON.parse(await drover.expect('history work/web -o json')) as Revision[];
        return all.find(({ spec }) => spec.values?.behavior === 'not-ready');
      },
      found => found !== undefined,
    );
    await apply(chartWork('web', '1.0.0', { values: { replicas: 1 } }));
    await isReady('web');
    await drover.expect(`rollback work/web ${broken!.revision} --wait --timeout 2s`, {
      code: 4,
      says: ['was not ready in time', 'drover explain'],
    });
  });

  test('Works without a chart: what two of them want is told object by object', async () => {
    const plain = (name: string, priority: number, data: object) => ({
      apiVersion: 'drover.io/v1alpha1',
      kind: 'Work',
      metadata: { name, namespace },
      spec: {
        release: { name, namespace: 'default' },
        priority,
        manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shared' }, data }],
      },
    });
    await apply(plain('strong', 300, { from: 'strong' }));
    await isReady('strong');
    await apply(plain('weak', 10, { from: 'weak' }));
    await eventually(
      () => drover.expect('explain work/weak'),
      text => text.includes('delivered by work "strong" instead'),
    );
    assert.equal(await drover.expect('diff work/weak'), '');
    await drover.expect('diff work/strong');
    await apply(plain('strong', 300, { from: 'strength' }));
    await eventually(
      () => drover.expect('history work/strong'),
      text => /\n2 +manifests +<none> +deployed/.test(text),
    );
    await drover.expect('rollback work/strong --wait --timeout 30s');
    assert.equal(await member.expect('get configmap shared -o jsonpath={.data.from}'), 'strong');
    await member.expect(`patch configmap shared --type=merge -p '{"data":{"from":"ann"}}'`);
    await drover.expect('reapply work/strong --wait');
    assert.equal(await member.expect('get configmap shared -o jsonpath={.data.from}'), 'strong');
  });

  test('a Work whose member is lost is let go when somebody insists, and not before', async () => {
    const cluster = { apiVersion: 'drover.io/v1alpha1', kind: 'Cluster', metadata: { name: 'lost' } };
    await apply({ ...cluster, spec: { connection: { mode: 'Direct', server: 'https://127.0.0.1:9', secretName: 'none' } } });
    const id = await eventually(
      () => kubectl.expect('get clusters.drover.io lost -o jsonpath={.status.id}'),
      text => text !== '',
    );
    const lone = { ...chartWork('lone', '1.0.0'), metadata: { name: 'lone', namespace: id } };
    await eventually(
      () => kubectl.run('apply -f -', { input: JSON.stringify(lone) }),
      ({ code }) => code === 0,
    );
    const finalizers = () => kubectl.run(`-n ${id} get work lone -o jsonpath={.metadata.finalizers}`);
    await eventually(finalizers, ({ stdout }) => stdout.includes('drover.io/delivery'));
    await kubectl.expect(`-n ${id} delete work lone --wait=false`);
    await drover.expect('release work/lone -C lost', { code: 2, says: ['would stay on cluster "lost"', 'say --force'] });
    await drover.expect('release work/lone -C lost --force --dry-run', { says: 'work.drover.io/lone released (dry run)' });
    assert.equal((await finalizers()).code, 0);
    await drover.expect('release work/lone -C lost --force', { says: ['warning: 0 objects stay on cluster "lost"', 'released'] });
    await eventually(finalizers, ({ code }) => code === 1);
    await drover.expect('unjoin lost --force');
  });

  test('a real cluster says itself what would change, and what it would refuse', { skip: kind !== 'embedded' }, async () => {
    await using real = await startRealMember(etcd);
    await drover.expect(`join real --kubeconfig ${real.kubeconfig}`);
    const id = await drover.expect('get cluster real -o jsonpath={.status.id}');
    const job = (image: string) => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once' },
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'once', image }] } } },
    });
    const service = (port: number) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ port }] },
    });
    const work = (image: string, port: number, options: object = {}) => ({
      apiVersion: 'drover.io/v1alpha1',
      kind: 'Work',
      metadata: { name: 'real', namespace: id },
      spec: { release: { name: 'real', namespace: 'default' }, manifests: [service(port), job(image)], options },
    });
    await apply(work('once:1', 80));
    await eventually(
      () => drover.run('diff work/real -C real'),
      ({ code }) => code === 0,
      { timeoutMs: 60_000, what: 'no differences after the delivery' },
    );
    const changed = fileWith('real.json', work('once:2', 81));
    await drover.expect(`diff work/real -f ${changed}`, {
      code: 2,
      says: [/\n-  - port: 80\n\+  - port: 81\n/, 'cannot apply Job default/once: spec.template', 'spec.options.force'],
    });
    const forced = fileWith('forced.json', work('once:2', 80, { force: true }));
    await drover.expect(`diff work/real -f ${forced}`, { code: 1, says: /\n- +- image: once:1\n\+ +- image: once:2\n/ });
    await kubectl.expect(`-n ${id} delete work real`);
  });

  test('shells complete the names of Works', async () => {
    const shown = await drover.expect('__complete explain -C east work/st');
    assert.equal(shown, 'work/strong\n:4\n');
    assert.equal(await drover.expect('__complete history -C west work/'), ':4\n');
    assert.equal(await drover.expect('__complete cordon we'), 'west\n:4\n');
    assert.equal(await drover.expect('__complete reapply -C east work/st'), shown);
  });
}
