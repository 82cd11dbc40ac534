import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { ConfigMap, Namespace } from '../../../api/builtin-kinds.ts';
import { newObject, type KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Work } from '../../../api/work.ts';
import { workIndexes } from '../../../core/works/work-indexes.ts';
import { informer } from '../../../runtime/informer.ts';
import { createEgress } from '../../../sources/egress.ts';
import type { JsonObject } from '../../../util/json.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { ApprovalRequest, type Decision } from '../kinds/approval-request.ts';
import { GateTemplate, type Metric } from '../kinds/gate.ts';
import type { GateAnswer, GateRequest, GateSpec } from './gate-desk.ts';
import { runGateDesk } from './run-gate-desk.ts';

const namespace = 'shop';
const started = Date.parse('2026-01-01T00:00:00Z');

/** A desk on a hub in memory, an address that answers as told, and a clock that stands still. */
async function startDesk(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [Work, ApprovalRequest, GateTemplate]);
  const stop = new AbortController();
  const { signal } = stop;
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const answers: { code: number; body: string }[] = [];
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    const { code, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { code: 200, body: '{}' };
    res.writeHead(code, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    stop.abort(new Error('the test is over'));
    server.close();
    server.closeAllConnections();
  });
  const requests = informer(hub, ApprovalRequest, { signal });
  const templates = informer(hub, GateTemplate, { signal });
  const works = informer(hub, Work, { signal, indexes: workIndexes });
  await Promise.all([requests.synced, templates.synced, works.synced]);
  const egress = createEgress({ allow: ['127.0.0.1/32'] });
  const desk = runGateDesk({ hub, requests, templates, works, members: { client: () => hub }, egress, signal });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { hub, requests, templates, desk, url, answers, asked };
}
type World = Awaited<ReturnType<typeof startDesk>>;

const facts: Readonly<Record<string, string>> = { 'wave.name': 'first', 'infra.kubernetes.namespace': namespace };

/** One gate of a run: what the desk answers is handed back, as a run does. */
function gateOf({ desk }: World, gate: GateSpec, more: Partial<GateRequest> = {}) {
  let state: GateRequest['state'];
  const look = (afterSeconds = 0): GateAnswer => {
    const answer = desk.look({
      run: { namespace, name: 'r', uid: 'uid-1' },
      gate,
      place: `wave/first/before/${gate.name}`,
      wave: 'first',
      clusters: [
        { id: 'c-1', name: 'one' },
        { id: 'c-2', name: 'two' },
      ],
      scope: path => facts[path],
      scopeOf: cluster => path => (path === 'cluster.name' ? cluster.name : facts[path]),
      about: { workflow: 'w', service: 's', infrastructure: 'i' },
      state,
      startedBy: 'ada',
      now: new Date(started + afterSeconds * 1000),
      ...more,
    });
    state = JSON.parse(JSON.stringify(answer.state)) as JsonObject;
    return answer;
  };
  /** A second later each time: what is found counts from when it is seen, so a clock that stands may never come to the next. */
  const until = (phase: GateAnswer['phase'], afterSeconds = 0) => {
    let second = afterSeconds;
    return eventually(
      () => look(second++),
      answer => answer.phase === phase,
      { what: `${gate.name} as ${phase}` },
    );
  };
  return { look, until };
}

test('Wait is over when its time is', async t => {
  const { look } = gateOf(await startDesk(t), { name: 'g', type: 'Wait', duration: '60s' });
  assert.equal(look(0).phase, 'Running');
  const later = look(30);
  assert.equal(later.phase, 'Running');
  assert.equal(later.wakeAt?.getTime(), started + 60_000);
  assert.equal(look(60).phase, 'Successful');
});

test('Window is passed inside of a window and says when it opens', async t => {
  const { look } = gateOf(await startDesk(t), {
    name: 'g',
    type: 'Window',
    schedule: '0 3 * * *',
    duration: '1h',
    timeZone: 'Europe/Berlin',
    timeout: '24h',
  });
  const closed = look(0);
  assert.equal(closed.phase, 'Running');
  assert.match(closed.message ?? '', /2026-01-01T02:00:00/);
  assert.equal(look(2 * 3600 + 60).phase, 'Successful');
});

