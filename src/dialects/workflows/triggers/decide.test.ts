import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { newObject } from '../../../api/define-kind.ts';
import type { JsonObject } from '../../../util/json.ts';
import { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { PipelineRun } from '../kinds/pipeline.ts';
import { ServiceDefinition } from '../kinds/service-definition.ts';
import { Trigger, type TriggerAction, type TriggerCondition } from '../kinds/trigger.ts';
import { WorkflowRun } from '../kinds/workflow-run.ts';
import { artifactFacts } from './artifact-facts.ts';
import { tooOften } from './decide-schedule.ts';
import { nextTrigger, type TriggerWorld } from './next-trigger.ts';
import { runToStart, StartError } from './start-run.ts';

const meta = { namespace: 'shop', name: 'nightly', uid: 'u-1', creationTimestamp: '2026-01-01T00:00:00Z' };
const at = (text: string) => new Date(`2026-03-10T${text}Z`);
const empty: TriggerWorld = {
  findService: () => undefined,
  findInfrastructure: () => undefined,
  pipelineRuns: () => [],
  runs: () => [],
  manifests: undefined,
};

function triggerOf(condition: TriggerCondition, more: Partial<Trigger['spec']> = {}): Trigger {
  return newObject(Trigger, meta, { condition, action: { workflowRef: { name: 'web' } }, ...more });
}

/** The trigger after a look, as its status would say. */
const after = (trigger: Trigger, seen: JsonObject, lastFired?: string): Trigger => ({
  ...trigger,
  status: { ...trigger.status, seen, ...(lastFired !== undefined && { lastFired }) },
});

test('a schedule starts once at each of its moments, and not those that were missed long ago', () => {
  const trigger = triggerOf({ type: 'Schedule', schedule: '0 0/12 ? * *' });
  const first = nextTrigger(trigger, empty, at('11:00:00'));
  assert.deepEqual([first.starts, first.nextFire], [[], at('12:00:00')]);
  const second = nextTrigger(after(trigger, first.seen), empty, at('12:00:01'));
  assert.deepEqual(
    second.starts.map(one => one.occasion),
    ['schedule 2026-03-10T12:00:00.000Z'],
  );
  assert.deepEqual(nextTrigger(after(trigger, first.seen), empty, at('12:05:00')).starts, second.starts);
  assert.deepEqual(nextTrigger(after(trigger, second.seen), empty, at('12:05:00')).starts, []);
  const late = nextTrigger(after(trigger, first.seen), empty, at('15:00:00'));
  assert.deepEqual([late.starts, late.message], [[], 'Missed 2026-03-10T12:00:00.000Z']);
});

test('however often and whenever a schedule is looked at, every moment that was looked at in time starts exactly one thing', () => {
  const trigger = triggerOf({ type: 'Schedule', schedule: '0/15 * ? * *' });
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 8 * 60 }), { minLength: 1, maxLength: 60 }), gaps => {
      let nowMs = at('00:07:00').getTime();
      let seen = nextTrigger(trigger, empty, new Date(nowMs)).seen;
      const startedAt = new Map<string, number>();
      for (const gap of gaps) {
        nowMs += gap * 1000;
        const decision = nextTrigger(after(trigger, seen), empty, new Date(nowMs));
        // A hub that dies before it writes what it saw decides the same again.
        assert.deepEqual(nextTrigger(after(trigger, seen), empty, new Date(nowMs)).starts, decision.starts);
        seen = decision.seen;
        for (const { occasion } of decision.starts) {
          assert.ok(!startedAt.has(occasion), `${occasion} twice`);
          startedAt.set(occasion, nowMs);
        }
      }
      const quarterMs = 15 * 60_000;
      const moments = Math.floor(nowMs / quarterMs) - Math.floor(at('00:07:00').getTime() / quarterMs);
      assert.equal(startedAt.size, moments);
    }),
  );
});

