import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { ServiceSet } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub, type HubKind } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { installPrograms } from '../helpers/installed-programs.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';

const patient = { timeoutMs: 90_000, everyMs: 300 };
const folder = path.join(repositoryRoot, 'examples');
const stories = readdirSync(folder, { withFileTypes: true })
  .filter(entry => entry.isDirectory() && entry.name !== 'charts')
  .map(({ name }) => name);

test('every example says in five lines what it is and how it is run, and stands in the list', () => {
  const list = readFileSync(path.join(folder, 'README.md'), 'utf8');
  for (const name of stories) {
    const lines = readFileSync(path.join(folder, name, 'README.md'), 'utf8')
      .trimEnd()
      .split('\n');
    assert.ok(lines.length <= 6, `${name}: ${lines.length} lines`);
    assert.ok(
      lines.some(line => line.includes(`kubectl apply -f examples/${name}`)),
      name,
    );
    assert.ok(list.includes(`[${name}](${name})`), `${name} is not in examples/README.md`);
  }
});

for (const kind of hubKindsByTime)
  describe(
    `the examples run as they are, hub: ${kind}`,
    { skip: missingRig('etcd', 'kube-apiserver', 'kubectl') ?? false, timeout: 380_000 },
    () => examples(kind),
  );

function examples(kind: HubKind): void {
  const running = new AsyncDisposableStack();
  const scratch = running.use(scratchDir('examples'));
  let hub: EitherHub;
  let kubectl: CommandLine;
  let drover: CommandLine;

  before(async () => {
    hub = running.use(await startEitherHub(kind, undefined, ['--demo']));
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    const said = () => readFileSync(hub.program.logFile, 'utf8');
    await eventually(said, text => text.includes('Ctrl-C'), { ...patient, what: 'the demo' });
  });
  after(() => running.disposeAsync());

  async function apply(name: string): Promise<string> {
    const { code, stdout, stderr } = await kubectl.run(`apply -f ${path.join(folder, name)}`);
    assert.equal(code, 0, stdout + stderr);
    assert.equal(stderr, '', 'no warnings');
    return stdout;
  }

  /** `web-1-0-0 Deployed` and so on, on one cluster for one owner. */
  async function services(cluster: string, owner?: string): Promise<string[]> {
    const { items } = JSON.parse(await kubectl.expect('get servicesets -n kcm-system -o json')) as { items: ServiceSet[] };
    const set = items.find(({ spec }) => spec.cluster === cluster && spec.multiClusterService === owner);
    return (set?.status?.services ?? []).map(one => `${one.template} ${one.state}`).sort();
  }

  const become = (read: () => Promise<string[]>, expected: readonly string[], what: string) =>
    eventually(read, found => found.join() === expected.join(), { ...patient, what });

  test('multi-cluster-service: on the two that match, with values of their own', async () => {
    const said = await apply('multi-cluster-service');
    // The demo has made it, as kubectl would have.
    for (const line of said.trimEnd().split('\n')) assert.match(line, /(clusterdeployment|multiclusterservice|template)\S+ unchanged$/);
    for (const cluster of ['east', 'west']) {
      await become(() => services(cluster, 'web'), ['web-1-0-0 Deployed'], cluster);
      const page = await drover.expect(`kubectl ${cluster} -- get cm web -n web -o jsonpath={.data}`);
      assert.deepEqual(JSON.parse(page), { 'index.html': `Good morning ${cluster} from version 1.0` });
    }
    assert.deepEqual(await services('lab', 'web'), []);
    const why = await drover.expect('explain mcs/web -C lab');
    assert.match(why, /not selected: env is "test", not "prod"/);
  });

  test('priorities: the highest has the release', async () => {
    await apply('priorities');
    await become(() => services('dev-cluster-1', 'global-web'), ['web-1-1-0 Deployed'], 'global-web on dev-cluster-1');
    await become(() => services('dev-cluster-1'), ['policies-1-0-0 Deployed', 'web-1-0-0 Failed'], 'dev-cluster-1');
    await become(() => services('dev-cluster-2'), ['web-1-0-0 Deployed'], 'dev-cluster-2');
    await become(() => services('dev-cluster-2', 'global-web'), ['web-1-1-0 Failed'], 'global-web on dev-cluster-2');
    await drover.expect('explain mcs/global-web', { says: ['Outranked, which is no failure', /500 is the\s+highest priority/] });
  });

  test('dependencies: one after the other on each cluster', async () => {
    await apply('dependencies');
    for (const cluster of ['team-1', 'team-2']) {
      await become(() => services(cluster, 'mcs2'), ['database-1-0-0 Deployed', 'web-1-0-0 Deployed'], cluster);
      assert.deepEqual(await services(cluster, 'mcs1'), ['certificates-1-0-0 Deployed']);
    }
  });

  test('import: the cluster waits for its agent, whose manifest can be fetched', async () => {
    await apply('import');
    const url = await eventually(
      async () => {
        const id = await kubectl.expect(
          'get clusters.provisioning.cattle.io -n fleet-default harvester-basement -o jsonpath={.status.clusterName}',
        );
        return id === '' ? '' : kubectl.expect(`get clusterregistrationtokens -n ${id} default-token -o jsonpath={.status.manifestUrl}`);
      },
      found => found.startsWith('https://'),
      { ...patient, what: 'manifestUrl' },
    );
    const target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
    const manifest = await target.request('GET', new URL(url).pathname).finally(() => target.close());
    assert.equal(manifest.code, 200);
    assert.match(manifest.text, /cattle-cluster-agent/);
    await drover.expect('get clusters', { says: /harvester-basement +False +AgentDisconnected/ });
  });

  test('projects: the owner may write in the namespace of the project, the other may look, and neither elsewhere', async () => {
    await apply('projects');
    const may = async (what: string, namespace: string, user: string) =>
      (await drover.run(`kubectl bank -- auth can-i ${what} -n ${namespace} --as ${user}`)).stdout.trim();
    await eventually(
      () => may('create deployments', 'vault', 'u-owner'),
      answer => answer === 'yes',
      { ...patient, what: 'the owner' },
    );
    await eventually(
      () => may('get pods', 'vault', 'u-readonly'),
      answer => answer === 'yes',
      { ...patient, what: 'the reader' },
    );
    assert.equal(await may('create deployments', 'vault', 'u-readonly'), 'no');
    for (const user of ['u-owner', 'u-readonly']) assert.equal(await may('get pods', 'default', user), 'no');
  });

  // A cluster that was not ready when its turn came catches up after the end.
  const outcomeOf = (run: string, namespace: string) =>
    kubectl.expect(`get workflowruns ${run} -n ${namespace} -o jsonpath={.status.phase}:{.status.clusters.succeeded}`);
  const succeeds = (run: string, namespace: string) =>
    eventually(
      () => outcomeOf(run, namespace),
      outcome => outcome === 'Succeeded:2',
      { ...patient, what: `run ${run} in ${namespace}` },
    );
  const onMember = (cluster: string, what: string) => drover.expect(`kubectl ${cluster} -- get ${what} -n shop`);

  test('canary: the run succeeds on both clusters, another version comes by another run, and no canary is left', async () => {
    await apply('canary');
    await succeeds('first', 'example-canary');
    await kubectl.expect(
      `patch servicedefinition shop -n example-canary --type merge -p '{"spec":{"variables":[{"name":"version","value":"2.0"}]}}'`,
    );
    await drover.expect('run shop -n example-canary --name second --follow --timeout 90s');
    for (const cluster of ['canary-1', 'canary-2']) {
      const shown = await onMember(
        cluster,
        'deployments -o custom-columns=NAME:.metadata.name,IMAGE:.spec.template.spec.containers[0].image --no-headers',
      );
      assert.deepEqual(shown.trim().split(/\s+/), ['shop', 'example/shop:2.0']);
    }
    await drover.expect('runs -n example-canary', { says: [/first +Succeeded +2/, /second +Succeeded +2/] });
    await drover.expect('logs first -n example-canary', { says: 'Done.' });
  });

  test('blue-green: the Service of production leads to the new colour', async () => {
    await apply('blue-green');
    await succeeds('first', 'example-blue-green');
    for (const cluster of ['blue-green-1', 'blue-green-2']) {
      assert.equal(await onMember(cluster, 'service shop -o jsonpath={.spec.selector}'), '{"app":"shop","harness.io/color":"blue"}');
      assert.equal(await onMember(cluster, 'deployments -o name'), 'deployment.apps/shop-blue\n');
    }
  });

  test('what else their descriptions tell people to run can be run', async () => {
    const bin = installPrograms(scratch.dir, { rig: ['kubectl'], listen: '127.0.0.1:0' });
    const env = { PATH: `${bin}:${process.env['PATH']}`, KUBECONFIG: hub.kubeconfig };
    for (const name of stories) {
      const text = readFileSync(path.join(folder, name, 'README.md'), 'utf8');
      const commands = [...text.matchAll(/`((?:kubectl|npx drover) [^`]+)`/g)].map(match => match[1]!);
      assert.ok(commands.length > 0, name);
      // Those that only show a form, those that never end, and those that the other tests have run.
      const rest = commands.filter(command => !/NAME| -w$/.test(command) && !command.includes('apply -f'));
      for (const command of rest.map(one => one.replace(/^npx /, ''))) {
        const { code, stdout, stderr } = await runCommand('bash', ['-c', command], { env, cwd: repositoryRoot, timeoutMs: 60_000 });
        const isNo = command.includes('can-i') && stdout === 'no\n';
        assert.ok(code === 0 || isNo, `${name}: ${command}\n${stdout}${stderr}`);
      }
    }
  });

  test('all of it can be taken away again', { skip: process.env['DROVER_GATE'] === 'true' && 'npm run test:stories has it' }, async () => {
    const folders = stories.map(name => `-f ${path.join(folder, name)}`).join(' ');
    // As in k0rdent, a template stays as long as something uses it.
    await eventually(
      () => kubectl.run(`delete --ignore-not-found ${folders}`),
      ({ code }) => code === 0,
      { ...patient, what: 'nothing is in the way' },
    );
    await eventually(
      () => drover.run('get clusters'),
      ({ stderr }) => stderr.includes('No resources found'),
      { ...patient, what: 'no cluster is left' },
    );
  });
}
