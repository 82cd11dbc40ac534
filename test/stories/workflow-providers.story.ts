import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { CloudProvider } from '../../src/dialects/workflows/kinds/cloud-provider.ts';
import type { InfrastructureDefinition } from '../../src/dialects/workflows/kinds/infrastructure-definition.ts';
import type { WorkflowRun } from '../../src/dialects/workflows/kinds/workflow-run.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime, startEitherHub, type EitherHub } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { fakeRancher, type FakeRancher, type Trouble } from '../helpers/fake-rancher.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';
import { runningMemberPrograms, startRunningMember } from '../helpers/running-member.ts';
import { startSourceServer, type Ending, type SourceServer } from '../helpers/source-server.ts';

const missing = missingRig('kubectl', ...runningMemberPrograms);
const isGate = process.env['DROVER_GATE'] === 'true';
/** Two of the clusters are real, but for the gate, where all are sandboxes. */
const realNames = isGate ? [] : ['real-1', 'real-2'];
const patient = { timeoutMs: 90_000, everyMs: 200 };
const namespace = 'shop';

/** What is deployed tells where it is and where else it went. */
const manifests = `apiVersion: v1
kind: ConfigMap
metadata: {name: told, annotations: {harness.io/skip-versioning: "true"}}
data: {all: "\${rancher.clusters}", of: "\${cluster.name}"}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "web:1"}]}
`;

const object = (kind: string, name: string, spec: object) => ({
  apiVersion: 'delivery.drover.io/v1alpha1',
  kind,
  metadata: { name, ...(kind !== 'CloudProvider' && { namespace }) },
  spec,
});

