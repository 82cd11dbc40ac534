import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { startExternalHub } from '../helpers/external-hub.ts';
import { freePort } from '../helpers/free-port.ts';
import { HttpTarget, readKubeconfig } from '../helpers/http-target.ts';
import { addTunnelCluster, startAgentProgram } from '../helpers/imported-member.ts';
import { kubectlFor } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { startEtcd } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const skip = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl') ?? false;

const clusters = `
apiVersion: drover.io/v1alpha1
kind: Cluster
metadata: { name: east }
spec: { connection: { mode: Sandbox } }
---
apiVersion: drover.io/v1alpha1
kind: Cluster
metadata: { name: west }
spec: { connection: { mode: Direct, server: "https://127.0.0.1:1", secretName: credential } }
`;

test('a real kube-apiserver is the hub: kinds, ids, conditions and the gateway are there', { skip, timeout: 180_000 }, async () => {
  await using etcd = await startEtcd();
  await using real = await startRealMember(etcd, { tokens: { 'ops-token': { user: 'ops', groups: ['system:masters'] } } });
  using scratch = tempDir('external');
  const dataDir = path.join(scratch.dir, 'data');
  const kubectl = kubectlFor('kubectl', { kubeconfig: real.kubeconfig, dir: real.dir });
  const column = (jsonpath: string) => kubectl.expect(`get clusters.drover.io -o jsonpath='${jsonpath}'`);
  const readiness = '{range .items[*]}{.metadata.name}={.status.conditions[?(@.type=="Ready")].reason} {end}';
  let ids: string;
  {
    await using hub = await startExternalHub({ kubeconfig: real.kubeconfig, dataDir });
    writeFileSync(path.join(real.dir, 'clusters.yaml'), clusters);
    await kubectl.expect(`apply -f ${path.join(real.dir, 'clusters.yaml')}`, { says: 'cluster.drover.io/east created' });
    await eventually(
      () => column(readiness),
      text => text.trim() === 'east=Answering west=CredentialMissing',
      { timeoutMs: 60_000 },
    );
    ids = await column('{.items[*].status.id}');
    assert.match(ids, /^c-m-[a-z0-9]{8} c-m-[a-z0-9]{8}$/);
    await kubectl.expect(`get namespace ${ids}`);

    assert.equal((await hub.request('/ping')).text, 'pong');
    assert.equal((await hub.request('/readyz')).code, 200);
    assert.equal((await hub.request('/k8s/clusters/east/version')).code, 401);
    const version = await hub.request('/k8s/clusters/east/version', 'ops-token');
    assert.match(version.json<{ gitVersion: string }>().gitVersion, /drover/);
    assert.equal((await hub.requestAsAdmin('/k8s/clusters/east/version')).code, 200, 'by certificate');
    assert.match(
      (await hub.request('/metrics', 'ops-token')).text,
      /^controller_runtime_reconcile_total\{controller="cluster",result="success"\} [1-9]/m,
    );
    assert.equal((await hub.request('/metrics')).code, 401);
  }
  await using _again = await startExternalHub({ kubeconfig: real.kubeconfig, dataDir });
  await kubectl.expect('delete clusters.drover.io east west --timeout=60s', { says: '"east" deleted' });
  await kubectl.expect(`get namespace ${ids} --ignore-not-found`).then(text => assert.equal(text, ''));
});

test('a hub that does not answer is said at once, and nothing is left behind', { skip, timeout: 60_000 }, async () => {
  using scratch = tempDir('external');
  const drover = droverFor({ dir: scratch.dir });
  const kubeconfig = path.join(scratch.dir, 'kubeconfig');
  const dataDir = path.join(scratch.dir, 'data');
  await drover.expect(`up --hub ${kubeconfig} --data ${dataDir}`, { code: 1, says: 'there is no kubeconfig' });
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
    }),
  );
  await drover.expect(`up --hub ${kubeconfig} --data ${dataDir}`, { code: 1, says: ['as the hub', 'connection refused'] });
  await drover.expect(`up --hub ${kubeconfig} --context b --data ${dataDir}`, { code: 1, says: 'has no context "b"' });
  await drover.expect('up --context b', { code: 1, says: '--context is about the kubeconfig of --hub' });
});

