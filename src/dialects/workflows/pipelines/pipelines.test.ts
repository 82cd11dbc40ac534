import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { Event } from '../../../api/builtin-kinds.ts';
import { newObject, type SpecOf } from '../../../api/define-kind.ts';
import { informer } from '../../../runtime/informer.ts';
import { ApprovalRequest, type Decision } from '../kinds/approval-request.ts';
import { Pipeline, PipelineRun } from '../kinds/pipeline.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { Workflow } from '../kinds/workflow.ts';
import { deliveryAnnotations } from '../names.ts';
import { eventHerald } from '../notifications/event-herald.ts';
import { runPipelines } from './pipeline-controller.ts';

const ns = 'default';

async function startWorld(t: TestContext, spec: SpecOf<typeof Pipeline>) {
  const { client } = await startMemoryHub(t, [Pipeline, PipelineRun, Workflow, WorkflowRun, ApprovalRequest]);
  const controllers: AbortController[] = [];
  t.after(() => controllers.forEach(one => one.abort()));
  const start = () => {
    const stop = new AbortController();
    controllers.push(stop);
    const { signal } = stop;
    runPipelines({
      hub: client,
      pipelines: informer(client, Pipeline, { signal }),
      pipelineRuns: informer(client, PipelineRun, { signal }),
      workflows: informer(client, Workflow, { signal }),
      runs: informer(client, WorkflowRun, { signal }),
      requests: informer(client, ApprovalRequest, { signal }),
      herald: eventHerald({ hub: client, serverUrl: () => 'https://hub', signal }),
      signal,
    });
    return stop;
  };
  const variables = [{ name: 'region', default: 'eu' }, { name: 'size' }];
  for (const name of ['build', 'deploy', 'check'])
    await client.create(Workflow, newObject(Workflow, { namespace: ns, name }, { type: 'Basic', variables }));
  await client.create(Pipeline, newObject(Pipeline, { namespace: ns, name: 'all' }, spec));
  const first = start();
  const key = { namespace: ns, name: 'p1' };
  const runOf = async () => (await client.get(PipelineRun, key))!;
  const children = async () => (await client.list(WorkflowRun, { namespace: ns })).items;
  return {
    client,
    first,
    start,
    begin: (more: object = {}) => client.create(PipelineRun, newObject(PipelineRun, key, { pipelineRef: { name: 'all' }, ...more })),
    want: (change: object) => client.patch(PipelineRun, key, { type: 'merge', body: { spec: { ...change } } }),
    run: runOf,
    children,
    phases: async () => ((await runOf()).status?.stages ?? []).map(one => `${one.name} ${one.phase}`),
    isPhase: (phase: string) => eventually(runOf, one => one.status?.phase === phase, { what: `phase ${phase}` }),
    /** The newest run of a stage, once it is there. */
    child: (stage: string, count = 1) =>
      eventually(
        async () => {
          const names = (await runOf()).status?.stages?.find(one => one.name === stage)?.runs ?? [];
          return (await children()).filter(one => names.includes(one.metadata.name!));
        },
        found => found.length >= count,
        { what: `runs of ${stage}` },
      ),
    async report(run: WorkflowRun, status: object) {
      const now = (await client.get(WorkflowRun, { namespace: ns, name: run.metadata.name! }))!;
      const whole = { observedGeneration: now.metadata.generation, ...status };
      await client.apply(WorkflowRun, { metadata: { namespace: ns, name: run.metadata.name! }, status: whole } as WorkflowRun, {
        subresource: 'status',
      });
    },
    async decide(decision: Decision) {
      const request = await eventually(
        async () => (await client.list(ApprovalRequest, { namespace: ns })).items.find(one => !one.spec.decisions),
        Boolean,
        { what: 'a request' },
      );
      await client.patch(
        ApprovalRequest,
        { namespace: ns, name: request!.metadata.name! },
        { type: 'merge', body: { spec: { decisions: [{ user: 'ada', at: new Date().toISOString(), ...decision }] } } },
      );
      return request!;
    },
  };
}