test('HTTP asks until so many answers in a row are good', async t => {
  const world = await startDesk(t);
  world.answers.push({ code: 500, body: '' }, { code: 200, body: 'up' });
  const gate = { name: 'g', type: 'HTTP', url: `${world.url}/\${wave.name}`, consecutive: 2, interval: '10s' } as const;
  const { look, until } = gateOf(world, gate);
  const asked = (count: number, second: number) =>
    eventually(
      () => (look(second), world.asked.length),
      n => n === count,
      { what: `question ${count}` },
    );
  await asked(1, 0);
  await eventually(
    () => look(5).message,
    message => message === 'The answer was 500',
  );
  // Ten seconds after the answer was heard of, at the latest.
  await asked(2, 16);
  assert.equal(look(17).phase, 'Running');
  const done = await until('Successful', 30);
  assert.deepEqual(done.outputs, { httpResponseCode: '200', httpResponseBody: 'up' });
  assert.equal(world.asked[0], 'GET /first');
});

test('a clock that is set back keeps no gate from asking', async t => {
  const world = await startDesk(t);
  await template(world, { interval: '10s', count: 3, failureLimit: 3, successCondition: 'result == 1' });
  for (const spec of [{ name: 'g', type: 'HTTP', url: world.url, consecutive: 3, interval: '10s' } as const, analysis('measured')]) {
    const { look } = gateOf(world, spec);
    const before = world.asked.length;
    const asked = (count: number, second: number) =>
      eventually(
        () => (look(second), world.asked.length - before),
        n => n === count,
        { what: `question ${count} of ${spec.name}` },
      );
    await asked(1, 3600);
    await eventually(
      () => JSON.stringify(look(3601).state),
      state => /"asked":1|,17672292/.test(state),
    );
    await asked(2, 0);
  }
});

test('a gate that takes too long fails, passes or wants somebody, as it says', async t => {
  const world = await startDesk(t);
  world.answers.push({ code: 500, body: '' });
  for (const [onTimeout, phase] of [
    [undefined, 'Failed'],
    ['Fail', 'Failed'],
    ['Pass', 'Successful'],
    ['Pause', 'Inconclusive'],
  ] as const) {
    const gate: GateSpec = { name: `g${onTimeout}`, type: 'HTTP', url: world.url, timeout: '1m', ...(onTimeout && { onTimeout }) };
    const { look } = gateOf(world, gate);
    assert.equal(look(0).phase, 'Running');
    const late = look(61);
    assert.deepEqual([late.phase, late.phase === 'Failed' ? late.failureType : 'Timeout'], [phase, 'Timeout']);
  }
});

test('Expression waits until it is true, and what it names must be there', async t => {
  const world = await startDesk(t);
  assert.equal(gateOf(world, { name: 'a', type: 'Expression', expr: 'wave.name == "first"' }).look().phase, 'Successful');
  assert.equal(gateOf(world, { name: 'b', type: 'Expression', expr: 'wave.name == "last"' }).look().phase, 'Running');
  const broken = gateOf(world, { name: 'c', type: 'Expression', expr: 'nothing.there' }).look();
  assert.deepEqual([broken.phase, broken.failureType, broken.isUnresolved], ['Error', 'ApplicationError', true]);
});

const template = (world: World, metric: Partial<Metric>) =>
  world.hub
    .apply(
      GateTemplate,
      newObject(
        GateTemplate,
        { namespace, name: 'good' },
        { args: [{ name: 'min', value: '1' }], metrics: [{ name: 'rate', provider: { web: { url: world.url } }, ...metric }] },
      ),
    )
    .then(made =>
      eventually(
        () => world.templates.get(`${namespace}/good`)?.metadata.resourceVersion,
        rv => rv === made.metadata.resourceVersion,
      ),
    );
const analysis = (name: string, more: object = {}): GateSpec => ({ name, type: 'Analysis', templateRef: 'good', ...more });

