import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { otherHubKindByTime, startEitherHub, type EitherHub, type HubKind } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir, startEtcd, type Etcd } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';
import { startPlainServer } from '../helpers/source-server.ts';

/** Under load a run takes its time. */
const slow = { timeoutMs: 200_000 };
const patient = { timeoutMs: 120_000, everyMs: 250 };
const version = 'delivery.drover.io/v1alpha1';
const namespace = 'shop';
const object = (kind: string, name: string, spec: object) => ({ apiVersion: version, kind, metadata: { name, namespace }, spec });

const manifests = `
apiVersion: v1
kind: ConfigMap
metadata: { name: web-config }
data: { version: "\${workflow.variables.version}" }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: web, image: "web:\${workflow.variables.version}", envFrom: [{ configMapRef: { name: web-config } }] }]
`;

const infrastructure = (name: string) =>
  object('InfrastructureDefinition', name, {
    environmentRef: 'prod',
    cloudProviderRef: 'this-hub',
    namespace: name,
    createNamespace: true,
    releaseName: `release-${name}`,
    clusterSelectionCriteria: [{ labelName: 'tier', labelValues: 'shops, stalls' }],
  });
const workflow = (name: string, type: string, infrastructureRef: string, more: object = {}) =>
  object('Workflow', name, {
    type,
    serviceRef: 'web',
    infrastructureRef,
    variables: [{ name: 'version', default: '1.0', allowedValues: ['1.0', '2.0', '3.0'] }],
    ...more,
  });
const waits = { waves: [{ name: 'all', remainder: true, before: [{ name: 'quiet', type: 'Wait', duration: '1h' }] }] };
const asks = {
  waves: [
    { name: 'first', count: 1 },
    {
      name: 'rest',
      remainder: true,
      before: [{ name: 'sign-off', type: 'Approval', selfApproval: true, message: 'Go on to ${wave.name}?' }],
    },
  ],
};

for (const kind of otherHubKindByTime)
  describe(`workflows by hand, hub: ${kind}`, { skip: missingRig('kubectl', 'kube-apiserver', 'etcd') ?? false, timeout: 900_000 }, () =>
    tell(kind),
  );