const workflow = (name: string, more: object = {}) => ({ name, workflowRef: { name }, ...more });

test('stages follow each other, those that go together go together, and the pipeline ends with the last', async t => {
  const world = await startWorld(t, { stages: [workflow('build'), workflow('deploy'), workflow('check', { parallelWithPrevious: true })] });
  await world.begin();
  const [build] = await world.child('build');
  assert.equal((await world.children()).length, 1);
  await world.report(build!, { phase: 'Running' });
  await world.report(build!, { phase: 'Succeeded' });
  const [deploy] = await world.child('deploy');
  const [check] = await world.child('check');
  await world.report(deploy!, { phase: 'Succeeded' });
  await eventually(world.phases, all => all.includes('deploy Succeeded'));
  await world.report(check!, { phase: 'Succeeded' });
  const { status } = await world.isPhase('Succeeded');
  assert.ok(status?.finishedAt);
  const reasons = (await world.client.list(Event, { namespace: ns })).items.map(one => one.reason).toSorted();
  assert.deepEqual(reasons, ['RunStarted', 'RunSucceeded']);
  assert.equal((await world.client.get(Pipeline, { namespace: ns, name: 'all' }))?.status?.lastRun, 'p1');
});

test('a hub that restarts after every write makes nothing twice', async t => {
  const world = await startWorld(t, { stages: [workflow('build'), { name: 'ok', approval: {} }, workflow('deploy')] });
  let stop = world.first;
  const restart = () => {
    stop.abort();
    stop = world.start();
  };
  const controller = new AbortController();
  void (async () => {
    for await (const _ of world.client.watch(PipelineRun, { namespace: ns, signal: controller.signal, sendInitialEvents: true })) restart();
  })().catch(() => {});
  await world.begin();
  await world.report((await world.child('build'))[0]!, { phase: 'Succeeded' });
  await world.decide({ decision: 'Approve' });
  await world.report((await world.child('deploy'))[0]!, { phase: 'Succeeded' });
  await world.isPhase('Succeeded');
  controller.abort();
  assert.equal((await world.children()).length, 2);
  assert.equal((await world.client.list(ApprovalRequest, { namespace: ns })).items.length, 1);
});

test('several infrastructures are runs at the same time; one that fails fails the stage', async t => {
  const world = await startWorld(t, { stages: [workflow('deploy', { infrastructureRefs: ['east', 'west'] }), workflow('check')] });
  await world.begin();
  const runs = await world.child('deploy', 2);
  assert.deepEqual(runs.map(one => one.spec.infrastructureRef).toSorted(), ['east', 'west']);
  await world.report(runs[0]!, { phase: 'RolledBack', message: 'it broke' });
  await world.report(runs[1]!, { phase: 'Succeeded' });
  const { status } = await world.isPhase('Failed');
  assert.match(status?.message ?? '', /Stage "deploy" is Failed: .*is RolledBack: it broke/);
  assert.deepEqual(await world.phases(), ['deploy Failed', 'check Pending']);
});

test('what fails puts earlier stages back, the last first, when that is wanted', async t => {
  const world = await startWorld(t, { stages: [workflow('build'), workflow('deploy'), workflow('check')], rollbackOnFailure: true });
  await world.begin();
  const [build] = await world.child('build');
  await world.report(build!, { phase: 'Succeeded' });
  const [deploy] = await world.child('deploy');
  await world.report(deploy!, { phase: 'Succeeded' });
  const [check] = await world.child('check');
  await world.report(check!, { phase: 'Failed', message: 'no' });
  const stateOf = async (run: WorkflowRun) =>
    (await world.client.get(WorkflowRun, { namespace: ns, name: run.metadata.name! }))?.spec.state;
  await eventually(
    () => stateOf(deploy!),
    state => state === 'Rollback',
  );
  assert.equal(await stateOf(build!), 'Run');
  await world.report(deploy!, { phase: 'RolledBack' });
  await eventually(
    () => stateOf(build!),
    state => state === 'Rollback',
  );
  await world.report(build!, { phase: 'RolledBack' });
  const { status } = await world.isPhase('RolledBack');
  assert.match(status?.message ?? '', /Stage "check" is Failed.*all stages are rolled back/);
  assert.equal(await stateOf(check!), 'Run');
});

