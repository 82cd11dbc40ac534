import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { accountToken } from '../../../../test/helpers/account-token.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { tempDir } from '../../../../test/helpers/temp-dir.ts';
import { Secret } from '../../../api/builtin-kinds.ts';
import { newObject } from '../../../api/define-kind.ts';
import { sendError } from '../../../gateway/answer.ts';
import { embeddedAccess } from '../../../gateway/embedded-access.ts';
import { embeddedClientAs } from '../../../hub/embedded-client-as.ts';
import { freezeDesk } from '../freezes/run-freezes.ts';
import { DeployFreeze } from '../kinds/deploy-freeze.ts';
import { Environment } from '../kinds/service-definition.ts';
import { Pipeline, PipelineRun } from '../kinds/pipeline.ts';
import { Trigger, type TriggerCondition } from '../kinds/trigger.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { Workflow } from '../kinds/workflow.ts';
import { runTriggers } from '../triggers/trigger-controller.ts';
import { workflowKinds } from '../workflow-kinds.ts';
import { workflowObjects } from '../workflow-objects.ts';
import { webhookTokens } from './webhook-tokens.ts';
import { webhookAddress } from './webhook-route.ts';
import { workflowWeb } from './workflow-web.ts';

const ns = 'default';
const hookToken = 'a-token-of-twenty-chars';

async function startWorld(t: TestContext) {
  const { api, client } = await startMemoryHub(t, workflowKinds);
  const scratch = tempDir('workflow-web');
  const stop = new AbortController();
  const { signal } = stop;
  const objects = workflowObjects(client, { dataDir: scratch.dir, signal, onError: () => () => {} });
  const access = embeddedAccess({ ...api, clientAs: embeddedClientAs(api) });
  let url = '';
  const web = workflowWeb({
    hub: client,
    access,
    ...objects,
    tokens: webhookTokens({ hub: client, triggers: objects.triggers, now: () => performance.now() * 1e6 }),
    freezes: freezeDesk(objects.freezes),
    serverUrl: () => url,
    signal,
    recheckMs: 20,
  });
  const server = createServer((req, res) => {
    if (!web.handles((req.url ?? '').split('?', 1)[0]!)) return void res.writeHead(404).end('not ours');
    web.handle(req, res).catch((error: unknown) => sendError(req, res, error));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  runTriggers({ ...objects, hub: client, addressOf: one => webhookAddress(one, url), signal });
  t.after(() => {
    stop.abort();
    server.closeAllConnections();
    server.close();
    scratch[Symbol.dispose]();
  });
  await client.create(
    Workflow,
    newObject(Workflow, { namespace: ns, name: 'web' }, { type: 'Basic', variables: [{ name: 'region', allowedValues: ['eu', 'us'] }] }),
  );
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: ns, name: 'hook' },
    stringData: { token: hookToken, sign: 's3cret' },
  };
  await client.create(Secret, secret as Secret);
  return {
    client,
    objects,
    addTrigger: async (condition: TriggerCondition, more: Partial<Trigger['spec']> = {}) => {
      const made = await client.create(
        Trigger,
        newObject(Trigger, { namespace: ns, name: 'hook' }, { condition, action: { workflowRef: { name: 'web' } }, ...more }),
      );
      await eventually(() => objects.triggers.get(`${ns}/hook`));
      return made;
    },
    runs: async () => (await client.list(WorkflowRun, { namespace: ns })).items,
    ask: (path: string, init: RequestInit = {}) =>
      fetch(path.startsWith('http') ? path : `${url}${path}`, { signal: AbortSignal.timeout(10_000), ...init }),
    post: (body: object | string = {}, headers: Record<string, string> = {}, token = hookToken) =>
      fetch(`${url}/api/webhooks/${token}`, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        headers,
        signal: AbortSignal.timeout(10_000),
      }),
  };
}

const webhook: TriggerCondition = { type: 'Webhook', secretRef: { name: 'hook', key: 'token' } };