function tell(kind: HubKind): void {
  const stack = new AsyncDisposableStack();
  const scratch = scratchDir('workflow-cli');
  const told: { headers: Record<string, unknown>; body: string }[] = [];
  let etcd: Etcd;
  let hub: EitherHub;
  let drover: CommandLine;
  let kubectl: CommandLine;
  let web: HttpTarget;

  before(async () => {
    etcd = stack.use(await startEtcd());
    hub = stack.use(await startEitherHub(kind, etcd, ['--allow-egress', '127.0.0.0/8']));
    drover = droverFor({ hub: hub.kubeconfig, dir: scratch.dir });
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    web = new HttpTarget({ server: hub.gateway, ca: readFileSync(hub.authorities, 'utf8') });
    stack.defer(() => web.close());
    const { url } = await startPlainServer({ after: end => stack.defer(end) }, async (req, res) => {
      told.push({ headers: req.headers, body: await text(req) });
      res.writeHead(204).end();
    });
    await Promise.all([
      drover.expect('sandbox create east --label tier=shops --wait'),
      drover.expect('sandbox create west --label tier=stalls --wait'),
      drover.expect('sandbox create away --label tier=none --wait'),
    ]);
    await kubectl.expect(`create namespace ${namespace}`);
    await apply(
      { apiVersion: version, kind: 'CloudProvider', metadata: { name: 'this-hub' }, spec: { type: 'Drover' } },
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'receiver', namespace },
        stringData: { url: `${url}/hook`, secret: 'sign-with-me' },
      },
      object('Environment', 'prod', { type: 'Prod' }),
      object('ServiceDefinition', 'web', { manifests: [{ inline: manifests }] }),
      ...['rolling', 'canary', 'blue-green', 'paused'].map(infrastructure),
      workflow('rolling', 'Rolling', 'rolling', { notifications: [{ webhook: { urlSecretRef: { name: 'receiver', key: 'url' } } }] }),
      workflow('canary', 'Canary', 'canary', { rollout: asks }),
      workflow('blue-green', 'BlueGreen', 'blue-green'),
      workflow('paused', 'Rolling', 'paused', { rollout: waits }),
    );
  });
  after(async () => {
    await stack.disposeAsync();
    scratch[Symbol.dispose]();
  });

  async function apply(...objects: object[]): Promise<void> {
    await kubectl.expect('apply -f -', { input: objects.map(one => JSON.stringify(one)).join('\n---\n') });
  }
  const images = (ns: string, name = 'web') =>
    drover.expect(`get deploy ${name} -n ${ns} -C east,west -o jsonpath={.items[*].spec.template.spec.containers[0].image}`);
  const phaseOf = (run: string, type = 'workflowrun') => kubectl.expect(`-n ${namespace} get ${type} ${run} -o jsonpath={.status.phase}`);
  const becomes = (run: string, phase: string) =>
    eventually(
      () => phaseOf(run),
      found => found === phase,
      { ...patient, what: `${run} ${phase}` },
    );
  const madeRun = (said: string) => /workflowrun\.delivery\.drover\.io\/(\S+) created/.exec(said)![1]!;

  test('Rolling: a run is followed per cluster and step, and its log has the lines that people know', async () => {
    const said = await drover.expect(`run rolling -n ${namespace} --var version=1.0 --follow --timeout 120s`, {
      says: [
        /^workflowrun\.delivery\.drover\.io\/rolling-\w+ created\n/,
        'step Resolve Clusters: Succeeded\n',
        'cluster east: Rollout Deployment: Running\n',
        'cluster west: Rollout Deployment: Succeeded\n',
        'step Rollout Deployment: Succeeded\n',
        /run: Succeeded/,
      ],
    });
    assert.equal(await images('rolling'), 'web:1.0 web:1.0');
    const run = madeRun(said);
    await drover.expect(`runs -n ${namespace}`, { says: new RegExp(`^NAME +PHASE +CLUSTERS.*\\n${run} +Succeeded +2 `) });
    await drover.expect(`runs -n ${namespace} -o wide`, { says: new RegExp(`^NAME.* WORKFLOW.*\\n${run} .*rolling`) });
    await drover.expect(`runs rolling -A`, { says: run });
    await drover.expect(`logs run/${run} -n ${namespace} --cluster run`, {
      says: [
        /^==> run \/ Resolve Clusters \/ Execute <==\n/,
        /^INFO {3}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {4}Fetched clusters list: \[.*east.*\]$/m,
        /^INFO {3}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {4}Eligible clusters list after applying label filters: \[east, west\]$/m,
      ],
    });
    const east = await drover.expect(`logs run/${run} -n ${namespace} -C east --step 'Rollout Deployment' --unit Prepare -o json`);
    assert.ok(
      east
        .trimEnd()
        .split('\n')
        .every(line => (JSON.parse(line) as { cluster: string }).cluster === 'east'),
      east,
    );
    assert.match(east, /Current release number is: 1/);
    await kubectl.expect(`-n ${namespace} events --for workflowrun/${run}`, { says: ['RunStarted', 'RunSucceeded'] });
    const { headers, body } = await eventually(() => told.find(one => one.body.includes('RunSucceeded'))!, Boolean, patient);
    assert.equal(headers['x-drover-signature'], `sha256=${createHmac('sha256', 'sign-with-me').update(body).digest('hex')}`);
    assert.equal((JSON.parse(body) as { run: string }).run, run);
  });

  test('a preview tells what would change and changes nothing', async () => {
    const said = await drover.expect(`run rolling -n ${namespace} --var version=2.0 --preview`, {
      says: [/^east: 1 to create, [12] to change/m, /~ rolling\/Deployment\/web/, /^plan sha256:/m],
    });
    assert.equal(await images('rolling'), 'web:1.0 web:1.0');
    await drover.expect(`run rolling -n ${namespace} --var version=3.0 --previewed ${madeRun(said)} --follow`, {
      code: 1,
      says: 'What would be done is not what the preview showed',
    });
    assert.equal(await images('rolling'), 'web:1.0 web:1.0');
  });

  test('what cannot go well ends with 1 and says why; what is written wrongly ends with 2', async () => {
    await drover.expect(`run rolling -n ${namespace} --only away --follow`, { code: 1, says: 'No eligible cluster found after filtering' });
    await drover.expect(`run nothing -n ${namespace}`, { code: 1, says: ['there is no workflow "nothing"', 'drover get workflows'] });
    await drover.expect(`run rolling -n ${namespace} --var version`, { code: 2 });
    await drover.expect(`pause run/nothing -n ${namespace}`, { code: 1, says: 'drover runs' });
    await drover.expect(`logs pod/x -n ${namespace}`, { code: 2, says: 'add -C NAME' });
  });

  test('a rollback of a run that succeeded puts the release before it back', async () => {
    const run = madeRun(await drover.expect(`run rolling -n ${namespace} --var version=2.0 --follow`));
    assert.equal(await images('rolling'), 'web:2.0 web:2.0');
    await drover.expect(`rollback run/${run} -n ${namespace} --wait`, {
      says: [`workflowrun.delivery.drover.io/${run} is being rolled back`, 'run: RolledBack'],
    });
    assert.equal(await images('rolling'), 'web:1.0 web:1.0');
    await drover.expect(`rollback run/${run} -n ${namespace}`, { code: 1, says: 'cannot be rolled back' });
  });

  test('Canary in waves: the second wave waits for somebody, and goes on when they approve', async () => {
    const followed = drover.run(`run canary -n ${namespace} --var version=2.0 --follow --timeout 180s --name canary-1`, slow);
    await eventually(
      () => kubectl.expect(`-n ${namespace} get approvalrequests`),
      all => /Pending/.test(all),
      patient,
    );
    await drover.expect(`get deploy web -n canary -C east,west --ignore-not-found -o name`, {
      says: /^(east|west)\/deployment\.apps\/web\n$/,
    });
    await drover.expect(`approve run/canary-1 -n ${namespace} --comment fine`, {
      says: /^approvalrequest\.delivery\.drover\.io\/canary-1-\w+ approved\n$/,
    });
    const { code, stdout, stderr } = await followed;
    assert.equal(code, 0, stdout + stderr);
    for (const wanted of [
      'wave first: Succeeded',
      'sign-off waits for somebody: drover approve canary-1-',
      'Skipped (Cluster Resolution is already done.',
    ])
      assert.ok(stdout.includes(wanted), stdout);
    assert.equal(await images('canary'), 'web:2.0 web:2.0');
    await drover.expect(`approve run/canary-1 -n ${namespace}`, { code: 1, says: 'waits for nobody' });
  });

  test('what somebody rejects is rolled back', async () => {
    const followed = drover.run(`run canary -n ${namespace} --var version=3.0 --follow --timeout 180s --name canary-2`, slow);
    await eventually(
      () => drover.expect(`reject run/canary-2 -n ${namespace} --comment 'not today' --rollback`, { says: 'rejected' }),
      Boolean,
      patient,
    );
    const { code, stdout } = await followed;
    assert.equal(code, 1, stdout);
    assert.match(stdout, /run: RolledBack/);
    assert.equal(await images('canary'), 'web:2.0 web:2.0');
  });

  test('Blue/Green: the Services are swapped, and swapped back by a rollback', async () => {
    await drover.expect(`run blue-green -n ${namespace} --follow --timeout 120s`, { says: 'step Swap Primary with Stage: Succeeded' });
    const colors = () =>
      drover.expect('get service web -n blue-green -C east,west -o jsonpath={.items[*].spec.selector.harness\\.io/color}');
    const first = await colors();
    const run = madeRun(await drover.expect(`run blue-green -n ${namespace} --var version=2.0 --follow --timeout 120s`));
    const second = await colors();
    assert.notEqual(second, first);
    await drover.expect(`rollback run/${run} -n ${namespace} --wait`);
    assert.equal(await colors(), first);
  });

  test('a run pauses, goes on and is aborted', async () => {
    await drover.expect(`run paused -n ${namespace} --name paused-1`);
    await becomes('paused-1', 'Waiting');
    await drover.expect(`pause run/paused-1 -n ${namespace}`, { says: 'workflowrun.delivery.drover.io/paused-1 paused\n' });
    await becomes('paused-1', 'Paused');
    await drover.expect(`resume run/paused-1 -n ${namespace}`, { says: 'resumed' });
    await becomes('paused-1', 'Waiting');
    await drover.expect(`resume run/paused-1 -n ${namespace}`, { code: 1, says: 'it is not paused' });
    await drover.expect(`abort wfr/paused-1 -n ${namespace}`, { says: 'aborted' });
    await becomes('paused-1', 'Aborted');
    await drover.expect(`pause run/paused-1 -n ${namespace}`, { code: 1, says: 'a run that is Aborted cannot be paused' });
  });

  test('who follows a run still follows it when the hub has restarted', async () => {
    const followed = drover.run(`run paused -n ${namespace} --follow --timeout 180s --name paused-2`, slow);
    await becomes('paused-2', 'Waiting');
    await hub.restart();
    await eventually(() => drover.expect(`abort run/paused-2 -n ${namespace}`), Boolean, patient);
    const { code, stdout, stderr } = await followed;
    assert.equal(code, 1, stdout + stderr);
    assert.match(stdout + stderr, /run: Aborted.*\n.*paused-2 is Aborted/s);
  });

  test('a webhook starts a run, once for each key, and tells how it goes', async () => {
    await apply(
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hook', namespace }, stringData: { token: 'a-token-that-is-long-enough' } },
      object('Trigger', 'hook', {
        condition: { type: 'Webhook', secretRef: { name: 'hook', key: 'token' } },
        action: { workflowRef: { name: 'rolling' } },
      }),
    );
    const post = (body: object, key = '', token = 'a-token-that-is-long-enough') =>
      web.request('POST', `/api/webhooks/${token}`, body, key === '' ? {} : { 'Idempotency-Key': key });
    const first = await eventually(
      () => post({ application: namespace, parameters: { version: '3.0' } }, 'build-3'),
      ({ code }) => code === 200,
      patient,
    );
    const { requestId, status, apiUrl } = first.json<Record<string, string>>();
    assert.equal(status, 'RUNNING');
    assert.equal((await post({ parameters: { version: '3.0' } }, 'build-3')).json<{ requestId: string }>().requestId, requestId);
    assert.equal((await post({}, '', 'another-token-that-is-long-enough')).code, 404);
    assert.equal((await post({ parameters: { version: 'nonsense' } })).code, 400);
    await kubectl.expect(`-n ${namespace} create serviceaccount ci`);
    await kubectl.expect(`-n ${namespace} create role ci --verb=get --resource=workflowruns.delivery.drover.io`);
    await kubectl.expect(`-n ${namespace} create rolebinding ci --role=ci --serviceaccount=${namespace}:ci`);
    const token = (await kubectl.expect(`-n ${namespace} create token ci`)).trim();
    const path = new URL(apiUrl!).pathname;
    const said = () => web.request('GET', path, undefined, { 'X-Api-Key': token });
    await eventually(said, answer => answer.code === 200 && answer.json<{ status: string }>().status === 'SUCCESS', patient);
    assert.equal((await web.request('GET', path)).code, 401);
    assert.equal(await images('rolling'), 'web:3.0 web:3.0');
    await kubectl.expect(`-n ${namespace} patch trigger hook --type merge -p '{"spec":{"paused":true}}'`);
    await eventually(
      () => post({}),
      ({ code }) => code === 409,
      patient,
    );
    await kubectl.expect(`-n ${namespace} get trigger hook -o wide`, { says: /Webhook +true +\S+ +hook-\w+/ });
  });

  test('a pipeline takes a version from who approves through two workflows', async () => {
    await apply(
      object('Pipeline', 'all', {
        stages: [
          { name: 'try', workflowRef: { name: 'rolling' }, variables: { version: '2.0' } },
          { name: 'sign', approval: { selfApproval: true, variables: [{ name: 'version', value: '2.0' }] } },
          { name: 'live', workflowRef: { name: 'blue-green' }, variables: { version: '${context.sign.variables.version}' } },
        ],
      }),
    );
    const followed = drover.run(`run pipeline/all -n ${namespace} --follow --timeout 180s --name all-1`, slow);
    await eventually(
      () => phaseOf('all-1', 'pipelinerun'),
      phase => phase === 'Waiting',
      patient,
    );
    await drover.expect(`logs plr/all-1 -n ${namespace}`, { code: 1, says: /its runs have: all-1-try-\w+/ });
    await drover.expect(`approve run/all-1 -n ${namespace} --var version=3.0`, { says: 'approved' });
    const { code, stdout, stderr } = await followed;
    assert.equal(code, 0, stdout + stderr);
    for (const wanted of ['pipelinerun.delivery.drover.io/all-1 created', 'step try: Succeeded', 'step live: Succeeded', 'run: Succeeded'])
      assert.ok(stdout.includes(wanted), stdout);
    assert.equal(await images('rolling'), 'web:2.0 web:2.0');
    await drover.expect(`runs --pipelines -n ${namespace}`, { says: /all-1 +all +Succeeded/ });
  });

  test('a cluster that joins gets what was last released', async () => {
    await apply(
      object('Trigger', 'joined', {
        condition: { type: 'ClusterJoined', infrastructureRef: 'canary' },
        action: { workflowRef: { name: 'rolling-canary' } },
      }),
    );
    await apply(workflow('rolling-canary', 'Rolling', 'canary'));
    await drover.expect(`run rolling-canary -n ${namespace} --var version=3.0 --follow --timeout 120s`);
    await drover.expect('sandbox create north --label tier=shops --wait');
    const runs = () =>
      kubectl.expect(`-n ${namespace} get workflowruns -l delivery.drover.io/trigger=joined -o jsonpath={.items[*].status.phase}`);
    await eventually(runs, phases => phases === 'Succeeded', patient);
    assert.equal(await drover.expect('get deploy web -n canary -C north -o jsonpath={.spec.template.spec.containers[0].image}'), 'web:3.0');
  });
}