test('a clock that was put back while the hub was away does not stop a schedule, and starts nothing twice', () => {
  const trigger = triggerOf({ type: 'Schedule', schedule: '0 0/12 ? * *' });
  const about = 'Schedule 0 0/12 ? * *';
  const ahead = after(trigger, { about, at: '2027-03-10T12:00:00.000Z', newest: '' });
  const first = nextTrigger(ahead, empty, at('11:00:00'));
  assert.deepEqual([first.starts, first.nextFire], [[], at('12:00:00')]);
  const second = nextTrigger(after(trigger, first.seen), empty, at('12:00:01'));
  assert.deepEqual(
    second.starts.map(one => one.occasion),
    ['schedule 2026-03-10T12:00:00.000Z'],
  );
  const little = nextTrigger(after(trigger, second.seen), empty, at('11:59:59'));
  assert.deepEqual(nextTrigger(after(trigger, little.seen), empty, at('12:00:01')).starts, []);
  const unread = nextTrigger(after(trigger, { about, at: 'never', newest: '' }), empty, at('11:00:00'));
  assert.deepEqual(unread.seen['at'], at('11:00:00').toISOString());
});

test('a schedule of the leap day comes on leap days, and at midnight as at noon', () => {
  const leap = triggerOf({ type: 'Schedule', schedule: '0 0 29 2 ?' });
  assert.deepEqual(nextTrigger(leap, empty, at('11:00:00')).nextFire, new Date('2028-02-29T00:00:00Z'));
  // Clocks of Europe are changed at 01:00 UTC of this day: UTC has the hour.
  const night = triggerOf({ type: 'Schedule', schedule: '30 1 ? * *' });
  assert.deepEqual(nextTrigger(night, empty, new Date('2026-03-29T00:00:00Z')).nextFire, new Date('2026-03-29T01:30:00Z'));
});

test('a schedule of less than five minutes is refused in the words that people know', () => {
  assert.equal(nextTrigger(triggerOf({ type: 'Schedule', schedule: '0/4 * ? * *' }), empty, at('11:00:00')).message, tooOften);
  assert.match(nextTrigger(triggerOf({ type: 'Schedule', schedule: 'x' }), empty, at('11:00:00')).message ?? '', /five fields/);
});

const version = (tag: string, artifact = 'image') => ({ artifact, tag, seenAt: '2026-01-01T00:00:00Z' });
const serviceWith = (...versions: ReturnType<typeof version>[]): ServiceDefinition => ({
  ...newObject(ServiceDefinition, { namespace: 'shop', name: 'web' }, {}),
  status: { artifactVersions: versions },
});
const withService = (service: ServiceDefinition): TriggerWorld => ({
  ...empty,
  findService: name => (name === 'web' ? service : undefined),
});

test('a new artifact is one that was not there at the first look', () => {
  const trigger = triggerOf({ type: 'NewArtifact', service: 'web', tagFilter: '1.*' });
  const first = nextTrigger(trigger, withService(serviceWith(version('1.0'))), at('11:00:00'));
  assert.deepEqual(first.starts, []);
  const other = nextTrigger(after(trigger, first.seen), withService(serviceWith(version('2.0'), version('1.0'))), at('11:01:00'));
  assert.deepEqual(other.starts, []);
  const second = nextTrigger(after(trigger, other.seen), withService(serviceWith(version('1.1'), version('1.0'))), at('11:02:00'));
  assert.deepEqual(
    second.starts.map(one => one.artifacts),
    [[{ service: 'web', artifact: 'image', tag: '1.1' }]],
  );
  assert.deepEqual(nextTrigger(after(trigger, second.seen), withService(serviceWith(version('1.1'))), at('11:03:00')).starts, []);
});

