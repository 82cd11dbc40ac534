import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Deployment, Namespace, Secret } from '../../src/api/builtin-kinds.ts';
import { ensureHarvester } from '../../src/sandbox/harvester/harvester-platform.ts';
import { runClusterRegistration } from '../../src/sandbox/harvester/cluster-registration.ts';
import { createEgress } from '../../src/sources/egress.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir, startEtcd, type RealCluster } from '../helpers/real-cluster.ts';
import { startRealMember } from '../helpers/real-member.ts';
import { clientOf } from '../helpers/release-rig.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl');
const patient = { timeoutMs: 60_000, everyMs: 200 };

// Both as they stand in the manual of Harvester.
const clusterYaml = `apiVersion: provisioning.cattle.io/v1
kind: Cluster
metadata:
  name: harvester-cluster-name
  namespace: fleet-default
  labels:
    provider.cattle.io: harvester
  annotations:
    field.cattle.io/description: Human readable cluster description
spec:
  agentEnvVars: []
`;
const tokenYaml = (id: string) => `apiVersion: management.cattle.io/v3
kind: ClusterRegistrationToken
metadata:
  name: default-token
  namespace: ${id}
spec:
  clusterName: ${id}
`;

for (const kind of hubKindsByTime)
  describe(`importing a Harvester cluster as its manual says, hub: ${kind}`, { skip: missing ?? false, timeout: 200_000 }, () => {
    const running = new AsyncDisposableStack();
    const scratch = running.use(scratchDir('rancher-import'));
    const stop = new AbortController();
    let hub: EitherHub;
    let harvester: RealCluster;
    let kubectl: CommandLine;
    let onHarvester: CommandLine;
    let agent: Program | undefined;
    let id = '';
    let manifestUrl = '';

    before(async () => {
      const etcd = running.use(await startEtcd());
      [harvester, hub] = await Promise.all([startRealMember(etcd), startEitherHub(kind, etcd)]);
      running.use(harvester);
      running.use(hub);
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      onHarvester = kubectlFor('kubectl', { kubeconfig: harvester.kubeconfig, dir: harvester.dir });
      // What Harvester itself does, on a real API server.
      const client = running.use(clientOf(harvester.kubeconfig));
      await ensureHarvester(client, { version: 'v1.9.0', signal: stop.signal });
      runClusterRegistration({ client, egress: createEgress({ allow: ['127.0.0.0/8'] }), signal: stop.signal });
    });
    after(async () => {
      stop.abort();
      await agent?.stop();
      await running.disposeAsync();
    });

    const register = (value: string) =>
      onHarvester.expect(`patch settings.harvesterhci.io cluster-registration-url --type merge -p '${JSON.stringify({ value })}'`);
    const configured = (field: 'status' | 'message') =>
      onHarvester.expect(
        `get settings.harvesterhci.io cluster-registration-url -o 'jsonpath={.status.conditions[?(@.type=="configured")].${field}}'`,
      );
    const pending = () =>
      kubectl.expect(`get clusters.management.cattle.io ${id} -o 'jsonpath={.status.conditions[?(@.type=="Pending")].status}'`);

    /** The container of the Deployment as a plain process, in the place of the pod that no node here would run. */
    async function startAgent(changed: Record<string, string> = {}): Promise<Program> {
      const deployment = JSON.parse(await onHarvester.expect('-n cattle-system get deployment cattle-cluster-agent -o json')) as Deployment;
      const { containers, volumes } = deployment.spec!.template.spec!;
      const secretName = volumes?.[0]?.secret?.secretName ?? '';
      const secret = JSON.parse(await onHarvester.expect(`-n cattle-system get secret ${secretName} -o json`)) as Secret;
      const env = Object.fromEntries(containers[0]!.env!.map(({ name, value = '' }) => [name, value]));
      return new Program({
        name: 'agent',
        command: path.join(repositoryRoot, 'node_modules/.bin/node'),
        args: [
          path.join(repositoryRoot, 'bin/drover.js'),
          'agent',
          '--kubeconfig',
          harvester.kubeconfig,
          '--state',
          path.join(harvester.dir, 'state'),
        ],
        logFile: path.join(harvester.dir, 'agent.log'),
        env: { HOME: harvester.dir, ...env, CATTLE_TOKEN: Buffer.from(secret.data!['token']!, 'base64').toString(), ...changed },
      });
    }

    test('the Cluster has an id within five seconds', async () => {
      await eventually(
        () => kubectl.run('get namespace fleet-default'),
        ({ code }) => code === 0,
        patient,
      );
      await kubectl.expect('apply -f -', { input: clusterYaml, says: 'cluster.provisioning.cattle.io/harvester-cluster-name created' });
      await kubectl.expect('apply -f -', { input: clusterYaml.replaceAll('harvester-cluster-name', 'never-came') });
      const read = () =>
        kubectl.expect('-n fleet-default get clusters.provisioning.cattle.io harvester-cluster-name -o jsonpath={.status.clusterName}');
      id = await eventually(read, text => text !== '', { timeoutMs: 5_000, everyMs: 100 });
      assert.match(id, /^c-m-[a-z0-9]{8}$/);
    });

    test('its token says where the manifest is', async () => {
      await eventually(
        () => kubectl.run(`get namespace ${id}`),
        ({ code }) => code === 0,
        patient,
      );
      await kubectl.expect('apply -f -', {
        input: tokenYaml(id),
        says: /clusterregistrationtoken.management.cattle.io\/default-token (created|configured|unchanged)/,
      });
      const read = () => kubectl.expect(`-n ${id} get clusterregistrationtokens default-token -o jsonpath={.status.manifestUrl}`);
      manifestUrl = await eventually(read, text => text !== '', patient);
      assert.match(manifestUrl, new RegExp(`^https://[^/]+/v3/import/[a-z0-9]{54}_${id}\\.yaml$`));
    });

    test('a wrong token is refused, and Harvester shows why', async () => {
      await register(manifestUrl.replace(/[a-z0-9]{54}/, 'b'.repeat(54)));
      await eventually(
        () => configured('message'),
        text => text.includes('cluster not found or invalid token'),
        patient,
      );
      assert.equal(await configured('status'), 'False');
      assert.equal(await pending(), 'Unknown');
    });

    test('with the right one the agent comes, and the cluster becomes active', async () => {
      // The older form of the address, as the manual prints it.
      await register(manifestUrl.replace(`_${id}`, `-${id}`));
      await eventually(
        () => configured('status'),
        text => text === 'True',
        patient,
      );
      const stranger = await startAgent({ CATTLE_CA_CHECKSUM: 'ab'.repeat(32) });
      assert.equal(await stranger.exited, 1);
      assert.match(stranger.logTail(5), /have the checksum [0-9a-f]{64}, but (?:ab){32} was expected/);
      assert.equal(await pending(), 'Unknown');

      agent = await startAgent();
      await kubectl.expect(`wait clusters.management.cattle.io ${id} --for=condition=Ready --timeout=60s`, { timeoutMs: 70_000 });
      await kubectl.expect(
        '-n fleet-default wait clusters.provisioning.cattle.io harvester-cluster-name --for=jsonpath={.status.ready}=true --timeout=30s',
        { timeoutMs: 40_000 },
      );
      await eventually(
        () => kubectl.expect(`get clusters.management.cattle.io ${id} -o jsonpath={.status.provider}`),
        text => text === 'harvester',
        patient,
      );
      await kubectl.expect(`get clusters.management.cattle.io ${id}`, { says: ['harvester-cluster-name', 'True', 'v1.36.3'] });
    });

    test('deleting it takes everything away on the hub, and leaves Harvester its namespace', async () => {
      await kubectl.expect('-n fleet-default delete clusters.provisioning.cattle.io harvester-cluster-name never-came --timeout=60s', {
        timeoutMs: 70_000,
      });
      assert.doesNotMatch(await kubectl.expect('get clusters.management.cattle.io'), /harvester-cluster-name|never-came/);
      await kubectl.expect(`get clusters.management.cattle.io ${id}`, { code: 1, says: 'not found' });
      await kubectl.expect('get clusters.drover.io harvester-cluster-name', { code: 1, says: 'not found' });
      await kubectl.expect(`get namespace ${id}`, { code: 1, says: 'not found' });
      assert.equal(await agent!.exited, 0);
      assert.match(agent!.logTail(3), /The agent stops: .*removed from the hub/);
      const { items } = JSON.parse(await onHarvester.expect('get namespaces -o json')) as { items: Namespace[] };
      assert.ok(items.some(({ metadata }) => metadata.name === 'cattle-system'));
      for (const { metadata, status } of items) {
        assert.equal(status?.phase, 'Active', metadata.name!);
        assert.ok(!JSON.stringify([metadata.finalizers, metadata.annotations]).includes(id), metadata.name!);
      }
    });

    test('resetting the address removes the agent, and cattle-system stands', async () => {
      await onHarvester.expect('-n cattle-system get deployment cattle-cluster-agent');
      await register('');
      await eventually(
        () => onHarvester.run('-n cattle-system get deployment cattle-cluster-agent'),
        ({ stderr }) => stderr.includes('not found'),
        patient,
      );
      assert.equal(await configured('status'), 'False');
      assert.equal(await onHarvester.expect('get namespace cattle-system -o jsonpath={.status.phase}'), 'Active');
      await onHarvester.expect('-n cattle-system get service rancher');
    });
  });