test('a webhook starts a run, answers as Harness does, and tells what became of it', async t => {
  const { client, addTrigger, post, runs, ask } = await startWorld(t);
  await addTrigger(webhook);
  const answer = await post({ application: ns, parameters: { region: 'eu' }, artifacts: [{ service: 'shop', buildNumber: '1.4' }] });
  const body = (await answer.json()) as Record<string, string | null>;
  assert.deepEqual([answer.status, Object.keys(body)], [200, ['requestId', 'status', 'error', 'uiUrl', 'uiSetupUrl', 'apiUrl', 'message']]);
  const [run] = await runs();
  assert.deepEqual([body['requestId'], body['status'], body['error'], body['message']], [run!.metadata.uid, 'RUNNING', null, null]);
  assert.deepEqual([run!.spec.variables, run!.spec.artifacts], [{ region: 'eu' }, [{ service: 'shop', buildNumber: '1.4' }]]);
  assert.match(body['uiUrl']!, new RegExp(`^http://[0-9.:]+/ui/workflows/runs/${ns}/${run!.metadata.name}$`));
  assert.match(body['uiSetupUrl']!, new RegExp(`/ui/explore/delivery.drover.io/v1alpha1/triggers/local/${ns}/hook$`));
  const key = await accountToken(client, 'reader', [{ apiGroups: ['delivery.drover.io'], resources: ['workflowruns'], verbs: ['get'] }]);
  const status = async (token: string) => {
    const res = await ask(body['apiUrl']!, { headers: token === '' ? {} : { 'x-api-key': token } });
    return [res.status, res.status === 200 ? await res.json() : undefined];
  };
  assert.deepEqual(await status(key), [200, { status: 'QUEUED' }]);
  const name = run!.metadata.name!;
  await client.apply(WorkflowRun, { metadata: { namespace: ns, name }, status: { phase: 'RolledBack' } } as WorkflowRun, {
    subresource: 'status',
  });
  await eventually(
    () => status(key),
    ([, one]) => (one as { status: string }).status === 'FAILED',
  );
  assert.equal((await status(''))[0], 401);
  const stranger = await accountToken(client, 'stranger', []);
  assert.equal((await status(stranger))[0], 403);
  assert.equal((await ask('/api/external/v1/executions/nothing/status', { headers: { 'x-api-key': key } })).status, 404);
  assert.equal((await client.get(Trigger, { namespace: ns, name: 'hook' }))?.status?.lastRun, name);
});

test('what is wrong with a webhook is said with the code that the specification names', async t => {
  const { client, addTrigger, post, runs } = await startWorld(t);
  assert.equal((await post()).status, 404);
  await addTrigger(webhook, { action: { workflowRef: { name: 'web' }, variables: {} } });
  const code = async (...args: Parameters<typeof post>) => (await post(...args)).status;
  assert.equal(await code({}, {}, 'another-token-of-enough-length'), 404);
  assert.equal(await code({}, {}, 'short'), 404);
  assert.equal(await code({}, {}, '%zz-is-no-escape-but-long-enough'), 404);
  assert.equal(await code({ parameters: { region: 'mars' } }), 400);
  assert.equal(await code({ parameters: { nothing: 'x' } }), 400);
  assert.equal(await code({ parameters: { region: {} } }), 400);
  assert.equal(await code({ artifacts: [{ service: 'x' }] }), 400);
  assert.equal(await code({ application: 'other' }), 400);
  assert.equal(await code('[]'), 400);
  assert.equal(await code('{'), 400);
  await client.patch(Trigger, { namespace: ns, name: 'hook' }, { type: 'merge', body: { spec: { paused: true } } });
  await eventually(
    () => code(),
    one => one === 409,
  );
  assert.deepEqual(await runs(), []);
});