test('Analysis measures as often as it is told and counts what it found', async t => {
  const world = await startDesk(t);
  const prometheus = { address: world.url, query: 'up{wave="${wave.name}"} > ${args.min}' };
  await template(world, { provider: { prometheus }, count: 2, interval: '10s', successCondition: 'result[0] >= 0.9' });
  const vector = (value: string) =>
    JSON.stringify({ status: 'success', data: { resultType: 'vector', result: [{ metric: {}, value: [0, value] }] } });
  world.answers.push({ code: 200, body: vector('0.95') });
  const good = gateOf(world, analysis('good', { args: { min: '2' } }));
  await eventually(
    () => (good.look(0), world.asked.length),
    n => n === 1,
  );
  assert.equal(good.look(5).phase, 'Running');
  await good.until('Successful', 20);
  assert.equal(decodeURIComponent(world.asked[0]!.replaceAll('+', ' ')), 'GET /api/v1/query?query=up{wave="first"} > 2');

  world.answers.splice(0, Infinity, { code: 200, body: vector('0.1') });
  const bad = await gateOf(world, analysis('bad')).until('Failed');
  assert.deepEqual([bad.failureType, bad.message], ['Verification', 'rate is Failed']);

  world.answers.splice(0, Infinity, { code: 503, body: '' });
  await template(world, { consecutiveErrorLimit: 0 });
  await gateOf(world, analysis('away')).until('Error');

  world.answers.splice(0, Infinity, { code: 200, body: '5' });
  await template(world, { successCondition: 'result > 9', failureCondition: 'result < 1' });
  await gateOf(world, analysis('unclear')).until('Inconclusive');
  await template(world, { successCondition: 'result > 9', dryRun: true });
  await gateOf(world, analysis('dry')).until('Successful');
  assert.equal(gateOf(world, analysis('none', { templateRef: 'missing' })).look().phase, 'Error');
});

test('Analysis on each cluster fails with one of them, unless so many may', async t => {
  const world = await startDesk(t);
  const map = (name: string, ok: string): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: { ok },
  });
  await world.hub.create(ConfigMap, map('of-one', 'yes'));
  await world.hub.create(ConfigMap, map('of-two', 'no'));
  const kubernetes = { resource: `${namespace}/ConfigMap/of-\${cluster.name}`, jsonPath: '{.data.ok}' };
  await template(world, { scope: 'EachCluster', provider: { kubernetes }, successCondition: 'result == "yes"' });
  await gateOf(world, analysis('strict')).until('Failed');
  await gateOf(world, analysis('lenient', { maxFailures: 1 })).until('Successful');
});

async function decide(world: World, name: string, ...decisions: Decision[]): Promise<void> {
  const made = await world.hub.patch(ApprovalRequest, { namespace, name }, { type: 'merge', body: { spec: { decisions } } as never });
  await eventually(
    () => world.requests.get(`${namespace}/${name}`)?.metadata.resourceVersion,
    rv => rv === made.metadata.resourceVersion,
  );
}

