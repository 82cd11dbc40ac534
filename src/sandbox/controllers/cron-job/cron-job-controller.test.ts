import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CronJob, Job } from '../../../api/kubernetes.ts';
import { startPlatformRig } from '../../../../test/helpers/platform-rig.ts';

const cronKind = { apiVersion: 'batch/v1', kind: 'CronJob' };
const jobKind = { apiVersion: 'batch/v1', kind: 'Job' };

function cronJob(spec: object = {}, annotations: Record<string, string> = {}): object {
  const template = { metadata: { annotations }, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'task:1' }] } };
  // Far enough from now that no test runs into it by itself.
  return { ...cronKind, metadata: { name: 'tick' }, spec: { schedule: '0 0 1 */2 *', jobTemplate: { spec: { template } }, ...spec } };
}

const day = 86_400;
const keepRunning = { 'sandbox.drover.io/behavior': 'run' };

async function lookAgain(rig: Awaited<ReturnType<typeof startPlatformRig>>, seconds: number): Promise<void> {
  rig.moveClock(seconds);
  await rig.change(cronKind, 'tick', { metadata: { annotations: { look: String(Math.random()) } } });
  await rig.settle();
}

test('a job is started when its time has come, once', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(cronJob());
  await rig.settle();
  assert.equal(rig.list(jobKind).length, 0);
  await lookAgain(rig, 70 * day);
  const [job] = rig.list<Job>(jobKind);
  assert.match(job?.metadata?.name ?? '', /^tick-\d+$/);
  assert.match(job?.metadata?.annotations?.['batch.kubernetes.io/cronjob-scheduled-timestamp'] ?? '', /-01T00:00:00Z$/);
  const { status } = rig.get<CronJob>(cronKind, 'tick')!;
  assert.match(status?.lastScheduleTime ?? '', /-01T00:00:00Z$/);
  assert.ok(status?.lastSuccessfulTime);
  assert.equal(status?.active, undefined);
  await lookAgain(rig, 0);
  assert.equal(rig.list(jobKind).length, 1);
  assert.deepEqual(
    rig.events('tick').map(event => event.split(':')[0]),
    ['SuccessfulCreate', 'SawCompletedJob'],
  );
});

test('only as much history is kept as asked for', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(cronJob({ successfulJobsHistoryLimit: 2 }));
  for (let i = 0; i < 4; i++) await lookAgain(rig, 63 * day);
  assert.equal(rig.list(jobKind).length, 2);
});

test('a suspended cron job starts nothing', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(cronJob({ suspend: true }));
  await lookAgain(rig, 70 * day);
  assert.equal(rig.list(jobKind).length, 0);
});

test('while one job runs, another is forbidden, or replaces it, or runs beside it', async t => {
  for (const [concurrencyPolicy, expected] of [
    ['Forbid', 1],
    ['Replace', 1],
    ['Allow', 2],
  ] as const) {
    const rig = await startPlatformRig(t);
    await rig.apply(cronJob({ concurrencyPolicy }, keepRunning));
    await lookAgain(rig, 63 * day);
    const first = rig.list<Job>(jobKind)[0]?.metadata?.uid;
    await lookAgain(rig, 63 * day);
    const jobs = rig.list<Job>(jobKind);
    assert.equal(jobs.length, expected, concurrencyPolicy);
    assert.equal(
      jobs.some(job => job.metadata?.uid === first),
      concurrencyPolicy !== 'Replace',
      concurrencyPolicy,
    );
    assert.equal(rig.get<CronJob>(cronKind, 'tick')?.status?.active?.length, expected, concurrencyPolicy);
  }
});

test('a job that is too late is not started', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(cronJob({ startingDeadlineSeconds: 10 }));
  await lookAgain(rig, 75 * day);
  assert.equal(rig.list(jobKind).length, 0);
});