test('a freeze of where it would go refuses webhooks, and others do not', async t => {
  const { client, objects, addTrigger, post, runs } = await startWorld(t);
  await addTrigger(webhook);
  await client.create(Environment, newObject(Environment, { namespace: ns, name: 'live' }, { type: 'Prod' }));
  await client.patch(Workflow, { namespace: ns, name: 'web' }, { type: 'merge', body: { spec: { environmentRef: 'live' } } });
  await eventually(() => objects.workflows.get(`${ns}/web`)?.spec.environmentRef === 'live');
  const freeze = async (environment: string) => {
    const spec = {
      kind: 'Deny' as const,
      start: '2020-01-01T00:00:00Z',
      end: '2120-01-01T00:00:00Z',
      selector: { environments: [environment] },
    };
    await client.create(DeployFreeze, newObject(DeployFreeze, { name: environment.toLowerCase() }, spec));
    await eventually(() => objects.freezes.get(environment.toLowerCase()));
  };
  await freeze('NonProd');
  assert.equal((await post()).status, 200);
  await freeze('Prod');
  assert.equal((await post()).status, 409);
  assert.equal((await runs()).length, 1);
});

test('a webhook of a pipeline hears at once what its stages would say later', async t => {
  const { client, objects, addTrigger, post } = await startWorld(t);
  const code = async (...args: Parameters<typeof post>) => (await post(...args)).status;
  await addTrigger(webhook, { action: { pipelineRef: { name: 'release' } } });
  assert.equal(await code(), 400, 'there is no such pipeline');
  await client.create(Environment, newObject(Environment, { namespace: ns, name: 'live' }, { type: 'Prod' }));
  await client.create(
    Workflow,
    newObject(
      Workflow,
      { namespace: ns, name: 'live' },
      { type: 'Basic', environmentRef: 'live', variables: [{ name: 'version', required: true }] },
    ),
  );
  const stages = [
    { name: 'try', workflowRef: { name: 'web' }, skip: '${workflow.variables.quick} == "yes"' },
    { name: 'sign', approval: {} },
    { name: 'live', workflowRef: { name: 'live' } },
  ];
  await client.create(Pipeline, newObject(Pipeline, { namespace: ns, name: 'release' }, { stages }));
  await eventually(() => objects.pipelines.get(`${ns}/release`) && objects.workflows.get(`${ns}/live`));
  const parameters = { version: '2' };
  assert.equal(await code(), 400, 'the last stage needs a version');
  assert.equal(await code({ parameters: { ...parameters, region: 'mars' } }), 400);
  assert.equal(await code({ parameters: { ...parameters, nothing: 'x' } }), 400);
  const made = await post({ parameters: { ...parameters, region: 'eu', quick: 'no' } });
  assert.equal(made.status, 200);
  const [run] = (await client.list(PipelineRun, { namespace: ns })).items;
  assert.match(((await made.json()) as { uiUrl: string }).uiUrl, new RegExp(`/ui/workflows/pipeline-runs/${ns}/${run!.metadata.name}$`));

  const freeze = async (name: string, workflow: string) => {
    const spec = { kind: 'Deny' as const, start: '2020-01-01T00:00:00Z', end: '2120-01-01T00:00:00Z', selector: { workflows: [workflow] } };
    await client.create(DeployFreeze, newObject(DeployFreeze, { name }, spec));
    await eventually(() => objects.freezes.get(name));
  };
  await freeze('later', 'live');
  assert.equal(await code({ parameters }), 200, 'a stage that comes later waits by itself');
  await freeze('now', 'web');
  assert.equal(await code({ parameters }), 409);
  assert.equal((await client.list(PipelineRun, { namespace: ns })).items.length, 2);
});

test('the same key within a day means the same run, also when it comes many times at once', async t => {
  const { addTrigger, post, runs } = await startWorld(t);
  await addTrigger(webhook);
  const key = { 'idempotency-key': 'build-7' };
  const bodies = await Promise.all(Array.from({ length: 8 }, async () => (await post({}, key)).json() as Promise<{ requestId: string }>));
  assert.equal(new Set(bodies.map(one => one.requestId)).size, 1);
  assert.equal((await runs()).length, 1);
  await post({}, { 'idempotency-key': 'build-8' });
  await post();
  assert.equal((await runs()).length, 3);
});