const isGate = process.env['DROVER_GATE'] === 'true';

test(
  'of two hubs on one API one leads; killed, the other takes over, and agents find it',
  { skip: skip || isGate, timeout: 300_000 },
  async () => {
    await using etcd = await startEtcd();
    await using real = await startRealMember(etcd, { tokens: { 'ops-token': { user: 'ops', groups: ['system:masters'] } } });
    await using member = await startRealMember(etcd);
    using scratch = tempDir('two-hubs');
    const folder = (name: string) => path.join(scratch.dir, name);
    const kubectl = kubectlFor('kubectl', { kubeconfig: real.kubeconfig, dir: real.dir });
    const holder = () => kubectl.expect(`get lease drover-hub -n kube-system -o jsonpath='{.spec.holderIdentity}'`);

    await using first = await startExternalHub({ kubeconfig: real.kubeconfig, dataDir: folder('one') });
    const firstHolder = await holder();
    const listen = `127.0.0.1:${await freePort()}`;
    await using second = new Program({
      name: 'the second hub',
      command: path.join(repositoryRoot, 'node_modules/.bin/node'),
      args: [path.join(repositoryRoot, 'bin/drover.js'), 'up', '--hub', real.kubeconfig, '--data', folder('two'), '--listen', listen],
      logFile: folder('second.log'),
      cwd: repositoryRoot,
    });
    await second.waitUntil(async () => readFileSync(second.logFile, 'utf8').includes('stands by'));
    assert.ok(!readFileSync(second.logFile, 'utf8').includes('Drover hub ready'));
    const authority = (name: string) => readFileSync(path.join(folder(name), 'pki/ca.crt'), 'utf8');
    assert.equal(authority('two'), authority('one'), 'whoever trusts one hub trusts the other');
    using atSecond = new DisposableStack();
    const through = atSecond.adopt(new HttpTarget({ server: `https://${listen}`, ca: authority('one') }), target => target.close());
    const bearer = { Authorization: 'Bearer ops-token' };
    // Carried on to the one that leads.
    assert.equal((await through.request('GET', '/ping')).text, 'pong');

    // The agent knows the hub by the address of the second: in a cluster that is the Service before both.
    const admin = atSecond.adopt(new HttpTarget(readKubeconfig(real.kubeconfig)), target => target.close());
    const { token } = await addTunnelCluster({ request: admin.request.bind(admin) }, 'edge');
    const checksum = createHash('sha256')
      .update(`${authority('one').trimEnd()}\n`)
      .digest('hex');
    const agentDir = folder('agent');
    mkdirSync(agentDir);
    await using agent = startAgentProgram({ server: `https://${listen}`, checksum, kubeconfig: member.kubeconfig, token, dir: agentDir });
    const reason = '{.status.conditions[?(@.type=="Ready")].reason}';
    const edge = () => kubectl.expect(`get clusters.drover.io edge -o jsonpath='${reason}'`);
    await eventually(edge, text => text === 'Answering', { timeoutMs: 60_000 });
    assert.equal(await holder(), firstHolder);

    // Stopped, not ended: as when its machine hangs. Then another leads after the lease, and it stops by itself when it wakes up.
    process.kill(first.program.pid, 'SIGSTOP');
    await second.waitUntil(async () => readFileSync(second.logFile, 'utf8').includes('Drover hub ready'), { timeoutMs: 60_000 });
    assert.notEqual(await holder(), firstHolder);
    process.kill(first.program.pid, 'SIGCONT');
    await first.program.exited;
    assert.match(readFileSync(first.program.logFile, 'utf8'), /this hub has stopped: .* leads now/);
    const version = () =>
      through.request('GET', '/k8s/clusters/edge/version', undefined, bearer).then(
        ({ code }) => code,
        () => 0,
      );
    await eventually(version, code => code === 200, { timeoutMs: 60_000 });
    assert.ok(agent.isRunning);

    // One that is killed is followed at once by one on the same machine.
    second.kill('SIGKILL');
    await second.exited;
    await using third = await startExternalHub({ kubeconfig: real.kubeconfig, dataDir: folder('one'), listen });
    assert.equal((await third.request('/readyz')).code, 200);
    await eventually(version, code => code === 200, { timeoutMs: 60_000 });
  },
);