test('an older version that is the newest again because that one was deleted is not new', () => {
  const trigger = triggerOf({ type: 'NewArtifact', service: 'web' });
  const seenAt = (tag: string, hour: string) => ({ ...version(tag), seenAt: `2026-03-10T${hour}:00:00Z` });
  const look = (from: Trigger, ...versions: ReturnType<typeof version>[]) =>
    nextTrigger(from, withService(serviceWith(...versions)), at('11:00:00'));
  const first = look(trigger, seenAt('1.1', '09'), seenAt('1.0', '08'));
  const deleted = look(after(trigger, first.seen), seenAt('1.0', '08'));
  assert.deepEqual(deleted.starts, []);
  const pushed = look(after(trigger, deleted.seen), seenAt('1.2', '10'), seenAt('1.0', '08'));
  assert.deepEqual(pushed.starts.length, 1);
  // A clock that was put back does not make it old.
  assert.equal(look(after(trigger, pushed.seen), seenAt('1.3', '01'), seenAt('1.2', '10')).starts.length, 1);
});

test('a tag or a branch that is put back to where it was starts something again, and only once', () => {
  const trigger = triggerOf({ type: 'NewArtifact', service: 'web' });
  let hour = 0;
  const moved = (digest: string) => ({ ...version('latest'), digest, seenAt: new Date(Date.UTC(2026, 2, 9, hour++)).toISOString() });
  let seen: JsonObject = nextTrigger(trigger, withService(serviceWith(moved('a'))), at('11:00:00')).seen;
  const occasions: string[] = [];
  for (const digest of ['b', 'a', 'a', 'b', 'a']) {
    const world = withService(serviceWith(moved(digest)));
    const decision = nextTrigger(after(trigger, seen), world, at('11:00:00'));
    assert.deepEqual(nextTrigger(after(trigger, seen), world, at('11:01:00')).starts, decision.starts);
    occasions.push(...decision.starts.map(one => one.occasion));
    seen = decision.seen;
  }
  assert.deepEqual([occasions.length, new Set(occasions).size], [4, 4]);

  const files = triggerOf({ type: 'NewManifest', service: 'web' });
  const commits: string[] = [];
  seen = nextTrigger(files, { ...empty, manifests: { revision: 'a', version: 'a' } }, at('11:00:00')).seen;
  for (const revision of ['b', 'a', 'b', 'b']) {
    const decision = nextTrigger(after(files, seen), { ...empty, manifests: { revision, version: revision } }, at('11:00:00'));
    commits.push(...decision.starts.map(one => one.occasion));
    seen = decision.seen;
  }
  assert.deepEqual([commits.length, new Set(commits).size], [3, 3]);
});

test('while it is paused a trigger starts nothing, and what happened meanwhile is over', () => {
  const trigger = triggerOf({ type: 'NewArtifact', service: 'web' }, { paused: true });
  const first = nextTrigger(trigger, withService(serviceWith(version('1.0'))), at('11:00:00'));
  const second = nextTrigger(after(trigger, first.seen), withService(serviceWith(version('1.1'))), at('11:01:00'));
  assert.deepEqual([second.starts, second.message], [[], 'Paused']);
  const resumed = { ...after(trigger, second.seen), spec: { ...trigger.spec, paused: false } };
  assert.deepEqual(nextTrigger(resumed, withService(serviceWith(version('1.1'))), at('11:02:00')).starts, []);
});

test('what comes sooner than the least interval waits for it', () => {
  const trigger = triggerOf({ type: 'NewArtifact', service: 'web' }, { minInterval: '10m' });
  const first = nextTrigger(trigger, withService(serviceWith(version('1.0'))), at('11:00:00'));
  const fired = after(trigger, first.seen, at('11:00:00').toISOString());
  const soon = nextTrigger(fired, withService(serviceWith(version('1.1'), version('1.0'))), at('11:05:00'));
  assert.deepEqual([soon.starts, soon.wakeAt], [[], at('11:10:00')]);
  assert.equal(
    nextTrigger(after(fired, soon.seen), withService(serviceWith(version('1.1'), version('1.0'))), at('11:10:00')).starts.length,
    1,
  );
});