test('who repeats a key soon hears of the run, though nothing else may start yet', async t => {
  const { addTrigger, post, objects } = await startWorld(t);
  await addTrigger(webhook, { minInterval: '1h' });
  const first = (await (await post({}, { 'idempotency-key': 'build-7' })).json()) as { requestId: string };
  await eventually(() => objects.triggers.get(`${ns}/hook`)?.status?.lastFired !== undefined && objects.runs.list().length === 1);
  const again = await post({}, { 'idempotency-key': 'build-7' });
  assert.deepEqual([again.status, ((await again.json()) as { requestId: string }).requestId], [200, first.requestId]);
  assert.equal((await post({}, { 'idempotency-key': 'build-8' })).status, 409);
});

test('of many that come at once, a least interval lets one through', async t => {
  const { addTrigger, post, runs, client } = await startWorld(t);
  await addTrigger(webhook, { minInterval: '1h' });
  const codes = await Promise.all(Array.from({ length: 5 }, async () => (await post()).status));
  assert.deepEqual(codes.toSorted(), [200, 409, 409, 409, 409]);
  assert.equal((await runs()).length, 1);
  await client.patch(
    Trigger,
    { namespace: ns, name: 'hook' },
    { type: 'merge', body: { status: { lastFired: null } } },
    { subresource: 'status' },
  );
  const same = await Promise.all(Array.from({ length: 5 }, async () => (await post({}, { 'idempotency-key': 'k' })).status));
  assert.deepEqual(same, [200, 200, 200, 200, 200]);
  assert.equal((await runs()).length, 2);
});

test('where a key of the hub is asked for, it must be there and have the right', async t => {
  const { client, addTrigger, post, runs } = await startWorld(t);
  await addTrigger({ ...webhook, requireApiKey: true });
  assert.equal((await post()).status, 401);
  const stranger = await accountToken(client, 'stranger', []);
  assert.equal((await post({}, { 'x-api-key': stranger })).status, 403);
  const deployer = await accountToken(client, 'deployer', [
    { apiGroups: ['delivery.drover.io'], resources: ['workflowruns'], verbs: ['create'] },
  ]);
  assert.equal((await post({}, { 'x-api-key': deployer })).status, 200);
  assert.equal((await runs()).length, 1);
});

test('events of git must be signed, start what they are meant to, and each only once', async t => {
  const { addTrigger, client, ask, runs } = await startWorld(t);
  const condition: TriggerCondition = { type: 'GitEvent', secretRef: { name: 'hook', key: 'sign' }, branches: ['main'] };
  await addTrigger(condition, { action: { workflowRef: { name: 'web' }, variables: { region: '${repository.region}' } } });
  const { url } = (await eventually(
    async () => (await client.get(Trigger, { namespace: ns, name: 'hook' }))?.status,
    one => one?.url !== undefined,
  ))!;
  const push = (ref: string) => JSON.stringify({ ref, after: 'c', repository: { full_name: 'shop/web', region: 'us' }, commits: [] });
  const send = async (body: string, secret = 's3cret', delivery = 'd1') => {
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'x-github-event': 'push', 'x-github-delivery': delivery, 'x-hub-signature-256': signature };
    const res = await ask(url!, { method: 'POST', body, headers });
    return [res.status, ((await res.json()) as { requestId?: string }).requestId ?? null] as const;
  };
  assert.equal((await send(push('refs/heads/main'), 'wrong'))[0], 401);
  assert.deepEqual(await send(push('refs/heads/other')), [200, null]);
  assert.deepEqual(await runs(), []);
  const first = await send(push('refs/heads/main'));
  assert.equal(first[0], 200);
  assert.deepEqual(await send(push('refs/heads/main')), first);
  // Headers are not signed: who replays a body cannot make another event of it.
  assert.deepEqual(await send(push('refs/heads/main'), 's3cret', 'd2'), first);
  const [run, ...others] = await runs();
  assert.deepEqual([run!.spec.variables, others.length], [{ region: 'us' }, 0]);

  // As forms send it, which is what GitHub does unless it is told otherwise.
  const form = new URLSearchParams({ payload: push('refs/heads/main').replace('"c"', '"d"') }).toString();
  const signed = (body: string) => `sha256=${createHmac('sha256', 's3cret').update(body).digest('hex')}`;
  const headers = { 'x-github-event': 'push', 'content-type': 'application/x-www-form-urlencoded', 'x-hub-signature-256': signed(form) };
  assert.equal((await ask(url!, { method: 'POST', body: form, headers })).status, 200);
  assert.equal((await runs()).length, 2);

  const change = (name: string) => ({ new: { type: 'branch', name, target: { hash: name } } });
  const many = { repository: { full_name: 'shop/web', region: 'eu' }, push: { changes: ['other', 'main', 'main'].map(change) } };
  const text = JSON.stringify(many);
  const both = { 'x-event-key': 'repo:push', 'x-hub-signature': signed(text) };
  assert.equal((await ask(url!, { method: 'POST', body: text, headers: both })).status, 200);
  assert.equal((await runs()).length, 3);
});