for (const kind of hubKindsByTime)
  describe(`clusters of providers, hub: ${kind}`, { skip: missing ?? false, timeout: 400_000 }, () => {
    const scratch = scratchDir('workflow-providers');
    const endings: (() => Promise<void>)[] = [];
    const ending: Ending = { after: end => void endings.push(end) };
    let etcd: Etcd | undefined;
    let hub: EitherHub;
    let other: Hub;
    const real: RealCluster[] = [];
    let rancher: FakeRancher;
    let server: SourceServer;
    let kubectl: CommandLine;
    let drover: CommandLine;
    /** Of the other hub: `name:key`. */
    let otherToken: string;
    let otherTarget: HttpTarget;
    /** The clusters of the independent server, and where they really are. */
    const homes = new Map<string, string>();
    let files = 0;

    before(async () => {
      if (kind !== 'embedded' || !isGate) etcd = await startEtcd();
      const starting = realNames.map(() => startRunningMember(etcd!));
      [hub, other] = await Promise.all([startEitherHub(kind, etcd!, ['--sandbox', '1']), startHub({ extraArgs: ['--sandbox', '4'] })]);
      real.push(...(await Promise.all(starting)));
      kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
      drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
      const theirs = kubectlFor('kubectl', { kubeconfig: other.kubeconfig, dir: scratch.dir });
      const join = droverFor({ hub: other.kubeconfig, dir: scratch.dir });
      for (const [i, name] of realNames.entries()) await join.expect(`join ${name} --kubeconfig ${real[i]!.kubeconfig}`);
      await theirs.expect('wait --for=condition=Ready clusters.drover.io --all --timeout=90s', { timeoutMs: 100_000 });
      await theirs.expect('label clusters.drover.io sandbox-4 env=far');
      otherTarget = new HttpTarget({ server: other.server, ca: readFileSync(path.join(other.dir, 'pki/ca.crt'), 'utf8') });
      otherToken = await tokenOf(otherTarget, other.program.logFile);
      const ids = JSON.parse(await theirs.expect('get clusters.drover.io -o json')) as {
        items: { metadata: { name: string }; status: { id: string } }[];
      };
      const idOf = (name: string) => ids.items.find(one => one.metadata.name === name)!.status.id;

      const known: { server?: SourceServer } = {};
      rancher = fakeRancher({ url: () => known.server!.url, ca: () => known.server!.ca.certificate, pageSize: 2, member: forward });
      server = known.server = await startSourceServer(ending, rancher.answer);
      for (const [i, [id, name, labels]] of (
        [
          ['c-m-7wh8kqxz', 'cd-play-test-cluster', { env: 'dev', tier: 'a' }],
          ['local', 'local', { env: 'dev', tier: 'b' }],
          ['c-9zzzz', 'elsewhere', { env: 'qa', tier: 'a' }],
        ] as const
      ).entries()) {
        rancher.clusters.push({ id, name, labels: { ...labels } });
        homes.set(id, idOf(realNames[i] ?? `sandbox-${i + 1}`));
      }
      const token = rancher.newToken('token-harness');
      await apply(
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
        secret('rancher', { token }),
        secret('other', { accessKey: otherToken.split(':')[0]!, secretKey: otherToken.split(':')[1]! }),
        object('CloudProvider', 'rancher', rancherSpec({ url: `${server.url}/`, caBundle: base64(server.ca.certificate) })),
        object('Environment', 'test', { type: 'NonProd' }),
        object('ServiceDefinition', 'web', { manifests: [{ inline: manifests }] }),
        infrastructure('labelled', 'rancher', [
          { labelName: 'env', labelValues: '${workflow.variables.env}' },
          { labelName: 'tier', labelValues: 'a, b' },
        ]),
        object('Workflow', 'rolling', {
          type: 'Rolling',
          serviceRef: 'web',
          infrastructureRef: 'labelled',
          variables: [{ name: 'env', default: 'dev' }],
        }),
      );
    });

    after(async () => {
      for (const end of endings) await end();
      otherTarget?.close();
      for (const one of [hub, other, ...real, etcd]) await one?.[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    });

    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const secret = (name: string, stringData: Record<string, string>) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
      stringData,
    });
    const rancherSpec = (more: object) => ({
      type: 'Rancher',
      rancher: {
        auth: { bearerTokenSecretRef: { namespace, name: 'rancher', key: 'token' } },
        resyncInterval: '1s',
        requestTimeout: '2s',
        ...more,
      },
    });
    const infrastructure = (name: string, provider: string, clusterSelectionCriteria: object[]) =>
      object('InfrastructureDefinition', name, {
        environmentRef: 'test',
        cloudProviderRef: provider,
        namespace: 'payments',
        createNamespace: true,
        clusterSelectionCriteria,
      });

    async function apply(...items: object[]): Promise<void> {
      await kubectl.expect(`apply -f ${file(items)}`);
    }

    function file(items: object[]): string {
      const name = path.join(scratch.dir, `apply-${++files}.json`);
      writeFileSync(name, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
      return name;
    }

    const get = async <T>(what: string): Promise<T> => JSON.parse(await kubectl.expect(`get ${what} -o json`)) as T;

    /** As people get a token: they sign in and make one. */
    async function tokenOf(target: HttpTarget, logFile: string): Promise<string> {
      const [, password = ''] = /First admin password, shown once: (\S+)/.exec(readFileSync(logFile, 'utf8')) ?? [];
      const login = await eventually(
        () => target.request('POST', '/v3-public/localProviders/local?action=login', { username: 'admin', password }),
        answer => answer.code === 201,
        patient,
      );
      const headers = { Authorization: `Bearer ${login.json<{ token: string }>().token}` };
      const made = await target.request('POST', '/v3/tokens', { type: 'token', description: 'workflows' }, headers);
      assert.equal(made.code, 201, made.text);
      return made.json<{ token: string }>().token;
    }

    /** The members of the independent server are clusters of the other hub. */
    function forward(id: string, req: IncomingMessage, res: ServerResponse): void {
      const { host: _, authorization: __, ...headers } = req.headers;
      const place = (req.url ?? '').replace(/^\/k8s\/clusters\/[^/]+/, `/k8s/clusters/${homes.get(id)}`);
      const out = httpsRequest(
        `${other.server}${place}`,
        {
          method: req.method ?? 'GET',
          headers: { ...headers, authorization: `Bearer ${otherToken}` },
          ca: readFileSync(path.join(other.dir, 'pki/ca.crt')),
        },
        answer => {
          res.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(res);
        },
      );
      out.on('error', () => res.destroy());
      res.on('close', () => out.destroy());
      req.pipe(out);
    }

    async function start(name: string, workflow: string, spec: object = {}): Promise<void> {
      await apply(object('WorkflowRun', name, { workflowRef: { name: workflow }, ...spec }));
    }

    const runOf = (name: string): Promise<WorkflowRun> => get(`workflowrun ${name} -n ${namespace}`);
    const reaches = (name: string, ...phases: string[]): Promise<WorkflowRun> =>
      eventually(
        () => runOf(name),
        one => phases.includes(one.status?.phase ?? ''),
        { ...patient, what: `run ${name} as ${phases.join(' or ')}` },
      );
    const ends = (name: string): Promise<WorkflowRun> => reaches(name, 'Succeeded', 'Failed', 'RolledBack', 'RollbackFailed', 'Aborted');

    /** The lines of a step, without their times. */
    async function linesOf(run: string, step: string): Promise<string[]> {
      const text = await drover.expect(`logs run/${run} -n ${namespace} --step '${step}'`);
      const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('==> '));
      for (const line of lines) assert.match(line, /^(INFO|WARN|ERROR)\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {4}\S/);
      return lines.map(line => `${line.slice(0, 7)}…${line.slice(26)}`);
    }

    const told = async (id: string): Promise<Record<string, string>> => {
      const answer = await otherTarget.request('GET', `/k8s/clusters/${id}/api/v1/namespaces/payments/configmaps/told`, undefined, {
        Authorization: `Bearer ${otherToken}`,
      });
      return answer.code === 200 ? answer.json<{ data: Record<string, string> }>().data : {};
    };

    test('the provider connects, and its clusters are members like all others', async () => {
      await kubectl.expect('wait --for=condition=Ready cloudprovider/rancher --timeout=60s', { timeoutMs: 70_000 });
      const { status } = await get<CloudProvider>('cloudprovider rancher');
      assert.deepEqual([status?.clusters, status?.serverVersion], [3, 'v2.8.2']);
      await kubectl.expect('wait --for=condition=Ready clusters.drover.io --all --timeout=90s', { timeoutMs: 100_000 });
      const names = await kubectl.expect('get clusters.drover.io -l delivery.drover.io/provider=rancher,env=dev -o name');
      assert.deepEqual(names.trim().split('\n').length, 2, names);
    });

    test('which clusters would be chosen is seen before a run, where that can be', async () => {
      await apply(infrastructure('fixed', 'rancher', [{ labelName: 'env', labelValues: 'qa' }]));
      const { status } = await eventually(
        () => get<InfrastructureDefinition>(`infra fixed -n ${namespace}`),
        one => one.status?.matched?.[0]?.ready === true,
        patient,
      );
      assert.deepEqual(
        status?.matched?.map(one => one.name),
        ['elsewhere'],
      );
    });

    test('resolve_and_or_labels', async () => {
      await start('first', 'rolling');
      const { status } = await ends('first');
      assert.equal(status?.phase, 'Succeeded', JSON.stringify(status?.steps));
      assert.deepEqual(
        status.resolvedClusters?.map(one => one.name),
        ['cd-play-test-cluster', 'local'],
      );
      assert.equal(status.steps?.[0]?.name, 'Rancher Resolve Clusters');
      // The log of the seed, letter by letter but for the address, the time, and the third cluster, which is on the second page.
      assert.deepEqual(await linesOf('first', 'Rancher Resolve Clusters'), [
        `INFO   …    Fetching list of clusters and labels from Rancher: ${server.url}`,
        'INFO   …    Fetched clusters list: [cd-play-test-cluster, local, elsewhere]',
        'INFO   …    Eligible clusters list after applying label filters: [cd-play-test-cluster, local]',
      ]);
    });

    test('resolve_two_pages', async () => {
      await start('paged', 'rolling', { variables: { env: 'qa, dev' } });
      const { status } = await ends('paged');
      assert.equal(status?.phase, 'Succeeded', JSON.stringify(status?.steps));
      assert.deepEqual(
        status.resolvedClusters?.map(one => one.name),
        ['cd-play-test-cluster', 'local', 'elsewhere'],
      );
    });

    test('rancher_clusters_expression_joined_by_comma', async () => {
      assert.deepEqual(await told(homes.get('local')!), { all: 'cd-play-test-cluster,local,elsewhere', of: 'local' });
      assert.deepEqual(await told(homes.get('c-9zzzz')!), { all: 'cd-play-test-cluster,local,elsewhere', of: 'elsewhere' });
    });

    test('resolve_second_skipped_exact_message', async () => {
      await apply(
        object('Workflow', 'canary', {
          type: 'Canary',
          serviceRef: 'web',
          infrastructureRef: 'labelled',
          variables: [{ name: 'env', default: 'dev' }],
        }),
      );
      await start('canary', 'canary');
      const { status } = await ends('canary');
      assert.equal(status?.phase, 'Succeeded', JSON.stringify(status?.steps));
      const second = status.steps?.find(one => one.phase === 'Primary' && one.type === 'ResolveClusters');
      assert.deepEqual(
        [second?.status, second?.message],
        ['Skipped', 'Cluster Resolution is already done. Filtered clusters list: [cd-play-test-cluster, local]. Skipping.'],
      );
    });

    test('resolve_none_fails_exact_message', async () => {
      await start('none', 'rolling', { variables: { env: 'nowhere' } });
      const { status } = await ends('none');
      assert.equal(status?.steps?.[0]?.message, 'No eligible cluster found after filtering');
      assert.equal((await linesOf('none', 'Rancher Resolve Clusters')).at(-1), 'ERROR  …    No eligible cluster found after filtering');
      await apply(
        infrastructure('blank', 'rancher', [{ labelName: 'env', labelValues: '${workflow.variables.env}' }]),
        object('Workflow', 'blank', { type: 'Rolling', serviceRef: 'web', infrastructureRef: 'blank', variables: [{ name: 'env' }] }),
      );
      await start('blank', 'blank', { variables: { env: ' , ' } });
      assert.match((await ends('blank')).status?.steps?.[0]?.message ?? '', /would select every cluster/);
    });

    test('resolve_empty_criteria_rejected', async () => {
      const { code, stderr } = await kubectl.run(`apply -f ${file([infrastructure('every', 'rancher', [])])}`);
      assert.equal(code, 1);
      assert.match(stderr, /InfrastructureDefinition.* "every" is invalid: spec: Invalid value: .*set allowAllClusters to mean that/);
    });

    test('a provider that fails: the words of the step, the reason of the provider, and nobody loses a cluster', async () => {
      rancher.clusters.forEach(one => (one.labels = { ...one.labels, env: 'dev' }));
      const failures: readonly [name: string, trouble: NonNullable<Trouble>, reason: string, type: string, words: RegExp][] = [
        ['unauthorized', { status: 401, message: 'must authenticate' }, 'InvalidToken', 'Authentication', /\(401\)$/],
        [
          'forbidden',
          { status: 403, message: 'clusters is forbidden' },
          'InsufficientPermissions',
          'Authentication',
          /clusters is forbidden$/,
        ],
        ['broken', { status: 500, message: 'no space left' }, 'RancherError', 'Connectivity', /Rancher error: no space left$/],
        ['slow', { waitMs: 5000 }, 'ConnectionFailed', 'Connectivity', /did not answer within 2 s$/],
        ['cut', 'cut', 'ConnectionFailed', 'Connectivity', /./],
      ];
      for (const [name, trouble, reason, type, words] of failures) {
        rancher.troubles.set('/v3/clusters', trouble);
        await start(name, 'rolling');
        const { status } = await ends(name);
        const { message = '', failureType } = status?.steps?.[0] ?? {};
        assert.match(message, /^Error while fetching clusters data from Rancher\. Exception: /);
        assert.match(message, words);
        assert.equal(failureType, type);
        const provider = await eventually(
          () => get<CloudProvider>('cloudprovider rancher'),
          one => one.status?.conditions?.some(condition => condition.type === 'Ready' && condition.reason === reason) ?? false,
          { ...patient, what: `reason ${reason}` },
        );
        assert.equal(provider.status?.clusters, 3);
        rancher.troubles.clear();
      }
      await kubectl.expect('wait --for=condition=Ready cloudprovider/rancher --timeout=60s', { timeoutMs: 70_000 });
      const left = await kubectl.expect('get clusters.drover.io -l delivery.drover.io/provider=rancher -o name');
      assert.equal(left.trim().split('\n').length, 3);
    });

    test('a cluster that is lost in the middle is left out, and the others go on', async () => {
      await start('lost', 'rolling', { state: 'Initialize' });
      const planned = await reaches('lost', 'Waiting', 'Failed');
      assert.deepEqual(
        planned.status?.resolvedClusters?.map(one => one.name),
        ['cd-play-test-cluster', 'local', 'elsewhere'],
      );
      rancher.clusters.splice(2, 1);
      await eventually(
        () => kubectl.expect('get clusters.drover.io -l delivery.drover.io/provider=rancher -o name'),
        text => text.trim().split('\n').length === 2,
        patient,
      );
      await kubectl.expect(`patch workflowrun lost -n ${namespace} --type merge -p '{"spec":{"state":"Run"}}'`);
      const { status } = await ends('lost');
      assert.deepEqual(
        [status?.phase, status?.clusters?.succeeded, status?.clusters?.skipped],
        ['Succeeded', 2, 1],
        JSON.stringify(status?.steps),
      );
      assert.deepEqual((await told(homes.get('c-9zzzz')!))['of'], 'elsewhere', 'what runs there stays');
    });

    test('another hub is a Rancher like any other', async () => {
      const ca = readFileSync(path.join(other.dir, 'pki/ca.crt'), 'utf8');
      const auth = { accessKeySecretRef: { namespace, name: 'other' } };
      await apply(
        object('CloudProvider', 'other', rancherSpec({ url: other.server, caBundle: base64(ca), auth })),
        infrastructure('far', 'other', [{ labelName: 'env', labelValues: 'far' }]),
        object('Workflow', 'far', { type: 'Rolling', serviceRef: 'web', infrastructureRef: 'far' }),
      );
      await kubectl.expect('wait --for=condition=Ready cloudprovider/other --timeout=60s', { timeoutMs: 70_000 });
      await kubectl.expect('wait --for=condition=Ready clusters.drover.io -l env=far --timeout=60s', { timeoutMs: 70_000 });
      await start('far', 'far');
      const { status } = await ends('far');
      assert.equal(status?.phase, 'Succeeded', JSON.stringify(status?.steps));
      assert.deepEqual(
        status.resolvedClusters?.map(one => one.name),
        ['sandbox-4'],
      );
      await kubectl.expect(`patch cloudprovider other --type merge -p '{"spec":{"rancher":{"access":"Proxy"}}}'`);
      await eventually(
        () => get<CloudProvider>('cloudprovider other'),
        one => one.status?.observedGeneration === one.metadata.generation,
        patient,
      );
      await start('far-again', 'far');
      const again = await ends('far-again');
      assert.equal(again.status?.phase, 'Succeeded', JSON.stringify(again.status?.steps));
      const provider = await get<CloudProvider>('cloudprovider other');
      assert.ok((provider.status?.clusters ?? 0) >= 4, JSON.stringify(provider.status));
    });

    test('a provider that is this very hub gives the clusters that are there already', async () => {
      const target = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
      const token = await tokenOf(target, hub.program.logFile);
      target.close();
      await kubectl.expect('label clusters.drover.io sandbox-1 env=near');
      const before = (await kubectl.expect('get clusters.drover.io -o name')).trim().split('\n').length;
      await apply(
        secret('self', { token }),
        object(
          'CloudProvider',
          'self',
          rancherSpec({
            url: hub.gateway,
            caBundle: base64(readFileSync(hub.authorities, 'utf8')),
            auth: { bearerTokenSecretRef: { namespace, name: 'self', key: 'token' } },
          }),
        ),
        infrastructure('near', 'self', [{ labelName: 'env', labelValues: 'near' }]),
        object('Workflow', 'near', { type: 'Rolling', serviceRef: 'web', infrastructureRef: 'near' }),
      );
      await kubectl.expect('wait --for=condition=Ready cloudprovider/self --timeout=60s', { timeoutMs: 70_000 });
      await start('near', 'near');
      const { status } = await ends('near');
      assert.equal(status?.phase, 'Succeeded', JSON.stringify(status?.steps));
      assert.deepEqual(
        status.resolvedClusters?.map(one => one.name),
        ['sandbox-1'],
      );
      assert.equal(
        (await linesOf('near', 'Rancher Resolve Clusters'))[0],
        `INFO   …    Fetching list of clusters and labels from Rancher: ${hub.gateway}`,
      );
      const after = (await kubectl.expect('get clusters.drover.io -o name')).trim().split('\n').length;
      assert.equal(after, before, 'nothing is a member twice');
    });

    test('a provider that goes takes its clusters and its tokens along, and leaves what runs there', async () => {
      await kubectl.expect('delete cloudprovider rancher --timeout=60s', { timeoutMs: 70_000 });
      const left = await kubectl.expect('get clusters.drover.io -l delivery.drover.io/provider=rancher -o name');
      assert.equal(left.trim(), '');
      assert.deepEqual(
        [...rancher.tokens.keys()].filter(name => name.startsWith('kubeconfig-')),
        [],
      );
      assert.equal((await told(homes.get('local')!))['of'], 'local');
    });
  });
