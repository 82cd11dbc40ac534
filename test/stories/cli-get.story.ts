import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Cluster } from '../../src/api/cluster.ts';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { startHub } from '../helpers/hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, startRealApiServer } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

/** Each is typed behind `kubectl get` and behind `drover get`, and both must say the same, byte for byte. */
const lines = [
  'clusters.drover.io',
  'clusters.drover.io -o wide',
  'clusters.drover.io east west --show-labels',
  'clusters.drover.io -L env,region --no-headers',
  'cluster.drover.io/east -o yaml',
  'clusters.drover.io -o json',
  'clusters.drover.io -o name --sort-by=.metadata.labels.region',
  'crd clusters.drover.io -o yaml',
  'cm,secrets,deploy -A',
  'all -A -o wide',
  'deployments.v1.apps web',
  'deploy/web svc/web -o wide',
  'po,svc box',
  'pods --show-kind -l app=box',
  'pods -l app=nothing',
  'pods -n empty',
  'nodes',
  'pods --field-selector status.phase=Pending',
  'pods box nobody',
  'pods nobody',
  'pods nobody --ignore-not-found',
  'pods box box2 -o json',
  'pods nobody nobody2 -o yaml',
  'cm settings -o json --show-managed-fields',
  'cm -o custom-columns=NAME:.metadata.name,DATA:.data,NONE:.x.y',
  `cm -o 'jsonpath={range .items[*]}{.metadata.name}={.data}{"\\n"}{end}'`,
  `cm settings -o jsonpath-as-json={.data.odd}`,
  'clusterroles --sort-by=.metadata.name --chunk-size=7',
  'clusterroles -o name --chunk-size=7',
  'clusterrolebindings -o wide',
  'pc --sort-by=.value',
  'apiservices',
  'nonsense',
  'po/box svc/web po/box2',
  '-f files',
  '-R -f files -o name',
  '-f files/box.yaml -o yaml',
  '-f files/box.yaml,files/deep -o json',
  '-f files/box.yaml -n elsewhere',
  '-f files/none.yaml',
  '-k over',
  // Of a table, kubectl looks for labels where there are none.
  '-f files -l app=box2 -o json',
  '-k over -l tier=none -o name',
];

function writeFiles(dir: string): void {
  const manifest = (kind: string, name: string) => `apiVersion: v1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: default }\n`;
  mkdirSync(path.join(dir, 'files/deep'), { recursive: true });
  writeFileSync(path.join(dir, 'files/box.yaml'), manifest('Pod', 'box'));
  writeFileSync(path.join(dir, 'files/more.yaml'), `${manifest('Service', 'web')}---\n${manifest('Pod', 'box2')}`);
  writeFileSync(path.join(dir, 'files/deep/settings.yml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n');
  mkdirSync(path.join(dir, 'base'));
  writeFileSync(path.join(dir, 'base/settings.yml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n');
  writeFileSync(path.join(dir, 'base/kustomization.yaml'), 'resources: [settings.yml]\n');
  mkdirSync(path.join(dir, 'over'));
  writeFileSync(path.join(dir, 'over/kustomization.yaml'), 'resources: [../base]\nnamespace: default\n');
}

interface Side {
  readonly kubectl: CommandLine;
  readonly drover: CommandLine;
}

async function fill({ kubectl }: Side): Promise<void> {
  await kubectl.expect('apply -f -', { input: JSON.stringify(Cluster.definition()) });
  await kubectl.expect('wait --for=condition=Established crd/clusters.drover.io --timeout=20s');
  for (const name of ['east', 'west']) {
    const metadata = { name, labels: { env: 'prod', region: name === 'east' ? 'z' : 'a' } };
    const spec = { connection: { mode: 'Direct', server: `https://${name}.example` } };
    const input = JSON.stringify({ apiVersion: 'drover.io/v1alpha1', kind: 'Cluster', metadata, spec });
    await eventually(() => kubectl.expect('apply -f -', { input }));
  }
  // A real server by itself has nobody who makes it.
  await kubectl.run('create serviceaccount default');
  await eventually(() => kubectl.expect('get serviceaccount default'));
  await kubectl.expect('create deployment web --image=nginx --replicas=2');
  await kubectl.expect(`create configmap settings --from-literal=color=blue --from-literal='odd=<a> & "b"\\tc: d # e'`);
  await kubectl.expect('create service clusterip web --tcp=80:80');
  for (const name of ['box', 'box2']) await kubectl.expect(`run ${name} --image=busybox --labels=app=${name},tier=tool`);
}

function tell(title: string, start: (stack: AsyncDisposableStack) => Promise<{ kubeconfig: string }>, rig: string[]): void {
  describe(`drover get and kubectl get on ${title}`, { skip: missingRig(...rig) ?? false, timeout: 600_000 }, () => {
    const stack = new AsyncDisposableStack();
    const scratch = scratchDir('cli-get');
    let side: Side;
    before(async () => {
      const { kubeconfig } = await start(stack);
      side = { kubectl: kubectlFor('kubectl', { kubeconfig, dir: scratch.dir }), drover: droverFor({ hub: kubeconfig, dir: scratch.dir }) };
      await fill(side);
      writeFiles(scratch.dir);
    });
    after(async () => {
      await stack.disposeAsync();
      scratch[Symbol.dispose]();
    });

    for (const line of lines)
      test(`get ${line}`, async () => {
        // Ages move on between the two, and conditions while they settle: they must agree at some moment.
        const [theirs, ours] = await eventually(
          () => Promise.all([side.kubectl.run(`get ${line}`), side.drover.run(`get ${line}`)]),
          ([one, other]) => one.stdout === other.stdout,
          { timeoutMs: 60_000, what: `get ${line}` },
        );
        assert.equal(ours.code, theirs.code, ours.stderr);
        // Ours may say what to do next.
        assert.ok(ours.stderr.startsWith(theirs.stderr), `${theirs.stderr}\n${ours.stderr}`);
      });
  });
}

tell('our hub', async stack => stack.use(await startHub()), ['kubectl']);
// The gate has commands against a real server in other stories.
if (process.env['DROVER_GATE'] !== 'true')
  tell('a real kube-apiserver', async stack => stack.use(await startRealApiServer({ etcd: stack.use(await startEtcd()) })), [
    'kubectl',
    'kube-apiserver',
    'etcd',
  ]);
