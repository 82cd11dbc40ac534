import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, Pod } from '../../../api/kubernetes.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startPlatformRig } from '../../../../test/helpers/platform-rig.ts';

const jobKind = { apiVersion: 'batch/v1', kind: 'Job' };
const podKind = { apiVersion: 'v1', kind: 'Pod' };

function job(spec: object, annotations: Record<string, string> = {}): object {
  const template = { metadata: { annotations }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'task:1' }] } };
  return { ...jobKind, metadata: { name: 'task' }, spec: { template, ...spec } };
}

const conditions = (obj: Job | undefined) => (obj?.status?.conditions ?? []).map(({ type, reason }) => `${type}: ${reason}`);
const keepRunning = { 'sandbox.drover.io/behavior': 'run' };

test('a job runs as many pods as it asks for and is complete', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ completions: 5, parallelism: 2 }));
  await rig.settle();
  const done = rig.get<Job>(jobKind, 'task');
  assert.deepEqual(conditions(done), ['SuccessCriteriaMet: CompletionsReached', 'Complete: CompletionsReached']);
  assert.equal(done?.status?.succeeded, 5);
  assert.deepEqual(done?.status?.uncountedTerminatedPods, {});
  const pods = rig.list<Pod>(podKind);
  assert.equal(pods.length, 5);
  assert.ok(pods.every(pod => pod.metadata?.finalizers === undefined));
  assert.equal(rig.events('task').at(-1), 'Completed: Job completed');
  assert.deepEqual(rig.problems, []);
});

test('an indexed job gives every pod its index, name and environment', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ completions: 4, parallelism: 4, completionMode: 'Indexed' }));
  await rig.settle();
  assert.equal(rig.get<Job>(jobKind, 'task')?.status?.completedIndexes, '0-3');
  const [pod] = rig.list<Pod>(podKind);
  assert.equal(pod?.spec?.hostname, 'task-0');
  assert.equal(pod?.metadata?.labels?.['batch.kubernetes.io/job-completion-index'], '0');
  assert.match(pod?.metadata?.name ?? '', /^task-0-\w{5}$/);
  assert.equal(pod?.spec?.containers[0]?.env?.[0]?.name, 'JOB_COMPLETION_INDEX');
});

test('a job whose pods fail more often than it allows has failed', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ backoffLimit: 0 }, { 'sandbox.drover.io/exit-code': '1' }));
  await rig.settle();
  const done = rig.get<Job>(jobKind, 'task');
  assert.deepEqual(conditions(done), ['FailureTarget: BackoffLimitExceeded', 'Failed: BackoffLimitExceeded']);
  assert.equal(done?.status?.failed, 1);
  assert.ok(rig.events('task').includes('BackoffLimitExceeded: Job has reached the specified backoff limit'));
});

test('a failed pod is replaced only after a while', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ backoffLimit: 3 }, { 'sandbox.drover.io/exit-code': '1' }));
  await rig.settle();
  assert.equal(rig.list<Pod>(podKind).length, 1);
  rig.moveClock(11);
  await rig.change(jobKind, 'task', { metadata: { labels: { look: 'again' } } });
  await rig.settle();
  assert.equal(rig.list<Pod>(podKind).length, 2);
  assert.equal(rig.get<Job>(jobKind, 'task')?.status?.failed, 2);
});

test('an exit code that the failure policy names ends the job at once', async t => {
  const rig = await startPlatformRig(t);
  const podFailurePolicy = { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] };
  await rig.apply(job({ backoffLimit: 6, podFailurePolicy }, { 'sandbox.drover.io/exit-code': '42' }));
  await rig.settle();
  const failed = rig.get<Job>(jobKind, 'task')?.status?.conditions?.find(({ type }) => type === 'Failed');
  assert.equal(failed?.reason, 'PodFailurePolicy');
  assert.match(failed?.message ?? '', /^Container c for pod test\/task-\w+ failed with exit code 42 matching FailJob rule at index 0$/);
});

test('indexes fail on their own, and the job when all have ended', async t => {
  const rig = await startPlatformRig(t);
  const spec = { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 0 };
  await rig.apply(job(spec, { 'sandbox.drover.io/exit-code': '1' }));
  await rig.settle();
  const done = rig.get<Job>(jobKind, 'task');
  assert.deepEqual(conditions(done), ['FailureTarget: FailedIndexes', 'Failed: FailedIndexes']);
  assert.equal(done?.status?.failedIndexes, '0,1');
  assert.equal(done?.status?.failed, 2);
});

test('a suspended job has no pods, and starts anew when it is resumed', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ parallelism: 2, completions: 2 }, keepRunning));
  await rig.settle();
  assert.equal(rig.get<Job>(jobKind, 'task')?.status?.active, 2);
  await rig.change(jobKind, 'task', { spec: { suspend: true } });
  await rig.settle();
  const suspended = rig.get<Job>(jobKind, 'task');
  assert.deepEqual(conditions(suspended), ['Suspended: JobSuspended']);
  assert.equal(suspended?.status?.startTime, undefined);
  assert.equal(rig.list<Pod>(podKind).length, 0);
  await rig.change(jobKind, 'task', { spec: { suspend: false } });
  await rig.settle();
  assert.deepEqual(conditions(rig.get<Job>(jobKind, 'task')), ['Suspended: JobResumed']);
  assert.equal(rig.get<Job>(jobKind, 'task')?.status?.active, 2);
});

test('a job that takes too long fails and its pods go', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ activeDeadlineSeconds: 100 }, keepRunning));
  await rig.settle();
  rig.moveClock(101);
  await rig.change(jobKind, 'task', { metadata: { labels: { look: 'again' } } });
  await rig.settle();
  assert.deepEqual(conditions(rig.get<Job>(jobKind, 'task')), ['FailureTarget: DeadlineExceeded', 'Failed: DeadlineExceeded']);
  assert.equal(rig.list<Pod>(podKind).length, 0);
});

test('the success policy ends a job while other indexes still run', async t => {
  const rig = await startPlatformRig(t);
  const successPolicy = { rules: [{ succeededIndexes: '0' }] };
  await rig.apply(job({ completions: 3, parallelism: 3, completionMode: 'Indexed', successPolicy }, keepRunning));
  await rig.settle();
  const first = rig.list<Pod>(podKind).find(pod => pod.spec?.hostname === 'task-0');
  await rig.change(podKind, first?.metadata?.name ?? '', { status: { phase: 'Succeeded' } }, 'status');
  await rig.settle();
  const done = rig.get<Job>(jobKind, 'task');
  assert.deepEqual(conditions(done), ['SuccessCriteriaMet: SuccessPolicy', 'Complete: SuccessPolicy']);
  assert.equal(done?.status?.succeeded, 1);
});

test('the pods of a deleted job go with it, whatever held them', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ parallelism: 2, completions: 2 }, keepRunning));
  await rig.settle();
  await rig.cluster.delete(rig.cluster.resourceOf(jobKind), { namespace: 'test', name: 'task' }, { propagationPolicy: 'Background' });
  await eventually(() => rig.list(podKind).length === 0);
});

test('a finished job goes after its time to live', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(job({ ttlSecondsAfterFinished: 0 }));
  await eventually(() => rig.get(jobKind, 'task') === undefined && rig.list(podKind).length === 0);
});