test('what cannot be put back is named, and the others are put back all the same', async t => {
  const world = await startWorld(t, { stages: [workflow('build'), workflow('deploy')] });
  await world.begin();
  const [build] = await world.child('build');
  await world.report(build!, { phase: 'Succeeded' });
  const [deploy] = await world.child('deploy');
  await world.report(deploy!, { phase: 'Succeeded' });
  await world.isPhase('Succeeded');
  await world.want({ state: 'Rollback' });
  await eventually(
    () => world.client.get(WorkflowRun, { namespace: ns, name: deploy!.metadata.name! }),
    one => one?.spec.state === 'Rollback',
  );
  // A newer run came after it: it sees the wish and stays.
  await world.report(deploy!, { phase: 'Succeeded' });
  await eventually(
    () => world.client.get(WorkflowRun, { namespace: ns, name: build!.metadata.name! }),
    one => one?.spec.state === 'Rollback',
  );
  await world.report(build!, { phase: 'RolledBack' });
  const { status } = await world.isPhase('RollbackFailed');
  assert.match(status?.message ?? '', new RegExp(`not rolled back: ${deploy!.metadata.name}`));
});

test('approvals are asked for, rejected, and give what they were told to later stages', async t => {
  const world = await startWorld(t, {
    stages: [
      { name: 'sign', approval: { groups: ['ops'], message: 'Deploy ${pipeline.name}?', variables: [{ name: 'size', value: 'small' }] } },
      workflow('deploy', { variables: { size: '${context.sign.variables.size}', region: '${context.sign.approvedBy.name}' } }),
    ],
  });
  await world.begin();
  const request = await world.decide({ decision: 'Approve', variables: { size: 'large' } });
  assert.equal(request.spec.message, 'Deploy all?');
  assert.deepEqual(request.spec.groups, ['ops']);
  const [deploy] = await world.child('deploy');
  assert.deepEqual(deploy?.spec.variables, { size: 'large', region: 'ada' });
});

test('a rejected approval ends the pipeline, and puts back when that is said', async t => {
  const world = await startWorld(t, { stages: [workflow('build'), { name: 'sign', approval: {} }, workflow('deploy')] });
  await world.begin();
  const [build] = await world.child('build');
  await world.report(build!, { phase: 'Succeeded' });
  await world.isPhase('Waiting');
  await world.decide({ decision: 'RejectAndRollback', comment: 'not today' });
  await eventually(
    () => world.client.get(WorkflowRun, { namespace: ns, name: build!.metadata.name! }),
    one => one?.spec.state === 'Rollback',
  );
  await world.report(build!, { phase: 'RolledBack' });
  const { status } = await world.isPhase('RolledBack');
  assert.match(status?.message ?? '', /not today/);
});

test('variables that are asked for have one value in all of the pipeline', async t => {
  const asks = { runtimeInputs: { names: ['region'] } };
  const world = await startWorld(t, { stages: [workflow('build', asks), workflow('deploy', asks)] });
  await world.begin({ variables: { size: '3', unknown: 'x' } });
  const request = await world.decide({ decision: 'Approve', variables: { region: 'us' } });
  assert.deepEqual(request.spec.variables, [{ name: 'region', value: 'eu' }]);
  const [build] = await world.child('build');
  assert.deepEqual(build?.spec.variables, { size: '3', region: 'us' });
  await world.report(build!, { phase: 'Succeeded' });
  const [deploy] = await world.child('deploy');
  assert.deepEqual(deploy?.spec.variables, { size: '3', region: 'us' });
});

