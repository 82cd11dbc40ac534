import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget, readKubeconfig } from '../helpers/http-target.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../helpers/rig.ts';

const skip = missingRig('helm', 'kubectl') ?? false;
const node = path.join(repositoryRoot, 'node_modules/.bin/node');
const program = path.join(repositoryRoot, 'bin/drover.js');

describe('I try things out on clusters that live inside the hub', { skip, timeout: 280_000 }, () => {
  const scratch = scratchDir('sandbox');
  const dataDir = path.join(scratch.dir, 'data');
  let hub: Hub;
  const drover = () =>
    new CommandLine(node, { env: { DROVER_KUBECONFIG: hub.kubeconfig, HOME: scratch.dir }, cwd: scratch.dir }, [program]);
  const kubeconfigOf = (sandbox: string) => path.join(dataDir, 'sandboxes', `${sandbox}.kubeconfig`);
  const kubectl = (sandbox: string) => kubectlFor('kubectl', { kubeconfig: kubeconfigOf(sandbox), dir: path.join(scratch.dir) });
  const helm = (sandbox: string) => {
    const home = path.join(scratch.dir, 'helm-home');
    const env = { KUBECONFIG: kubeconfigOf(sandbox), HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    return new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir, timeoutMs: 120_000 });
  };
  const listed = (wanted: RegExp) =>
    eventually(
      async () => (await drover().run('sandbox list')).stdout,
      text => wanted.test(text),
      { timeoutMs: 60_000, what: `"drover sandbox list" showing ${wanted}` },
    );

  before(async () => {
    hub = await startHub({ dataDir, extraArgs: ['--sandbox', '2'] });
  });
  after(async () => {
    await hub?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  test('the hub came up with two of them', async () => {
    await listed(/^sandbox-1 +True +1 +https:\/\/127\.0\.0\.1:[0-9]+\nsandbox-2 +True +1 +https:/m);
    await kubectl('sandbox-1').expect('get nodes', { says: /^node-1 +Ready/m });
    await kubectl('sandbox-1').expect('cluster-info', { says: 'is running at' });
  });

  test('I make one with labels and nodes and wait for it', async () => {
    await drover().expect('sandbox create east --label env=prod --label tier=gold --nodes 3 --wait', { says: 'sandbox "east" created' });
    await drover().expect('get clusters east --show-labels', { says: /^east +True .*env=prod,tier=gold/m });
    await kubectl('east').expect('get nodes -o name', { says: /node\/node-1\nnode\/node-2\nnode\/node-3/ });
    const printed = await drover().expect('sandbox kubeconfig east');
    assert.equal(printed, readFileSync(kubeconfigOf('east'), 'utf8'));
  });

  test('mistakes are named and leave nothing behind', async () => {
    await drover().expect('sandbox create east', { code: 1, says: ['there is a cluster "east" already', 'choose another name'] });
    await drover().expect('sandbox create Not_A_Name', { code: 1, says: 'cannot create sandbox "Not_A_Name"' });
    await drover().expect('sandbox create many --nodes none', { code: 2, says: 'not a whole number' });
    await drover().expect('sandbox create many --nodes 0', { code: 1, says: /nodes/ });
    await drover().expect('sandbox delete nobody', { code: 1, says: 'there is no sandbox "nobody"' });
    await drover().expect('sandbox kubeconfig nobody', { code: 1, says: 'there is no sandbox "nobody"' });
    assert.doesNotMatch(await drover().expect('sandbox list'), /many|Not_A_Name/);
  });

  test('helm installs, waits, upgrades and rolls back', async () => {
    const charts = helm('east');
    await charts.expect('create shop', { says: 'Creating shop' });
    await charts.expect('install web shop -n sales --create-namespace --wait --timeout 60s', { says: 'STATUS: deployed' });
    await kubectl('east').expect('get deploy,pods -n sales', { says: [/web-shop +1\/1/, /1\/1 +Running/] });
    await charts.expect('upgrade web shop -n sales --set replicaCount=3 --set service.type=LoadBalancer --wait --timeout 60s', {
      says: 'REVISION: 2',
    });
    await kubectl('east').expect('get deploy -n sales', { says: /web-shop +3\/3/ });
    await charts.expect('rollback web 1 -n sales --wait --timeout 60s', { says: 'Rollback was a success' });
    await charts.expect('uninstall web -n sales --wait', { says: 'release "web" uninstalled' });
    await eventually(
      async () => (await kubectl('east').run('get all -n sales')).stderr,
      text => text.includes('No resources found'),
      { timeoutMs: 30_000 },
    );
  });

  test('kubectl rolls out, undoes, scales, shows logs and drains', async () => {
    const cluster = kubectl('east');
    await cluster.expect('create deployment web --image=nginx:1 --replicas=4', { says: 'created' });
    await cluster.expect('rollout status deployment/web --timeout=60s', { says: 'successfully rolled out' });
    await cluster.expect('set image deployment/web nginx=nginx:2', { says: 'updated' });
    await cluster.expect('rollout status deployment/web --timeout=60s', { says: 'successfully rolled out' });
    await cluster.expect('rollout history deployment/web', { says: /^1 .*\n2 /m });
    await cluster.expect('rollout undo deployment/web', { says: 'rolled back' });
    await cluster.expect('rollout status deployment/web --timeout=60s', { says: 'successfully rolled out' });
    await cluster.expect('get deploy web -o jsonpath={.spec.template.spec.containers[0].image}', { says: /^nginx:1$/ });
    await cluster.expect('scale deployment/web --replicas=6', { says: 'scaled' });
    await cluster.expect('wait deployment/web --for=jsonpath={.status.readyReplicas}=6 --timeout=60s', { says: 'condition met' });
    await cluster.expect('logs deployment/web', { says: /\S/ });
    await cluster.expect('drain node-1 --ignore-daemonsets --timeout=60s', { says: 'node/node-1 drained' });
    await cluster.expect('rollout status deployment/web --timeout=60s', { says: 'successfully rolled out' });
    assert.doesNotMatch(await cluster.expect('get pods -o wide'), /node-1 /);
    await cluster.expect('uncordon node-1', { says: 'uncordoned' });
  });

  test('what opens one does not open another', async () => {
    const token = (await kubectl('east').expect('create token default')).trim();
    const [east, other] = [readKubeconfig(kubeconfigOf('east')), readKubeconfig(kubeconfigOf('sandbox-1'))];
    const asked = async (credentials: ConstructorParameters<typeof HttpTarget>[0]) => {
      const target = new HttpTarget(credentials);
      try {
        return (await target.request('GET', '/version')).code;
      } finally {
        target.close();
      }
    };
    assert.equal(await asked({ server: east.server, ca: east.ca, token }), 200);
    assert.equal(await asked({ server: other.server, ca: other.ca, token }), 401);
    assert.equal(await asked({ ...east, server: other.server }), 401);
    assert.equal(await asked({ ...readKubeconfig(hub.kubeconfig), server: other.server }), 401);
  });

  test('the hub is killed and comes back: addresses, objects and rollouts are there', async () => {
    await kubectl('sandbox-1').expect('create configmap kept --from-literal=a=b', { says: 'created' });
    const [address, kubeconfig] = [readKubeconfig(kubeconfigOf('east')).server, readFileSync(kubeconfigOf('east'), 'utf8')];
    const port = Number(new URL(hub.server).port);
    hub.program.kill('SIGKILL');
    await hub.program.exited;

    hub = await startHub({ dataDir, port });
    await listed(new RegExp(`^east +True +3 +${address}$`, 'm'));
    assert.equal(readFileSync(kubeconfigOf('east'), 'utf8'), kubeconfig);
    await kubectl('sandbox-1').expect('get configmap kept -o jsonpath={.data.a}', { says: /^b$/ });
    await kubectl('east').expect('rollout status deployment/web --timeout=60s', { says: 'successfully rolled out' });
    await kubectl('east').expect('scale deployment/web --replicas=2', { says: 'scaled' });
    await kubectl('east').expect('wait deployment/web --for=jsonpath={.status.readyReplicas}=2 --timeout=60s', { says: 'condition met' });
  });

  test('kubectl on the hub does what drover does', async () => {
    const onHub = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    const file = path.join(scratch.dir, 'west.yaml');
    writeFileSync(
      file,
      `apiVersion: drover.io/v1alpha1
kind: Cluster
metadata: { name: west }
spec: { connection: { mode: Sandbox }, sandbox: { nodes: 2, nodeCapacity: { cpu: "4", memory: 8Gi } } }
`,
    );
    await onHub.expect(`apply -f ${file}`, { says: 'created' });
    await onHub.expect('wait cluster.drover.io/west --for=condition=Ready --timeout=60s', { says: 'condition met' });
    await kubectl('west').expect('get nodes -o jsonpath={.items[*].status.capacity.cpu}', { says: /^4 4$/ });
    await onHub.expect('patch cluster.drover.io west --type=merge -p \'{"spec":{"sandbox":{"nodes":1}}}\'', { says: 'patched' });
    await kubectl('west').expect('wait node/node-2 --for=delete --timeout=60s');
    await onHub.expect('delete cluster.drover.io west --timeout=60s', { says: 'deleted' });
    await eventually(
      () => existsSync(kubeconfigOf('west')),
      exists => !exists,
      { timeoutMs: 30_000 },
    );
  });

  test('a sandbox that is deleted is gone, with its address', async () => {
    const { server } = readKubeconfig(kubeconfigOf('east'));
    await drover().expect('sandbox delete east', { says: 'sandbox "east" deleted' });
    assert.doesNotMatch(await drover().expect('sandbox list'), /east/);
    await eventually(
      async () => {
        const target = new HttpTarget({ server, ca: undefined });
        return target.request('GET', '/version').then(
          () => false,
          () => true,
        );
      },
      isGone => isGone,
      { timeoutMs: 30_000 },
    );
    assert.equal(existsSync(kubeconfigOf('east')), false);
    await drover().expect('sandbox create east --wait', { says: 'created' });
    assert.doesNotMatch(await kubectl('east').expect('get deployments'), /web/);
  });
});
