import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { chartFiles, packedChart } from '../helpers/chart-files.ts';
import { chartRepository } from '../helpers/chart-repository.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub, type HubKind } from '../helpers/either-hub.ts';
import { gitBackend, testRepository } from '../helpers/git-server.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { ociRegistry } from '../helpers/oci-registry.ts';
import { scratchDir, startEtcd } from '../helpers/real-cluster.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';
import { startSourceServer, type SourceServer } from '../helpers/source-server.ts';

const login = { username: 'me', password: 'hunter2' };
const authorization = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`;

for (const kind of hubKindsByTime)
  describe(
    `charts from everywhere, hub: ${kind}`,
    { skip: missingRig('kubectl', 'kube-apiserver', 'etcd', 'helm') ?? false, timeout: 300_000 },
    () => tell(kind),
  );

function tell(kind: HubKind): void {
  const stack = new AsyncDisposableStack();
  const scratch = scratchDir('sources');
  const ending = { after: (end: () => Promise<void>) => void stack.defer(end) };
  const inScratch = (name: string) => path.join(scratch.dir, name);
  let hub: EitherHub;
  let drover: CommandLine;
  let kubectl: CommandLine;
  let member: CommandLine;
  let helm: CommandLine;
  let namespace: string;
  let web: SourceServer;
  let registry: SourceServer;
  let git: SourceServer;

  before(async () => {
    web = await startSourceServer(ending, chartRepository({ web: ['1.0.0', '1.1.0', '2.0.0-rc.1'] }, { authorization }).answer);
    registry = await startSourceServer(ending, ociRegistry({ auth: { scheme: 'bearer', ...login } }).answer);
    git = await startSourceServer(ending, gitBackend(scratch.dir, { authorization }));
    writeFileSync(inScratch('ca.crt'), web.ca.certificate);
    hub = stack.use(await startEitherHub(kind, stack.use(await startEtcd()), ['--allow-egress', '127.0.0.1/32']));
    drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    member = kubectlFor('kubectl', { kubeconfig: hub.memberKubeconfig('east'), dir: scratch.dir });
    helm = new CommandLine(rigProgramPath('helm'), { env: { HOME: scratch.dir, KUBECONFIG: '' }, cwd: scratch.dir });
    await drover.expect('sandbox create east --wait');
    namespace = await drover.expect('get cluster east -o jsonpath={.status.id}');
    await kubectl.expect(
      `create secret generic source -n ${namespace} --from-literal=username=me --from-literal=password=hunter2 --from-file=ca.crt=${inScratch('ca.crt')}`,
    );
  });
  after(async () => {
    await stack.disposeAsync();
    scratch[Symbol.dispose]();
  });

  const apply = (name: string, spec: object) =>
    kubectl.expect('apply -f -', {
      input: JSON.stringify({
        apiVersion: 'drover.io/v1alpha1',
        kind: 'Work',
        metadata: { name, namespace },
        spec: { release: { name, namespace: 'shop' }, ...spec },
      }),
    });
  const delivered = async (name: string) => {
    await kubectl.expect(`wait work/${name} -n ${namespace} --for=condition=Ready --timeout=60s`, { timeoutMs: 90_000 });
    return member.expect(`get configmap ${name} -n shop -o jsonpath={.data.version}`);
  };

  test('a Work names a repository and a range of versions', async () => {
    await apply('by-repository', { chart: { repository: web.url, name: 'web', version: '1.x', secretName: 'source' } });
    assert.equal(await delivered('by-repository'), '1.1.0');
  });

  test('a Work names a registry to which Helm has pushed', async () => {
    const place = `localhost:${registry.port}`;
    writeFileSync(inScratch('api-1.4.2.tgz'), packedChart('api', '1.4.2'));
    await helm.expect(`registry login ${place} --username me --password hunter2 --ca-file ca.crt`);
    await helm.expect(`push api-1.4.2.tgz oci://${place}/charts --ca-file ca.crt`);
    await helm.expect(`pull oci://${place}/charts/api --version 1.4.2 --ca-file ca.crt --destination ${scratch.dir}`);
    await apply('by-registry', { chart: { repository: `oci://${place}/charts`, name: 'api', secretName: 'source' } });
    assert.equal(await delivered('by-registry'), '1.4.2');
  });

  test('a Work names a folder of a repository of git', async () => {
    const repo = testRepository(inScratch('app.git'));
    repo.commit(Object.fromEntries(Object.entries(chartFiles('app', '3.0.0')).map(([name, text]) => [`deploy/${name}`, text])));
    repo.git('tag', 'v3');
    repo.commit({ 'deploy/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 4.0.0\n' });
    await apply('by-git', { chart: { repository: `git+${git.url}/app.git`, name: 'deploy', version: 'v3', secretName: 'source' } });
    assert.equal(await delivered('by-git'), '3.0.0');
  });

  test('a Work names a kustomization in git', async () => {
    const repo = testRepository(inScratch('overlay.git'));
    repo.commit({
      'base/kustomization.yaml': 'resources: [map.yaml]\n',
      'base/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map}\ndata: {version: base}\n',
      'prod/kustomization.yaml': 'resources: [../base]\nnamePrefix: prod-\nnamespace: shop\n',
    });
    await apply('prod-map', {
      kustomization: { repository: `git+${git.url}/overlay.git`, path: 'prod', secretName: 'source' },
      options: { createNamespace: true },
    });
    assert.equal(await delivered('prod-map'), 'base');
  });

  test('a chart is pushed to the hub, delivered from there, and pulled by Helm', async () => {
    for (const [name, text] of Object.entries(chartFiles('mine', '0.1.0'))) {
      mkdirSync(path.dirname(inScratch(`mine/${name}`)), { recursive: true });
      writeFileSync(inScratch(`mine/${name}`), text);
    }
    await apply('by-store', { chart: { repository: 'hub', name: 'mine' } });
    await kubectl.expect(
      `wait work/by-store -n ${namespace} '--for=jsonpath={.status.conditions[?(@.type=="Ready")].reason}=SourceFailed' --timeout=30s`,
    );
    await drover.expect('chart push mine', { says: /^chart "mine" 0.1.0 pushed \(sha256:[0-9a-f]{64}\)$/m });
    await drover.expect('chart push mine --error-unchanged', { says: 'unchanged', code: 3 });
    await drover.expect('chart list', { says: [/^NAME +VERSION +APP VERSION +DESCRIPTION$/m, /^mine +0.1.0 +0.1.0 +The chart mine$/m] });
    assert.equal(await delivered('by-store'), '0.1.0');

    writeFileSync(inScratch('mine/values.yaml'), 'greeting: changed\n');
    await drover.expect('chart push mine', {
      code: 1,
      says: ['is in the store already, with other content', 'drover chart delete mine 0.1.0'],
    });

    await kubectl.expect('create clusterrole chart-reader --verb=get,list --resource=contents.drover.io');
    await kubectl.expect('create clusterrolebinding chart-reader --clusterrole=chart-reader --serviceaccount=default:default');
    const token = (await kubectl.expect('create token default')).trim();
    mkdirSync(inScratch('pulled'));
    await helm.expect(
      `pull mine --repo ${hub.gateway}/charts --username x --password ${token} --ca-file ${hub.authorities} --destination ${inScratch('pulled')}`,
    );
    assert.ok(readFileSync(inScratch('pulled/mine-0.1.0.tgz')).length > 0);
    await helm.expect(`pull mine --repo ${hub.gateway}/charts --ca-file ${hub.authorities}`, { code: 1, says: '401' });

    await drover.expect('chart delete mine 0.1.0', { says: 'chart "mine" 0.1.0 deleted' });
    await drover.expect('chart delete mine 0.1.0', { code: 1, says: 'there is no chart "mine" 0.1.0 in the store' });
    assert.equal(await delivered('by-store'), '0.1.0');
  });

  test('what cannot be had is explained on the Work', async () => {
    const failing = {
      'no-chart': [{ repository: web.url, name: 'wbe', secretName: 'source' }, /chart "wbe" not found/],
      'no-version': [
        { repository: web.url, name: 'web', version: '7.x', secretName: 'source' },
        /version "7.x" of chart "web" not found .* it has 2.0.0-rc.1, 1.1.0, 1.0.0/,
      ],
      'no-login': [{ repository: web.url.replace('://', '://me:wrong-hunter2@'), name: 'web' }, /signed by an unknown authority|401/],
      'no-way': [{ repository: 'https://169.254.169.254/', name: 'web' }, /link-local address/],
      'no-secret': [{ repository: web.url, name: 'web', secretName: 'nobody' }, /there is no Secret "nobody"/],
    } as const;
    for (const [name, [chart]] of Object.entries(failing)) await apply(name, { chart });
    for (const [name, [, words]] of Object.entries(failing)) {
      await kubectl.expect(
        `wait work/${name} -n ${namespace} '--for=jsonpath={.status.conditions[?(@.type=="Ready")].reason}=SourceFailed' --timeout=60s`,
      );
      await kubectl.expect(`get work ${name} -n ${namespace} -o wide`, { says: words });
    }
  });

  test('credentials are in no status, no event and no log', async () => {
    const statuses = await kubectl.expect(`get works -n ${namespace} -o jsonpath={.items[*].status}`);
    const events = await kubectl.expect(`get events -n ${namespace} -o json`);
    assert.match(events, /SourceFailed/);
    for (const text of [statuses, events, readFileSync(hub.program.logFile, 'utf8')]) assert.doesNotMatch(text, /hunter2/);
  });

  test('drover template says what helm template says about charts from elsewhere', async () => {
    const oci = `oci://localhost:${registry.port}/charts/api`;
    for (const args of [
      `template shop web --repo ${web.url} --version ~1.0 --username me --password hunter2 --ca-file ca.crt`,
      `template shop web --repo ${web.url} --username me --password hunter2 --ca-file ca.crt --set greeting=x`,
      `template shop ${oci} --version 1.4.2 --username me --password hunter2 --ca-file ca.crt`,
      `template shop ${oci} --version 1.x --username me --password hunter2 --ca-file ca.crt`,
    ]) {
      const [ours, theirs] = await Promise.all([drover.expect(args), helm.expect(args)]);
      assert.equal(ours, theirs, args);
    }
  });
}