test('a start that lies ahead, because the clock was put back, keeps nothing waiting', () => {
  const trigger = triggerOf({ type: 'NewArtifact', service: 'web' }, { minInterval: '10m' });
  const first = nextTrigger(trigger, withService(serviceWith(version('1.0'))), at('11:00:00'));
  const fired = after(trigger, first.seen, '2027-01-01T00:00:00Z');
  assert.equal(nextTrigger(fired, withService(serviceWith(version('1.1'), version('1.0'))), at('11:05:00')).starts.length, 1);

  const pipeline = triggerOf({ type: 'PipelineCompletion', pipeline: 'build' });
  const about = 'PipelineCompletion build';
  const ended: PipelineRun = {
    ...newObject(PipelineRun, { namespace: 'shop', name: 'a', uid: 'uid-a' }, { pipelineRef: { name: 'build' } }),
    status: { phase: 'Succeeded', finishedAt: at('11:04:59').toISOString() },
  };
  const noted = after(pipeline, { about, since: '2027-01-01T00:00:00Z', uids: ['uid-z'] });
  const decision = nextTrigger(noted, { ...empty, pipelineRuns: () => [ended] }, at('11:05:00'));
  assert.deepEqual(
    decision.starts.map(one => one.occasion),
    ['pipeline uid-a'],
  );
  assert.deepEqual(nextTrigger(after(pipeline, decision.seen), { ...empty, pipelineRuns: () => [ended] }, at('11:06:00')).starts, []);
});

test('every run of a pipeline that succeeds starts one thing, in whatever order the ends come to be known', () => {
  const trigger = triggerOf({ type: 'PipelineCompletion', pipeline: 'build' });
  const ended = (name: string, finishedAt: string, phase: 'Succeeded' | 'Failed' = 'Succeeded', pipeline = 'build'): PipelineRun => ({
    ...newObject(PipelineRun, { namespace: 'shop', name, uid: `uid-${name}` }, { pipelineRef: { name: pipeline } }),
    status: { phase, finishedAt },
  });
  const all = [
    ended('a', '2026-03-10T10:00:00.000Z'),
    ended('b', '2026-03-10T10:00:00.500Z'),
    ended('c', '2026-03-10T10:01:00.000Z'),
    ended('d', '2026-03-10T10:02:00.000Z', 'Failed'),
    ended('e', '2026-03-10T10:02:00.000Z', 'Succeeded', 'other'),
    ended('old', '2025-12-31T10:02:00.000Z'),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: all.length }), order => {
      const started: string[] = [];
      let seen: JsonObject | undefined;
      for (const [index] of order.entries()) {
        const known = order.slice(0, index + 1);
        const now = seen ? after(trigger, seen) : trigger;
        const decision = nextTrigger(now, { ...empty, pipelineRuns: () => known }, at('12:00:00'));
        started.push(...decision.starts.map(one => one.occasion));
        seen = decision.seen;
      }
      assert.deepEqual(started.toSorted(), ['pipeline uid-a', 'pipeline uid-b', 'pipeline uid-c']);
    }),
  );
});

const joinTrigger = triggerOf({ type: 'ClusterJoined', infrastructureRef: 'prod' });
function joinWorld(ids: readonly string[], more: readonly WorkflowRun[] = [], isKnown = true): TriggerWorld {
  const matched = (...ids: string[]) =>
    ids.map(id => ({ id: id.replace('!', ''), name: `cluster-${id.replace('!', '')}`, ready: !id.endsWith('!') }));
  const resolved = { type: 'Resolved', status: isKnown ? 'True' : 'Unknown', reason: 'x', message: '', lastTransitionTime: '' };
  const infrastructure = {
    ...newObject(InfrastructureDefinition, { namespace: 'shop', name: 'prod' }, {} as never),
    status: { matched: matched(...ids), conditions: [resolved] },
  } as InfrastructureDefinition;
  const release: WorkflowRun = {
    ...newObject(WorkflowRun, { namespace: 'shop', name: 'web-1' }, { workflowRef: { name: 'web' }, variables: { region: 'eu' } }),
    status: {
      phase: 'Succeeded',
      finishedAt: '2026-03-01T00:00:00Z',
      resolvedClusters: [{ id: 'a', name: 'cluster-a' }],
      snapshot: { infrastructure: { name: 'prod' }, services: { web: { name: 'web', artifact: { name: 'image', tag: '1.4' } } } },
    },
  };
  return { ...empty, findInfrastructure: () => infrastructure, runs: () => [release, ...more] };
}