test('Approval asks once and goes by what people say', async t => {
  const world = await startDesk(t);
  const ask = async (name: string, more: object = {}) => {
    const { look } = gateOf(world, {
      name,
      type: 'Approval',
      message: 'Is ${wave.name} well?',
      variables: [{ name: 'size', value: 'S' }],
      ...more,
    });
    const { approvalRequest } = await eventually(
      () => look(),
      answer => answer.approvalRequest !== undefined,
    );
    return { look, request: approvalRequest! };
  };
  const at = '2026-01-01T00:00:10Z';

  const simple = await ask('simple');
  assert.equal(world.requests.get(`${namespace}/${simple.request}`)?.spec.message, 'Is first well?');
  await decide(world, simple.request, { user: 'ada', decision: 'Approve', at });
  assert.equal(simple.look().phase, 'Running', 'who started the run does not approve it');
  await decide(
    world,
    simple.request,
    { user: 'ada', decision: 'Approve', at },
    { user: 'bob', decision: 'Approve', at, comment: 'fine', variables: { size: 'L' } },
  );
  const done = simple.look();
  assert.equal(done.phase, 'Successful');
  assert.deepEqual([done.outputs?.['approvedBy.name'], done.outputs?.['comments'], done.outputs?.['variables.size']], ['bob', 'fine', 'L']);

  const two = await ask('two', { minApprovals: 2, selfApproval: true });
  await decide(world, two.request, { user: 'ada', decision: 'Approve', at }, { user: 'ada', decision: 'Approve', at });
  assert.equal(two.look().phase, 'Running', 'nobody counts twice');
  await decide(world, two.request, { user: 'ada', decision: 'Approve', at }, { user: 'bob', decision: 'Approve', at });
  assert.equal(two.look().phase, 'Successful');

  const named = await ask('named', { users: ['eve'] });
  await decide(world, named.request, { user: 'bob', decision: 'Reject', at });
  assert.equal(named.look().phase, 'Running', 'others are not asked');
  await decide(world, named.request, { user: 'bob', decision: 'Reject', at }, { user: 'eve', decision: 'RejectAndRollback', at });
  const rejected = named.look();
  assert.deepEqual([rejected.phase, rejected.failureType, rejected.mustRollBack], ['Failed', 'ApprovalRejected', true]);

  const late = await ask('late', { timeout: '1m' });
  assert.equal(late.look(59).phase, 'Running');
  const over = late.look(61);
  assert.deepEqual([over.phase, over.failureType], ['Failed', 'Timeout']);
});

const Job: KindRef = { group: 'batch', version: 'v1', kind: 'Job', resource: 'jobs', scope: 'Namespaced' };
const manifest = {
  metadata: { name: 'probe' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'probe:${wave.name}' }] } } },
};

test('a Job on the hub is made once, and decides by how it ends', async t => {
  const world = await startDesk(t);
  for (const [type, phase] of [
    ['Complete', 'Successful'],
    ['Failed', 'Failed'],
  ] as const) {
    const gate = gateOf(world, { name: `job-${type}`, type: 'Job', manifest });
    const job = await eventually(async () => {
      gate.look();
      return (await world.hub.list(Job, { namespace })).items.find(
        one => (one as unknown as { status?: object }).status === undefined || Object.keys(one['status'] as object).length === 0,
      );
    });
    const spec = job!['spec'] as { template: { spec: { containers: { image: string }[] } } };
    assert.equal(spec.template.spec.containers[0]?.image, 'probe:first');
    const conditions = [
      ...(type === 'Complete' ? [{ type: 'SuccessCriteriaMet', status: 'True' }] : [{ type: 'FailureTarget', status: 'True' }]),
      { type, status: 'True' },
    ].map(one => ({ ...one, lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'x', message: 'it did' }));
    const times = { startTime: '2026-01-01T00:00:00Z', ...(type === 'Complete' && { completionTime: '2026-01-01T00:00:01Z' }) };
    await world.hub.update(Job, { ...job!, status: { conditions, ...times } } as KubeObject, { subresource: 'status' });
    let second = 0;
    const end = await eventually(
      () => gate.look((second += 6)),
      answer => answer.phase !== 'Running',
    );
    assert.equal(end.phase, phase);
  }
  assert.equal((await world.hub.list(Job, { namespace })).items.length, 2);
});

test('a Job on each cluster is a Work for each of them', async t => {
  const world = await startDesk(t);
  for (const name of ['c-1', 'c-2']) await world.hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const gate = gateOf(world, { name: 'each', type: 'Job', runOn: 'EachCluster', manifest });
  const works = await eventually(
    async () => {
      gate.look();
      return (await world.hub.list(Work)).items;
    },
    items => items.length === 2,
  );
  assert.deepEqual(works.map(one => one.metadata.namespace).toSorted(), ['c-1', 'c-2']);
  for (const { metadata } of works) {
    const ready = {
      type: 'Ready',
      status: 'True' as const,
      reason: 'Ready',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: metadata.generation!,
    };
    const job = { group: 'batch', version: 'v1', kind: 'Job', namespace, name: 'probe', health: 'Current' as const };
    const status = { conditions: [ready], objects: [job] } as never;
    await world.hub.apply(Work, { metadata: { namespace: metadata.namespace!, name: metadata.name! }, status }, { subresource: 'status' });
  }
  await gate.until('Successful');
});
