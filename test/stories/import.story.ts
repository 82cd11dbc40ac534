import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { kubectlFor, words, type CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');

interface Invitation {
  readonly id: string;
  readonly url: string;
  readonly token: string;
  readonly agentCommand: string;
}

for (const kind of hubKindsByTime)
  describe(`importing a cluster into a hub (${kind})`, { skip: missing ?? false, timeout: 280_000 }, () => {
    const scratch = scratchDir('import');
    let etcd: Etcd;
    let hub: EitherHub;
    let member: RealCluster;
    let stranger: RealCluster;
    let drover: CommandLine;
    let kubectl: CommandLine;
    let onMember: CommandLine;
    let throughHub: CommandLine;
    let agent: Program | undefined;
    let invitation: Invitation;

    before(async () => {
      etcd = await startEtcd();
      [member, stranger, hub] = await Promise.all([startRealMember(etcd), startRealMember(etcd), startEitherHub(kind, etcd)]);
      drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      onMember = kubectlFor('kubectl', { kubeconfig: member.kubeconfig, dir: member.dir });
    });
    after(async () => {
      await agent?.stop();
      for (const one of [hub, member, stranger, etcd]) await one?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    /** Runs the printed command as a plain process beside a cluster, in the place of the pod that no node here would run. */
    const startAgent = (command: string, cluster: RealCluster, state = 'state') =>
      new Program({
        name: 'agent',
        command: path.join(repositoryRoot, 'node_modules/.bin/node'),
        args: [
          path.join(repositoryRoot, 'bin/drover.js'),
          ...words(command).slice(1),
          '--kubeconfig',
          cluster.kubeconfig,
          '--state',
          path.join(cluster.dir, state),
        ],
        logFile: path.join(cluster.dir, 'agent.log'),
        env: { HOME: cluster.dir },
      });
    const invite = async (name: string, options = '') => JSON.parse(await drover.expect(`import ${name} -o json ${options}`)) as Invitation;
    const waitUntil = (condition: string) =>
      kubectl.expect(`wait clusters.drover.io east --for=condition=${condition} --timeout=60s`, { timeoutMs: 70_000 });

    test('the printed line is all that the cluster needs', async () => {
      const printed = await drover.expect('import east --label env=prod', {
        says: ['waits for its agent', 'kubectl -n cattle-system get pods'],
      });
      const [, line = ''] = /^ {2}kubectl (apply -f https:\S+\.yaml)$/m.exec(printed) ?? [];
      // Go programs take further authorities from there.
      await onMember.expect(line, {
        env: { SSL_CERT_FILE: hub.authorities },
        says: ['namespace/cattle-system created', 'deployment.apps/cattle-cluster-agent created'],
      });
      const again = await onMember.expect(line, {
        env: { SSL_CERT_FILE: hub.authorities },
        says: 'deployment.apps/cattle-cluster-agent unchanged',
      });
      assert.doesNotMatch(again, /created|configured/);
      await kubectl.expect('get clusters.drover.io -l env=prod -o wide', {
        says: ['Tunnel', 'AgentDisconnected', 'kubectl -n cattle-system get pods'],
      });
    });

    test('the manifest can be fetched without trusting the network', async () => {
      invitation = await invite('east');
      const manifest = await drover.expect('import east -o manifest');
      writeFileSync(path.join(scratch.dir, 'manifest.yaml'), manifest);
      await onMember.expect(`apply --dry-run=server -f ${path.join(scratch.dir, 'manifest.yaml')}`, {
        says: 'serviceaccount/cattle unchanged',
      });
    });

    test('its agent makes the cluster ready', async () => {
      const waiting = drover.run('import east --wait --timeout 60s -o url', { timeoutMs: 70_000 });
      agent = startAgent(invitation.agentCommand, member);
      const { code, stderr } = await waiting;
      assert.deepEqual([code, /cluster "east" is ready/.test(stderr)], [0, true], stderr);
      await waitUntil('Ready');
      await kubectl.expect('get clusters.drover.io east -o wide', { says: ['True', 'v1.36.3', invitation.id] });
      await drover.expect('import east', {
        code: 1,
        says: 'cannot import "east": cluster "east" is a member already, and its agent is connected',
      });
    });

    test('its API is there through the hub, by name and by id', async () => {
      throughHub = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig('east'), dir: scratch.dir });
      await throughHub.expect('version', { says: 'Server Version: v1.36.3' });
      await throughHub.expect('create configmap colours --from-literal=sky=blue');
      assert.equal(await onMember.expect('get configmap colours -o jsonpath={.data.sky}'), 'blue');
      const byId = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig(invitation.id), dir: scratch.dir });
      await byId.expect('apply --server-side -f -', {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shapes' }, data: { sun: 'round' } }),
      });
      await throughHub.expect('get configmaps', { says: ['colours', 'shapes'] });
      await throughHub.expect('get pods nosuch', { code: 1, says: 'Error from server (NotFound): pods "nosuch" not found' });
    });

    test('watches come through as they happen', async () => {
      const watch = new Program({
        name: 'kubectl',
        command: rigProgramPath('kubectl'),
        args: ['get', 'configmaps', '-w', '--kubeconfig', hub.memberKubeconfig('east')],
        logFile: path.join(scratch.dir, 'watch.log'),
      });
      await watch.waitUntil(async () => readFileSync(watch.logFile, 'utf8').includes('colours'));
      await onMember.expect('create configmap late');
      await watch.waitUntil(async () => readFileSync(watch.logFile, 'utf8').includes('late'));
      await watch.stop();
    });

    test("the member's own rules decide about people", async () => {
      await kubectl.expect('create clusterrole east-door --verb=get --resource=clusters.drover.io --resource-name=east');
      const jane = '--as jane --as-group dev';
      await throughHub.expect(`get configmaps ${jane}`, {
        code: 1,
        says: 'clusters.drover.io "east" is forbidden: User "jane" cannot get',
      });
      await kubectl.expect('create clusterrolebinding east-door --clusterrole=east-door --group=dev');
      await eventually(
        () => throughHub.run(`get configmaps ${jane}`),
        ({ stderr }) => stderr.includes('configmaps is forbidden: User "jane" cannot list resource "configmaps"'),
      );
      await onMember.expect('create role reader --verb=get,list --resource=configmaps');
      await onMember.expect('create rolebinding jane --role=reader --user=jane');
      await eventually(
        () => throughHub.run(`get configmaps ${jane}`),
        ({ stdout }) => stdout.includes('colours'),
      );
      await throughHub.expect(`delete configmap colours ${jane}`, {
        code: 1,
        says: 'User "jane" cannot delete resource "configmaps"',
      });
      await throughHub.expect(`auth whoami ${jane}`, { says: ['jane', '[dev system:authenticated]'] });
    });

    test('nobody comes in without an account, and nobody learns which clusters there are', async () => {
      const anonymous = await fetchFrom(hub, '/k8s/clusters/east/api/v1/secrets');
      const unknown = await fetchFrom(hub, '/k8s/clusters/nosuch/api/v1/secrets');
      assert.ok([401, 403].includes(anonymous.code) && anonymous.code === unknown.code, `${anonymous.code} ${unknown.code}`);
    });

    test('a hub that is killed and started again has its members back', async () => {
      await hub.restart();
      await eventually(
        () => throughHub.run('get configmaps'),
        ({ code }) => code === 0,
        { timeoutMs: 60_000, everyMs: 500 },
      );
      await waitUntil('Ready');
    });

    test('an agent that is away is said to be, within seconds, to those who ask for it', async () => {
      await agent!.stop();
      await waitUntil('Ready=False');
      await throughHub.expect('get configmaps', {
        code: 1,
        says: ['Error from server (ServiceUnavailable): cluster "east" cannot be reached: its agent is not connected'],
      });
      agent = startAgent(invitation.agentCommand, member);
      await waitUntil('Ready');
    });

    test('tokens that are wrong, old or used by another cluster are refused in a sentence', async () => {
      const wrong = invitation.agentCommand.replace(invitation.token, 'b'.repeat(54));
      const refusals: [string, RegExp][] = [
        [wrong, /the registration token is not known to this hub/],
        [invitation.agentCommand, /the registration token was used by another cluster already/],
        [(await invite('west', '--token-ttl 1ms')).agentCommand, /the registration token has expired/],
        [
          invitation.agentCommand.replace(/--ca-checksum \S+/, `--ca-checksum ${'ab'.repeat(32)}`),
          /have the checksum [0-9a-f]{64}, but (?:ab){32} was expected/,
        ],
      ];
      for (const [command, message] of refusals) {
        const intruder = startAgent(command, stranger);
        assert.equal(await intruder.exited, 1);
        assert.match(intruder.logTail(5), message);
      }
      await kubectl.expect('get clusters.drover.io west -o wide', { says: 'No agent has connected yet' });
      const left = await kubectl.expect('get secrets -A -l drover.io/agent-identity -o name');
      assert.equal(left.trim().split('\n').length, 1, 'only east has an agent');
    });

    test('a cluster that is a member already is not imported a second time', async () => {
      const { agentCommand, id } = await invite('west');
      const twin = startAgent(agentCommand, member, 'twin');
      assert.equal(await twin.exited, 1);
      assert.match(twin.logTail(5), /this cluster is a member already, by the name "east"/);
      await kubectl.expect('delete clusters.drover.io west --timeout=30s');
      await kubectl.expect(`get namespace ${id}`, { code: 1, says: 'not found' });
    });

    test('bad words are refused before anything is made', async () => {
      await drover.expect('import North!', { code: 1, says: 'cannot import "North!"' });
      await drover.expect('import north --label nonsense', { code: 2, says: 'It is not KEY=VALUE' });
      await drover.expect('import north --server-url http://hub', {
        code: 2,
        says: 'is not an address such as https://hub.example.com:7443',
      });
      assert.doesNotMatch(await kubectl.expect('get clusters.drover.io -o name'), /north/i);
    });

    test('a cluster that is removed is left as it was, and its agent goes', async () => {
      await kubectl.expect('delete clusters.drover.io east --timeout=60s', { timeoutMs: 70_000 });
      assert.equal(await agent!.exited, 0);
      assert.match(agent!.logTail(3), /The agent stops: .*removed from the hub/);
      await kubectl.expect(`get namespace ${invitation.id}`, { code: 1, says: 'not found' });
      await eventually(
        () => onMember.expect('get namespaces,clusterroles,clusterrolebindings -o name'),
        found => !/cattle|proxy-role/.test(found),
        { timeoutMs: 60_000, what: 'what is left on the member' },
      );
      await onMember.expect('get configmap colours');
    });
  });

async function fetchFrom(hub: EitherHub, urlPath: string) {
  const target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
  try {
    return await target.request('GET', urlPath);
  } finally {
    target.close();
  }
}