const senders: Readonly<Record<string, readonly [body: object, expression: string]>> = {
  'Docker registry': [{ events: [{ id: 'e', action: 'push', target: { repository: 'shop/web', tag: 'eu' } }] }, '${events[0].target.tag}'],
  'Docker Hub': [{ push_data: { tag: 'eu' }, repository: { repo_name: 'shop/web' } }, '${push_data.tag}'],
  Harbor: [{ type: 'PUSH_ARTIFACT', event_data: { resources: [{ digest: 'sha256:1', tag: 'eu' }] } }, '${event_data.resources[0].tag}'],
  Quay: [{ repository: 'shop/web', updated_tags: ['eu'] }, '${updated_tags[0]}'],
  anybody: [{ deep: { 'a-b': [{ x: 'v-eu' }] } }, '${deep.a-b[0].x.replace("v-", "")}'],
};
for (const [sender, [body, expression]] of Object.entries(senders))
  test(`what ${sender} sends starts a run with its fields`, async t => {
    const { addTrigger, post, runs } = await startWorld(t);
    await addTrigger(webhook, { action: { workflowRef: { name: 'web' }, variables: { region: expression } } });
    const headers = { authorization: 'something of the sender', 'content-type': 'application/vnd.docker.distribution.events.v1+json' };
    assert.equal((await post(`\uFEFF${JSON.stringify(body)}`, headers)).status, 200);
    const [run] = await runs();
    assert.deepEqual(run!.spec.variables, { region: 'eu' });
    const missing = await post({ events: [], event_data: {}, updated_tags: [] });
    assert.equal(missing.status, 400);
    assert.equal((await runs()).length, 1);
  });

test('whatever is sent, it is answered, starts nothing, and the token is told to nobody', async t => {
  const { addTrigger, post, runs, client } = await startWorld(t);
  await addTrigger(webhook, { action: { workflowRef: { name: 'web' }, variables: { region: '${a.b}' } } });
  const bodies = ['[]', 'null', '"x"', '{', '{"a":', '\u0000', 'payload=%7B', `{"a":${'['.repeat(100_000)}`, `"${'x'.repeat(6_000_000)}"`];
  for (const body of bodies) {
    const status = await post(body, { 'content-type': 'application/x-www-form-urlencoded' }).then(
      res => res.status,
      () => 413,
    );
    assert.ok(status === 400 || status === 413, `${body.slice(0, 20)}: ${status}`);
  }
  for (const body of [
    { a: 1 },
    { parameters: [] },
    { parameters: { x: {} } },
    { artifacts: {} },
    { artifacts: [1] },
    { __proto__: { a: { b: 1 } } },
  ])
    assert.equal((await post(body)).status, 400, JSON.stringify(body));
  assert.deepEqual(await runs(), []);
  const trigger = await client.get(Trigger, { namespace: ns, name: 'hook' });
  assert.ok(!JSON.stringify(trigger).includes(hookToken));
});

