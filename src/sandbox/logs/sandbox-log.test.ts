import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod } from '../../api/kubernetes.ts';
import { logLines, printLines } from './sandbox-log.ts';

const status = (state: ContainerStatus['state'], lastState: ContainerStatus['lastState'] = {}): ContainerStatus => ({
  name: 'c',
  image: 'web:1',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: state ?? {},
  lastState: lastState ?? {},
});
const pod = (container: ContainerStatus, log?: string): Pod => ({
  metadata: { name: 'web', ...(log !== undefined && { annotations: { 'sandbox.drover.io/log': log } }) },
  spec: { containers: [{ name: 'c' }] },
  status: { containerStatuses: [container] },
});
const terminated = { exitCode: 3, reason: 'Error', startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:05Z' };
const options = { container: 'c', previous: false, follow: false, timestamps: false };
const texts = (of: Pod, previous = false) => logLines(of, { container: 'c', previous }).map(({ text }) => text);

test('a container that runs has started and says what it was told to say', () => {
  const running = pod(status({ running: { startedAt: '2026-01-01T00:00:00Z' } }), 'one\ntwo\n');
  assert.deepEqual(texts(running), ['container "c" started: image "web:1" in a sandbox, nothing is executed', 'one', 'two']);
});

test('one that waits for its next start shows its last run, as does the previous', () => {
  const waiting = pod(status({ waiting: { reason: 'CrashLoopBackOff' } }, { terminated }));
  assert.equal(texts(waiting).at(-1), 'container "c" ended: Error, exit code 3');
  assert.equal(texts(waiting, true).at(-1), 'container "c" ended: Error, exit code 3');
});

test('a run that never was is refused in the words of a kubelet', () => {
  const message = (of: Pod, previous: boolean) => {
    try {
      return texts(of, previous).join();
    } catch (error) {
      return (error as Error).message;
    }
  };
  const pulling = pod(status({ waiting: { reason: 'ImagePullBackOff' } }));
  assert.equal(message(pulling, false), 'container "c" in pod "web" is waiting to start: trying and failing to pull image');
  assert.equal(
    message(pod(status({ waiting: { reason: 'PodInitializing' } })), false),
    'container "c" in pod "web" is waiting to start: PodInitializing',
  );
  assert.equal(message(pulling, true), 'previous terminated container "c" in pod "web" not found');
});

test('lines are chosen and dated as asked for', () => {
  const lines = logLines(pod(status({ terminated }), 'one'), options);
  assert.equal(printLines(lines, { ...options, tailLines: 1 }), 'container "c" ended: Error, exit code 3\n');
  assert.equal(printLines(lines, { ...options, tailLines: 0 }), '');
  assert.equal(printLines(lines, { ...options, since: new Date('2026-01-01T00:00:03Z') }).split('\n').length, 2);
  assert.match(
    printLines(lines, { ...options, timestamps: true, tailLines: 2 }),
    /^2026-01-01T00:00:00\.000000000Z one\n2026-01-01T00:00:05/,
  );
});
