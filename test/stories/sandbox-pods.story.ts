import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';
import { startSandboxCluster, type SandboxCluster } from '../helpers/sandbox-cluster.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const skip = missingRig('kubectl', 'helm') ?? false;

const pod = (name: string, annotations: Record<string, string>, spec = ''): string => `
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  annotations: ${JSON.stringify(annotations)}
spec:
  containers: [{ name: main, image: "${name}:1" }]
  ${spec}
`;

describe('I use a sandbox cluster as I use any other', { skip, timeout: 240_000 }, () => {
  const scratch = tempDir('sandbox-pods');
  let cluster: SandboxCluster;
  let kubectl: CommandLine;
  let helm: CommandLine;
  before(async () => {
    cluster = await startSandboxCluster({ nodes: 3 });
    kubectl = kubectlFor('kubectl', { kubeconfig: cluster.kubeconfig, dir: scratch.dir });
    const home = path.join(scratch.dir, 'helm-home');
    const env = { KUBECONFIG: cluster.kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    helm = new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir, timeoutMs: 60_000 });
  });
  after(async () => {
    const problems = cluster?.problems ?? [];
    await cluster?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
    assert.deepEqual(problems, []);
  });
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(scratch.dir, name), text);
    return name;
  };
  const apply = (name: string, text: string) => kubectl.expect(`apply -f ${file(name, text)}`);
  const until = (line: string, says: RegExp) =>
    eventually(
      async () => (await kubectl.run(line)).stdout,
      text => says.test(text),
      { timeoutMs: 30_000, what: `\`kubectl ${line}\`` },
    );

  test('helm installs a chart, waits for it, and takes it away', async () => {
    await helm.expect('create shop', { says: 'Creating shop' });
    await helm.expect('install web shop --set service.type=LoadBalancer --wait --timeout 60s', { says: 'STATUS: deployed' });
    await kubectl.expect('get service web-shop', { says: /LoadBalancer +\S+ +203\.0\.113\.\d+/ });
    await kubectl.expect('get endpointslices -l kubernetes.io/service-name=web-shop', { says: /IPv4 +80 +10\.244\./ });
    await helm.expect('test web --timeout 30s', { says: 'Phase:          Succeeded' });
    await helm.expect('uninstall web --wait --timeout 60s', { says: 'uninstalled' });
  });

  test('pods behave as their annotations say', async () => {
    await apply('crash.yaml', pod('crash', { 'sandbox.drover.io/behavior': 'crash', 'sandbox.drover.io/exit-code': '3' }));
    await apply('pull.yaml', pod('pull', { 'sandbox.drover.io/behavior': 'image-pull-error' }));
    await apply('hang.yaml', pod('hang', { 'sandbox.drover.io/behavior': 'hang' }));
    await apply('slow.yaml', pod('slow', { 'sandbox.drover.io/ready-after': '2s' }));
    await apply('done.yaml', pod('done', { 'sandbox.drover.io/complete-after': '1s' }, 'restartPolicy: Never'));
    await until('get pods', /crash +0\/1 +CrashLoopBackOff +1/);
    await until('get pods', /pull +0\/1 +ImagePullBackOff/);
    await kubectl.expect('get pods hang', { says: /hang +0\/1 +ContainerCreating/ });
    await kubectl.expect('wait --for=condition=Ready pod/slow --timeout=20s');
    await until('get pods', /done +0\/1 +Completed/);
    await kubectl.expect('describe pod crash', {
      says: ['Exit Code:    3', 'Back-off restarting failed container main in pod crash_default'],
    });
    await kubectl.expect('describe pod pull', { says: 'Failed to pull image "pull:1"' });
    await apply('typo.yaml', pod('typo', { 'sandbox.drover.io/behavior': 'explode' }));
    await until('events --for pod/typo', /InvalidSandboxBehavior .*must be one of run, complete, crash/);
  });

  test('a rollout that crashes is seen and undone', async () => {
    await kubectl.expect('create deployment shop --image=shop:1');
    await kubectl.expect('rollout status deployment/shop --timeout=20s');
    const annotations = { 'sandbox.drover.io/behavior': 'crash' };
    const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
    await kubectl.expect(`patch deployment shop -p '${patch}'`);
    await kubectl.expect('rollout status deployment/shop --timeout=3s', { code: 1, says: 'timed out waiting for the condition' });
    await kubectl.expect('rollout undo deployment/shop');
    await kubectl.expect('rollout status deployment/shop --timeout=20s', { says: 'successfully rolled out' });
  });

  test('logs are synthetic, and exec says why it cannot be', async () => {
    await apply('talk.yaml', pod('talk', { 'sandbox.drover.io/log': 'first line\nsecond line' }));
    await kubectl.expect('wait --for=condition=Ready pod/talk --timeout=20s');
    await kubectl.expect('logs talk', { says: /container "main" started[^\n]*\nfirst line\nsecond line\n$/ });
    assert.equal(await kubectl.expect('logs talk --tail=1'), 'second line\n');
    await kubectl.expect('logs talk --timestamps --tail=1', { says: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.0{9}Z second line$/m });
    assert.equal(await kubectl.expect('logs talk --limit-bytes=9'), 'container');
    await kubectl.expect('logs crash --previous', { says: 'ended: Error, exit code 3' });
    await kubectl.expect('logs pull', { code: 1, says: 'waiting to start: trying and failing to pull image' });
    await kubectl.expect('logs talk --previous', { code: 1, says: 'previous terminated container "main" in pod "talk" not found' });
    await apply('brief.yaml', pod('brief', { 'sandbox.drover.io/complete-after': '3s' }, 'restartPolicy: Never'));
    await kubectl.expect('wait --for=jsonpath={.status.phase}=Running pod/brief --timeout=20s');
    await kubectl.expect('logs -f brief', { says: /started[^]*ended: Completed, exit code 0/ });
    await kubectl.expect('exec talk -- ls', { code: 1, says: 'sandbox cluster, which runs no containers: there is no exec here' });
    await kubectl.expect('port-forward pod/talk 18080:80', { code: 1, says: 'there is no portforward here' });
  });

  test('jobs complete, fail as told, and start by the clock', async () => {
    await kubectl.expect('create job once --image=task:1');
    await kubectl.expect('wait --for=condition=Complete job/once --timeout=20s');
    const template = `{ metadata: { annotations: { "sandbox.drover.io/exit-code": "7" } }, spec: { restartPolicy: Never, containers: [{ name: main, image: "task:1" }] } }`;
    await apply(
      'bad.yaml',
      `{ apiVersion: batch/v1, kind: Job, metadata: { name: bad }, spec: { backoffLimit: 0, template: ${template} } }`,
    );
    await kubectl.expect('wait --for=condition=Failed job/bad --timeout=20s');
    await kubectl.expect('create cronjob tick --image=task:1 --schedule="*/5 * * * *"');
    await kubectl.expect('create job now --from=cronjob/tick');
    await kubectl.expect('wait --for=condition=Complete job/now --timeout=20s');
  });

  test('a claim is bound, and a pod that nobody can take says why', async () => {
    const spec = '{ accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }';
    await apply('claim.yaml', `{ apiVersion: v1, kind: PersistentVolumeClaim, metadata: { name: data }, spec: ${spec} }`);
    await kubectl.expect('wait --for=jsonpath={.status.phase}=Bound pvc/data --timeout=20s');
    await apply('lost.yaml', pod('lost', {}, 'nodeSelector: { no-such: node }'));
    await until(
      'describe pod lost',
      /FailedScheduling .*0\/3 nodes are available: 3 node\(s\) didn't match Pod's node affinity\/selector\./,
    );
  });

  test('a node is drained within the disruption budget, goes down, and comes back', async () => {
    await kubectl.expect('create deployment app --image=app:1 --replicas=3');
    await kubectl.expect('rollout status deployment/app --timeout=30s');
    await kubectl.expect('create poddisruptionbudget app --selector=app=app --min-available=2');
    await until('get pdb app', /app +2 +N\/A +1/);
    await kubectl.expect('drain node-1 --force --ignore-daemonsets --timeout=60s', { says: 'node/node-1 drained' });
    await kubectl.expect('get nodes', { says: /node-1 +Ready,SchedulingDisabled/ });
    assert.equal(await kubectl.expect('get pods --field-selector=spec.nodeName=node-1 -o name'), '');
    await kubectl.expect('uncordon node-1');

    await kubectl.expect('annotate node node-2 sandbox.drover.io/behavior=down');
    await until('get nodes', /node-2 +NotReady/);
    await kubectl.expect('annotate node node-2 sandbox.drover.io/behavior-');
    await kubectl.expect('wait --for=condition=Ready node/node-2 --timeout=20s');
    await kubectl.expect('delete node node-3');
    await until('get deployment app', /3\/3/);
    await until('get pods -o wide', /^(?![^]*node-3)/);
  });
});