/** Looks until nothing more is to be written: what is to be started is written before it is. */
function joinLook(from: Trigger, world: TriggerWorld) {
  const first = nextTrigger(from, world, at('11:00:00'));
  if (first.seen['starting'] === undefined) return first;
  assert.deepEqual(first.starts, []);
  return nextTrigger(after(from, first.seen), world, at('11:00:01'));
}

const runOf = (name: string, spec: Partial<WorkflowRun['spec']>, status: object): WorkflowRun => ({
  ...newObject(
    WorkflowRun,
    { namespace: 'shop', name, creationTimestamp: '2026-03-02T00:00:00Z' },
    { workflowRef: { name: 'web' }, ...spec },
  ),
  status: { snapshot: { infrastructure: { name: 'prod' }, services: {} }, ...status } as never,
});

test('a cluster that joins gets what was last released, once, when it is ready', () => {
  const trigger = joinTrigger;
  const look = (from: Trigger, ...ids: string[]) => joinLook(from, joinWorld(ids));
  const first = look(trigger, 'a');
  assert.deepEqual(first.starts, []);
  const notReady = look(after(trigger, first.seen), 'a', 'b!');
  assert.deepEqual(notReady.starts, []);
  const joined = look(after(trigger, notReady.seen), 'a', 'b', 'c');
  assert.equal(joined.starts.length, 1);
  const [{ clusters, variables, artifacts, occasion }] = joined.starts as [(typeof joined.starts)[number]];
  assert.deepEqual([clusters, variables, artifacts], [['b', 'c'], { region: 'eu' }, [{ service: 'web', artifact: 'image', tag: '1.4' }]]);
  assert.deepEqual(look(after(trigger, joined.seen), 'a', 'b', 'c').starts, []);
  const left = look(after(trigger, joined.seen), 'a', 'c');
  const again = look(after(trigger, left.seen), 'a', 'b', 'c');
  assert.deepEqual(again.starts[0]?.clusters, ['b']);
  assert.notEqual(again.starts[0]?.occasion, occasion);
});

test('a hub that dies before it wrote what it started starts it for the same clusters, and for others besides', () => {
  const first = nextTrigger(joinTrigger, joinWorld(['a']), at('11:00:00'));
  const intent = nextTrigger(after(joinTrigger, first.seen), joinWorld(['a', 'b']), at('11:01:00'));
  assert.deepEqual([intent.starts, intent.seen['starting']], [[], ['b']]);
  const started = nextTrigger(after(joinTrigger, intent.seen), joinWorld(['a', 'b']), at('11:01:01'));
  const again = nextTrigger(after(joinTrigger, intent.seen), joinWorld(['a', 'b', 'c']), at('11:05:00'));
  assert.deepEqual(again.starts, started.starts);
  const then = joinLook(after(joinTrigger, again.seen), joinWorld(['a', 'b', 'c']));
  assert.deepEqual(
    then.starts.map(one => one.clusters),
    [['c']],
  );
});

test('a cluster that comes and goes gets one release once, and the next one again', () => {
  const first = nextTrigger(joinTrigger, joinWorld(['a']), at('11:00:00'));
  const joined = joinLook(after(joinTrigger, first.seen), joinWorld(['a', 'b']));
  for (const phase of ['Running', 'Succeeded'] as const) {
    const given = runOf('joined', { clusters: { only: ['b'] } }, { phase, finishedAt: '2026-03-02T00:01:00Z' });
    const left = nextTrigger(after(joinTrigger, joined.seen), joinWorld(['a'], [given]), at('11:02:00'));
    const back = joinLook(after(joinTrigger, left.seen), joinWorld(['a', 'b'], [given]));
    assert.deepEqual(back.starts, []);
    const newer = runOf('web-2', {}, { phase: 'Succeeded', finishedAt: '2026-03-05T00:00:00Z', resolvedClusters: [] });
    const gone = nextTrigger(after(joinTrigger, back.seen), joinWorld([], [given, newer]), at('11:03:00'));
    if (phase === 'Succeeded') assert.equal(joinLook(after(joinTrigger, gone.seen), joinWorld(['b'], [given, newer])).starts.length, 1);
  }
  const failed = runOf('joined', { clusters: { only: ['b'] } }, { phase: 'Failed' });
  const left = nextTrigger(after(joinTrigger, joined.seen), joinWorld(['a'], [failed]), at('11:02:00'));
  assert.equal(joinLook(after(joinTrigger, left.seen), joinWorld(['a', 'b'], [failed])).starts.length, 1);
});

