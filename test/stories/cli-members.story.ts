import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub, type HubKind } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir, startEtcd } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../helpers/rig.ts';

for (const kind of hubKindsByTime)
  describe(
    `one table for many members, hub: ${kind}`,
    { skip: missingRig('kubectl', 'kube-apiserver', 'etcd') ?? false, timeout: 300_000 },
    () => tell(kind),
  );

function tell(kind: HubKind): void {
  const stack = new AsyncDisposableStack();
  const scratch = scratchDir('cli-members');
  const env = { DROVER_KUBECTL: rigProgramPath('kubectl') };
  let hub: EitherHub;
  let drover: CommandLine;
  let kubectl: CommandLine;

  before(async () => {
    hub = stack.use(await startEitherHub(kind, stack.use(await startEtcd())));
    drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    await drover.expect('sandbox create east --label env=prod --wait');
    await drover.expect('sandbox create west --label env=test --wait');
    for (const [cluster, name] of [
      ['east', 'web'],
      ['west', 'web'],
      ['west', 'api'],
    ])
      await drover.expect(`kubectl ${cluster} -- create configmap ${name} --from-literal=a=1`, { env });
  });
  after(async () => {
    await stack.disposeAsync();
    scratch[Symbol.dispose]();
  });

  const rows = (text: string) =>
    text
      .trimEnd()
      .split('\n')
      .map(line => line.split(/ {2,}/).slice(0, 2).join(' '));

  test('drover get clusters and kubectl get clusters.drover.io are the same, wide too', async () => {
    for (const wide of ['', ' -o wide'])
      await eventually(
        async () => [await drover.expect(`get clusters${wide}`), await kubectl.expect(`get clusters.drover.io${wide}`)],
        ([ours, theirs]) => ours === theirs && ours!.includes('east'),
        { timeoutMs: 60_000 },
      );
  });

  test('the member stands behind the name', async () => {
    const shown = await drover.expect('get configmaps --all-clusters --field-selector metadata.name!=kube-root-ca.crt');
    assert.deepEqual(rows(shown), ['NAME CLUSTER', 'web east', 'api west', 'web west']);
    await drover.expect('get cm -C west -A', { says: /^NAMESPACE +NAME +CLUSTER +DATA +AGE\n/ });
  });

  test('drover describe says what kubectl describe says of kinds that it does not know, with the member where there is one', async () => {
    const what = 'customresourcedefinitions works.drover.io';
    assert.equal(await drover.expect(`describe ${what}`), await kubectl.expect(`describe ${what}`));
    const both = await drover.expect('describe cm/web --all-clusters');
    assert.deepEqual(both.match(/^Cluster: .*$/gm), ['Cluster:      east', 'Cluster:      west']);
    await drover.expect('describe cm/web -C east,north', { code: 5, says: ['Cluster:      east', 'cluster "north": '] });
    await drover.expect('describe cm/none', { code: 1, says: 'not found' });
  });

  test('drover wait waits on many members, and says how far they are when the time is over', async () => {
    assert.equal(
      await drover.expect('wait clusters --all --for=condition=Ready --timeout=60s'),
      'cluster.drover.io/east condition met\ncluster.drover.io/west condition met\n',
    );
    assert.equal(
      await drover.expect("wait cm/web --all-clusters --for=jsonpath='{.data.a}'=1"),
      'east/configmap/web condition met\nwest/configmap/web condition met\n',
    );
    await drover.expect("wait cm/web -C east --for=jsonpath='{.data.a}'=2 --timeout=1s", {
      code: 4,
      says: ['east/configmap/web ({.data.a} is 1)', '--timeout gives it longer'],
    });
    const coming = drover.expect('wait cm/later -C east --for=create --timeout=60s', { says: 'condition met' });
    await drover.expect('kubectl east -- create configmap later', { env });
    await coming;
    const going = drover.expect('wait cm/later -C east --for=delete --timeout=60s');
    await drover.expect('kubectl east -- delete configmap later', { env });
    await going;
    await drover.expect('wait cm/none -C east --for=condition=Ready', { code: 1, says: 'not found' });
    await drover.expect('wait clusters --for=condition=Ready', { code: 2, says: '--all' });
    await drover.expect('wait clusters --all', { code: 2, says: '--for' });
  });

  test('a dry run changes nothing, and that of the server is refused where the change would be', async () => {
    await drover.expect('sandbox create north --dry-run', { says: 'sandbox "north" created (dry run)' });
    await drover.expect('sandbox create north --dry-run=server', { says: '(server dry run)' });
    await drover.expect('sandbox create No_Name --dry-run=server', { code: 1, says: 'cannot create' });
    await drover.expect('sandbox delete east --dry-run=server', { says: 'sandbox "east" deleted (server dry run)' });
    const charts = ['web-1.0.0', 'web-1.1.0'].map(name => path.join(repositoryRoot, 'examples/charts', name)).join(' ');
    await drover.expect(`chart push ${charts} --dry-run`, { says: [/"web" 1\.0\.0 pushed .*\(dry run\)/, /"web" 1\.1\.0 pushed/] });
    assert.deepEqual(
      rows(await drover.expect('get clusters')).map(row => row.split(' ')[0]),
      ['NAME', 'east', 'west'],
    );
    assert.equal(await drover.expect('chart list'), '');
  });

  test('members are chosen by name and by label', async () => {
    assert.deepEqual(rows(await drover.expect('get cm web --cluster-selector env=test')), ['NAME CLUSTER', 'web west']);
    assert.deepEqual(rows(await drover.expect('get cm web -C west,east')), ['NAME CLUSTER', 'web west', 'web east']);
    await drover.expect('get cm --cluster-selector env=none', { code: 1, says: ['no member matches "env=none"', '--show-labels'] });
    await drover.expect('get cm --all-clusters -C east', { code: 2 });
  });

  test('objects say which member they are from', async () => {
    const list = JSON.parse(await drover.expect('get cm api web --all-clusters -o json')) as {
      items: { metadata: { annotations: object } }[];
    };
    assert.deepEqual(
      list.items.map(item => item.metadata.annotations),
      ['east', 'west', 'west'].map(cluster => ({ 'drover.io/cluster': cluster })),
    );
    assert.equal(
      await drover.expect('get cm api web --all-clusters -o name'),
      'east/configmap/web\nwest/configmap/api\nwest/configmap/web\n',
    );
  });

  test('a name that only some members have is found; one that none has is not', async () => {
    assert.deepEqual(rows(await drover.expect('get cm api --all-clusters')), ['NAME CLUSTER', 'api west']);
    await drover.expect('get cm nobody --all-clusters', {
      code: 1,
      says: ['cluster "east": configmaps "nobody" not found', 'cluster "west"'],
    });
  });

  test('changes of all members come in one stream', async () => {
    const out = path.join(scratch.dir, 'watched');
    await using watching = startDrover(
      `get cm -w --all-clusters --output-watch-events -o custom-columns=T:.type,N:.object.metadata.name,C:.object.metadata.annotations.drover\\.io/cluster`,
      out,
    );
    await eventually(
      () => readFileSync(out, 'utf8'),
      text => /web +west/.test(text) && /web +east/.test(text),
    );
    await drover.expect('kubectl east -- create configmap late', { env });
    await drover.expect('kubectl west -- delete configmap api', { env });
    await eventually(
      () => readFileSync(out, 'utf8'),
      text => /ADDED +late +east\n/.test(text) && /DELETED +api +west\n/.test(text),
    );
    watching.kill('SIGINT');
    assert.equal(await watching.exited, 130);
  });

  test('a member that is gone costs a line and exit code 5, not the others', async () => {
    const spec = { connection: { mode: 'Direct', server: `https://127.0.0.1:${await freePort()}`, secretName: 'credential' } };
    const gone = { apiVersion: 'drover.io/v1alpha1', kind: 'Cluster', metadata: { name: 'gone' }, spec };
    await kubectl.expect('apply -f -', { input: JSON.stringify(gone) });
    const { code, stdout, stderr } = await drover.run('get cm web --all-clusters');
    assert.equal(code, 5, stderr);
    assert.deepEqual(rows(stdout), ['NAME CLUSTER', 'web east', 'web west']);
    assert.match(stderr, /^cluster "gone"[^\n]+\n( {2}"drover describe cluster gone"[^\n]+\n)?$/);
    await drover.expect('get cm -C gone', { code: 1, says: 'cluster "gone"' });
    await drover.expect('get cm -C nobody,east', { code: 5, says: ['"nobody" not found', 'web'] });
    await kubectl.expect('delete cluster.drover.io gone --wait=false');
  });

  test('drover kubeconfig leads kubectl to the member, and merges into what is there', async () => {
    const file = path.join(scratch.dir, 'member.yaml');
    await drover.expect(`kubeconfig east -o ${file}`, { says: `context "drover-east" written to ${file}` });
    assert.equal((statSync(file).mode & 0o777).toString(8), '600');
    await drover.expect(`kubeconfig west --merge -o ${file}`);
    const through = kubectlFor('kubectl', { kubeconfig: file, dir: scratch.dir });
    await through.expect('get configmap late');
    await through.expect('--context drover-west get configmap web');
    assert.match(await drover.expect('kubeconfig east'), new RegExp(`server: ${hub.gateway}/k8s/clusters/east\n`));
    await drover.expect('kubeconfig nobody', { code: 1, says: ['no member "nobody"', 'drover get clusters'] });
  });

  test('drover kubectl passes arguments, input, output and exit code, and leaves nothing behind', async () => {
    const leftBehind = () => readdirSync(tmpdir()).filter(name => name.startsWith('drover-kubectl-'));
    const before = leftBehind();
    await drover.expect('kubectl east -- get configmap nobody', { env, code: 1, says: 'Error from server (NotFound)' });
    await drover.expect('kubectl east get configmap web -o name', { env, says: 'configmap/web' });
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typed' } });
    await drover.expect('kubectl west -- apply -f -', { env, input, says: 'configmap/typed created' });
    await drover.expect('kubectl east -- get ns', {
      env: { DROVER_KUBECTL: '/no/such/kubectl' },
      code: 1,
      says: ['cannot run', 'DROVER_KUBECTL'],
    });

    const out = path.join(scratch.dir, 'kubectl-watched');
    await using watching = startDrover('kubectl east -- get configmaps -w', out, env);
    await eventually(() => readFileSync(out, 'utf8').includes('late'));
    watching.kill('SIGTERM');
    await watching.exited;
    // Others may be running kubectl on this machine too.
    await eventually(
      () => leftBehind().filter(name => !before.includes(name) && isOurs(name)),
      names => names.length === 0,
    );
  });

  const isOurs = (name: string) => {
    const file = path.join(tmpdir(), name, 'kubeconfig');
    return existsSync(file) && readFileSync(file, 'utf8').includes(hub.gateway);
  };

  function startDrover(line: string, logFile: string, more: Record<string, string> = {}): Program {
    return new Program({
      name: 'drover',
      command: path.join(repositoryRoot, 'node_modules/.bin/node'),
      args: [path.join(repositoryRoot, 'bin/drover.js'), ...line.split(' ')],
      logFile,
      env: { HOME: scratch.dir, DROVER_KUBECONFIG: hub.kubeconfig, ...more },
    });
  }
}