test('the end of a pipeline starts what waits for it', async t => {
  const { client, addTrigger, runs } = await startWorld(t);
  await addTrigger({ type: 'PipelineCompletion', pipeline: 'build' });
  await client.create(PipelineRun, newObject(PipelineRun, { namespace: ns, name: 'b1' }, { pipelineRef: { name: 'build' } }));
  const finishedAt = new Date(Date.now() + 1000).toISOString();
  await client.apply(PipelineRun, { metadata: { namespace: ns, name: 'b1' }, status: { phase: 'Succeeded', finishedAt } } as PipelineRun, {
    subresource: 'status',
  });
  await eventually(runs, all => all.length === 1);
});

test('a log is text or JSON, of all or of one cluster, for those who may see it, and can be followed to the end', async t => {
  const { client, objects, ask } = await startWorld(t);
  const { metadata } = await client.create(
    WorkflowRun,
    newObject(WorkflowRun, { namespace: ns, name: 'r' }, { workflowRef: { name: 'web' } }),
  );
  const setStatus = (status: object) =>
    client.apply(WorkflowRun, { metadata: { namespace: ns, name: 'r' }, status } as WorkflowRun, { subresource: 'status' });
  const resolvedClusters = [{ id: 'c-1', name: 'east' }];
  await setStatus({ phase: 'Running', resolvedClusters });
  await eventually(() => objects.runs.get(`${ns}/r`)?.status?.phase === 'Running');
  const run = { namespace: ns, name: 'r', uid: metadata.uid! };
  objects.logs.append(run, { step: 'Resolve', grant: 1 }, [{ unit: 'Execute', level: 'INFO', message: 'Fetched clusters list: [east]' }]);
  objects.logs.append(run, { cluster: 'c-1', step: 'Rollout', grant: 2 }, [{ unit: 'Apply', level: 'WARN', message: 'slow' }]);
  const reader = await accountToken(client, 'reader', [
    { apiGroups: ['delivery.drover.io'], resources: ['workflowruns/log'], verbs: ['get'] },
  ]);
  const path = `/delivery/v1/namespaces/${ns}/workflowruns/r/logs`;
  const read = (query = '', headers: Record<string, string> = {}, token = reader) =>
    ask(`${path}${query}`, { headers: { ...headers, ...(token !== '' && { authorization: `Bearer ${token}` }) } });
  const lines = (await (await read()).text()).trimEnd().split('\n');
  assert.match(lines[0]!, /^INFO {3}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {4}Fetched clusters list: \[east\]$/);
  assert.equal(lines.length, 2);
  const json = JSON.parse(await (await read('?cluster=east', { accept: 'application/json' })).text()) as Record<string, unknown>;
  assert.deepEqual({ ...json, ts: '' }, { ts: '', level: 'WARN', cluster: 'east', step: 'Rollout', unit: 'Apply', seq: 0, msg: 'slow' });
  assert.equal((await read('?cluster=nowhere')).status, 400);
  assert.equal((await read('?since=whenever')).status, 400);
  assert.equal((await read('', {}, '')).status, 401);
  assert.equal((await read('', {}, await accountToken(client, 'stranger', []))).status, 403);
  assert.equal((await ask(path.replace('/r/', '/x/'), { headers: { authorization: `Bearer ${reader}` } })).status, 404);

  const followed = (await read('?follow=true')).text();
  objects.logs.append(run, { cluster: 'c-1', step: 'Rollout', grant: 2 }, [
    { unit: 'Apply', level: 'WARN', message: 'slow' },
    { unit: 'Apply', level: 'INFO', message: 'done' },
  ]);
  await setStatus({ phase: 'Succeeded', resolvedClusters });
  assert.match(await followed, /slow\n.*done\n$/);
});