test('a cluster that joins while a run for all of them is on its way waits for what that run brings', () => {
  const first = nextTrigger(joinTrigger, joinWorld(['a']), at('11:00:00'));
  const running = runOf('web-2', {}, { phase: 'Running' });
  const waits = joinLook(after(joinTrigger, first.seen), joinWorld(['a', 'b'], [running]));
  assert.deepEqual([waits.starts, waits.message], [[], 'Waits for the end of a run for all clusters']);
  const ended = runOf('web-2', { variables: { region: 'us' } }, { phase: 'Succeeded', finishedAt: '2026-03-05T00:00:00Z' });
  const joined = joinLook(after(joinTrigger, waits.seen), joinWorld(['a', 'b'], [ended]));
  assert.deepEqual([joined.starts[0]?.clusters, joined.starts[0]?.variables], [['b'], { region: 'us' }]);
  const other = runOf('web-3', {}, { phase: 'Running', snapshot: { infrastructure: { name: 'staging' }, services: {} } });
  assert.equal(joinLook(after(joinTrigger, first.seen), joinWorld(['a', 'b'], [other])).starts.length, 1);
});

test('clusters that nobody knows yet have neither left nor joined', () => {
  const first = nextTrigger(joinTrigger, joinWorld(['a', 'b']), at('11:00:00'));
  const unknown = nextTrigger(after(joinTrigger, first.seen), joinWorld([], [], false), at('11:01:00'));
  assert.deepEqual(unknown.seen, first.seen);
  assert.deepEqual(joinLook(after(joinTrigger, unknown.seen), joinWorld(['a', 'b'])).starts, []);
});

test('variables and versions of the action come from what was received', () => {
  const action: TriggerAction = {
    workflowRef: { name: 'web' },
    variables: { branch: '${event.branch.replace("/", "-")}', who: '${trigger.name}' },
    artifacts: [
      { service: 'web', select: 'FromPayload' },
      { service: 'api', select: 'LastCollected' },
      { service: 'db', select: 'Build', build: '9-${event.branch}' },
    ],
  };
  const trigger = triggerOf({ type: 'Webhook' }, { action });
  const facts = artifactFacts(name => (name === 'api' ? serviceWith(version('7')) : undefined), []);
  const start = {
    occasion: 'x',
    payload: { event: { branch: 'a/b' } },
    artifacts: [{ service: 'web', buildNumber: '12' }],
    variables: { more: '1' },
  };
  const run = runToStart(trigger, start, facts) as WorkflowRun;
  assert.deepEqual(run.spec.variables, { more: '1', branch: 'a-b', who: 'nightly' });
  assert.deepEqual(run.spec.artifacts, [
    { service: 'web', buildNumber: '12' },
    { service: 'api', artifact: 'image', tag: '7' },
    { service: 'db', tag: '9-a/b' },
  ]);
  assert.throws(() => runToStart(trigger, { ...start, artifacts: [] }, facts), StartError);
  assert.throws(() => runToStart(trigger, { ...start, payload: {} }, facts), /cannot resolve/);
  const [one, other] = ['x', 'y'].map(occasion => runToStart(trigger, { ...start, occasion }, facts).metadata.name);
  assert.notEqual(one, other);
  assert.equal(runToStart(trigger, start, facts).metadata.name, one);
});
