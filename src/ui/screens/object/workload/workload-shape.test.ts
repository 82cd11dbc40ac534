import assert from 'node:assert/strict';
import { test } from 'node:test';
import { amountsText, judgeContainer, lastEnd, portsText, workloadFacts } from './workload-shape.ts';

test('how far a workload is, in the words of its kind', () => {
  const texts = (...args: Parameters<typeof workloadFacts>) => workloadFacts(...args).map(({ title, value }) => `${title}: ${value}`);
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } };
  assert.deepEqual(texts('deployments.apps', { replicas: 3, paused: true, strategy }, { readyReplicas: 1, updatedReplicas: 2 }), [
    'Replicas: 1 of 3 ready, 0 available, 2 up to date',
    'Strategy: Rolling update, max surge 25%, max unavailable 0',
    'Held: Its rollout is paused',
  ]);
  assert.deepEqual(
    texts('daemonsets.apps', {}, { desiredNumberScheduled: 4, numberReady: 4, numberAvailable: 4, updatedNumberScheduled: 4 }),
    ['Nodes: 4 of 4 ready, 4 available, 4 up to date'],
  );
  assert.deepEqual(texts('jobs.batch', { completions: 5, parallelism: 2 }, { succeeded: 1, active: 2, failed: 3 }), [
    'Completions: 1 of 5 done',
    'Pods: 2 at work, 3 failed',
    'At once: 2',
  ]);
  assert.deepEqual(texts('cronjobs.batch', { schedule: '*/5 * * * *', suspend: true }, {}), [
    'Schedule: */5 * * * *',
    'Held: It is suspended',
  ]);
  assert.deepEqual(texts('replicasets.apps', {}, {}), ['Replicas: 0 of 1 ready, 0 available']);
});

test('what containers ask for and listen to', () => {
  assert.equal(
    amountsText({ requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi', 'nvidia.com/gpu': 1 } }),
    'cpu 100m, memory 64Mi to 128Mi, nvidia.com/gpu at most 1',
  );
  assert.equal(amountsText(), '');
  assert.equal(
    portsText({
      name: 'c',
      ports: [
        { containerPort: 80, name: 'http' },
        { containerPort: 53, protocol: 'UDP' },
      ],
    }),
    'http 80, 53/UDP',
  );
});

test('how a container is and how it ended before', () => {
  assert.equal(judgeContainer({ state: { running: {} }, ready: false }).tone, 'warn');
  assert.deepEqual(judgeContainer({ state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } } }), {
    tone: 'bad',
    word: 'Crash loop back off',
    why: 'back-off',
  });
  assert.equal(judgeContainer({}).word, 'Waiting');
  assert.equal(lastEnd({ lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }), 'OOMKilled (137)');
  assert.equal(lastEnd({}), '');
});