test('what a workflow publishes for the pipeline, later stages and their runs can use', async t => {
  const world = await startWorld(t, {
    stages: [
      workflow('build'),
      workflow('deploy', { variables: { region: '${context.made.where}' } }),
      workflow('check', { skip: '${context.made.where} == "mars"' }),
    ],
  });
  await world.begin();
  const [build] = await world.child('build');
  const output = { name: 'made', scope: 'Pipeline', values: { where: 'x' } };
  const hidden = { name: 'own', scope: 'Workflow', values: {} };
  const steps = [
    { name: 'a', type: 'HTTP', output },
    { name: 'b', type: 'HTTP', output: hidden },
  ];
  const snapshot = { workflow: { name: 'build', spec: { phases: [{ name: 'p', groups: [{ name: 'g', steps }] }] } } };
  await world.report(build!, { phase: 'Succeeded', snapshot, outputs: { made: { where: 'mars' }, own: { secret: '1' } } });
  const [deploy] = await world.child('deploy');
  assert.equal(deploy?.spec.variables?.['region'], 'mars');
  const facts = JSON.parse(deploy?.metadata.annotations?.[deliveryAnnotations.pipeline] ?? '{}') as Record<string, unknown>;
  assert.deepEqual(facts, { name: 'all', displayName: 'p1', uid: (await world.run()).metadata.uid, context: { made: { where: 'mars' } } });
  await world.report(deploy!, { phase: 'Succeeded' });
  await world.isPhase('Succeeded');
  assert.deepEqual(await world.phases(), ['build Succeeded', 'deploy Succeeded', 'check Skipped']);
});

test('a pipeline pauses its runs and lets those go on that it paused', async t => {
  const world = await startWorld(t, { stages: [workflow('build')] });
  await world.begin();
  const [build] = await world.child('build');
  await world.report(build!, { phase: 'Running' });
  await world.want({ state: 'Pause' });
  const stateOf = async () => (await world.children())[0]?.spec.state;
  await eventually(stateOf, state => state === 'Pause');
  await world.report(build!, { phase: 'Paused' });
  await world.isPhase('Paused');
  await world.want({ state: 'Run' });
  await eventually(stateOf, state => state === 'Run');
  await world.want({ state: 'Abort' });
  await eventually(stateOf, state => state === 'Abort');
  await world.report(build!, { phase: 'Aborted' });
  await world.isPhase('Aborted');
});

test('a pipeline that failed goes on from a stage with new runs', async t => {
  const world = await startWorld(t, { stages: [workflow('build'), workflow('deploy')] });
  await world.begin();
  await world.report((await world.child('build'))[0]!, { phase: 'Succeeded' });
  const [failed] = await world.child('deploy');
  await world.report(failed!, { phase: 'Failed' });
  await world.isPhase('Failed');
  await world.want({ resumeFrom: 'deploy' });
  const again = await eventually(
    async () => (await world.child('deploy'))[0],
    one => one?.metadata.name !== failed!.metadata.name,
  );
  await world.report(again!, { phase: 'Succeeded' });
  await world.isPhase('Succeeded');
  assert.equal((await world.children()).length, 3);
});

test('a workflow that is missing and an expression that names nothing fail their stage', async t => {
  const world = await startWorld(t, { stages: [workflow('nowhere')] });
  await world.begin();
  const { status } = await world.isPhase('Failed');
  assert.match(status?.message ?? '', /There is no Workflow "nowhere"/);
});

test('a run that somebody deletes fails its stage and is not made again', async t => {
  const world = await startWorld(t, { stages: [workflow('build')] });
  await world.begin();
  const [build] = await world.child('build');
  await eventually(world.run, ({ status }) => JSON.stringify(status?.engine?.['made']) === JSON.stringify([build!.metadata.name]));
  await world.client.delete(WorkflowRun, { namespace: ns, name: build!.metadata.name! });
  const { status } = await world.isPhase('Failed');
  assert.match(status?.message ?? '', /is Deleted/);
  assert.equal((await world.children()).length, 0);
});
