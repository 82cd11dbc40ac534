import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { Work, type DeliveredObject } from '../../api/work.ts';
import { decideStatus } from './decide-status.ts';
import type { Phase, WorkFacts } from './work-facts.ts';

const now = new Date('2026-01-01T00:00:00Z');
const later = new Date('2026-01-01T01:00:00Z');

const work = (metadata: object = {}, status?: Work['status']): Work => ({
  ...newObject(
    Work,
    { name: 'web', namespace: 'c-m-1', uid: 'u', generation: 3, ...metadata },
    {
      release: { name: 'web', namespace: 'shop' },
      manifests: [],
    },
  ),
  ...(status && { status }),
});

const object = (name: string, health: DeliveredObject['health'], more: Partial<DeliveredObject> = {}): DeliveredObject => ({
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  namespace: 'shop',
  name,
  health,
  ...more,
});

const facts = (phase: Phase, more: Partial<WorkFacts> = {}): WorkFacts => ({
  cluster: 'east',
  phase,
  isUpToDate: phase.kind === 'delivered',
  objects: [],
  drift: [],
  failures: 0,
  ...more,
});

/** Every condition in one line. */
function tell(given: WorkFacts, of = work()): string[] {
  const { conditions = [] } = decideStatus(of, given, now);
  return conditions.map(({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`);
}

const place = 'Release "shop/web" on cluster "east"';

test('says what was delivered and how it is', () => {
  const healthy = facts({ kind: 'delivered' }, { objects: [object('a', 'Current')] });
  assert.deepEqual(tell(healthy), [
    `Applied True Delivered: ${place} is delivered`,
    'Healthy True Healthy: Everything is healthy on cluster "east"',
    'Ready True Healthy: Everything is healthy on cluster "east"',
  ]);
  assert.equal(decideStatus(work(), healthy, now).healthy, '1/1');
});

test('what was delivered before the Work said something else is not taken for it', () => {
  const overtaken = facts({ kind: 'delivered' }, { isUpToDate: false, objects: [object('a', 'Current')] });
  assert.deepEqual(tell(overtaken), [
    `Applied False Delivering: ${place} is being delivered`,
    'Healthy True Healthy: Everything is healthy on cluster "east"',
    `Ready False Delivering: ${place} is being delivered`,
    `Reconciling True Delivering: ${place} is being delivered`,
  ]);
  const once = { ...work(), spec: { ...work().spec, sync: 'Once' as const } };
  assert.ok(tell(overtaken, once).includes('Ready True Healthy: Everything is healthy on cluster "east"'));
});

test('names what is not healthy, three of many, in order', () => {
  const objects = ['d', 'c', 'b', 'a'].map(name => object(name, 'InProgress', { message: 'Replicas: 0/1' }));
  const words =
    'On cluster "east" Deployment "shop/a": Replicas: 0/1; Deployment "shop/b": Replicas: 0/1; Deployment "shop/c": Replicas: 0/1; and 1 more';
  assert.deepEqual(tell(facts({ kind: 'delivered' }, { objects })), [
    `Applied True Delivered: ${place} is delivered`,
    `Healthy False Progressing: ${words}`,
    `Ready False Progressing: ${words}`,
    `Reconciling True Progressing: ${words}`,
  ]);
  const late = tell(facts({ kind: 'delivered' }, { objects, isLate: true }));
  assert.ok(late.includes(`Ready False TimedOut: ${words}`) && !late.some(one => one.startsWith('Reconciling')), late.join('\n'));
  const gone = tell(facts({ kind: 'delivered' }, { objects: [object('a', 'NotFound'), object('b', 'InProgress')] }));
  assert.ok(gone.includes('Ready False Unhealthy: On cluster "east" Deployment "shop/a": is not there'), gone.join('\n'));
});

test('being outranked is no failure', () => {
  const words = `Work "high" with priority 200 has release "shop/web" on cluster "east"`;
  assert.deepEqual(tell(facts({ kind: 'outranked', by: 'high', priority: 200 })), [
    `Applied False Outranked: ${words}`,
    `Outranked True Outranked: ${words}`,
    `Ready False Outranked: ${words}`,
  ]);
  const [lost] = tell(facts({ kind: 'delivered' }, { objects: [object('a', 'Unknown', { outrankedBy: 'high' })] })).slice(-1);
  assert.equal(lost, 'Ready False Outranked: Work "high" delivers Deployment "shop/a" on cluster "east" instead');
});

test('a failure that may pass is reconciled, one that may not is stalled', () => {
  const failed = (isFinal: boolean) =>
    facts({ kind: 'failed', reason: 'ApplyFailed', message: 'no', isFinal }, { failures: 2, nextTry: later });
  assert.deepEqual(tell(failed(false)), [
    'Applied False ApplyFailed: no',
    'Ready False ApplyFailed: no',
    'Reconciling True ApplyFailed: no',
  ]);
  assert.deepEqual(tell(failed(true)), ['Applied False ApplyFailed: no', 'Ready False ApplyFailed: no', 'Stalled True ApplyFailed: no']);
  const status = decideStatus(work(), failed(false), now);
  assert.deepEqual([status.failures, status.nextTry], [2, '2026-01-01T01:00:00Z']);
});

test('out of reach is unknown, and what was delivered stays delivered', () => {
  const objects = [object('a', 'Current')];
  const words = 'ClusterUnreachable: Cluster "east" cannot be reached; what runs there goes on';
  assert.deepEqual(tell(facts({ kind: 'unreachable' }, { isUpToDate: true, objects })), [
    `Applied True ${words}`,
    `Healthy Unknown ${words}`,
    `Ready Unknown ${words}`,
  ]);
  assert.ok(tell(facts({ kind: 'unreachable' })).includes(`Ready Unknown ${words}`));
});

test('a Work that is being deleted says what became of it', () => {
  const leaving = work({ deletionTimestamp: '2026-01-01T00:00:00Z' });
  const removed = (phase: Phase) => tell(facts(phase), leaving).find(one => one.startsWith('Removed'));
  assert.equal(removed({ kind: 'removing' }), `Removed False Delivering: ${place} is being removed`);
  assert.equal(removed({ kind: 'removed', reason: 'HandedOver' }), `Removed True HandedOver: ${place} has passed to another Work`);
  assert.equal(removed({ kind: 'failed', reason: 'ApplyFailed', message: 'no', isFinal: false }), 'Removed False UninstallFailed: no');
});

test('drift names field and manager', () => {
  const ref = { group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
  const drift = [{ ...ref, path: '.spec.replicas', manager: 'kubectl-edit', want: 3, have: 1 }];
  const said = tell(facts({ kind: 'delivered' }, { objects: [object('web', 'Current')], drift }));
  const words = 'On cluster "east" .spec.replicas of Deployment "shop/web" was changed by "kubectl-edit"';
  assert.ok(said.includes(`Drifted True Drifted: ${words}`) && said.includes(`Ready False Drifted: ${words}`), said.join('\n'));
});

test('the same facts say the same, and times move only with a change', () => {
  const given = facts({ kind: 'delivered' }, { objects: [object('a', 'Current')] });
  const first = decideStatus(work(), given, now);
  assert.deepEqual(decideStatus(work({}, first), given, later), first);
  const after = decideStatus(work({}, first), facts({ kind: 'delivered' }, { objects: [object('a', 'Failed')] }), later);
  assert.equal(findCondition({ status: after }, 'Applied')?.lastTransitionTime, '2026-01-01T00:00:00Z');
  assert.equal(findCondition({ status: after }, 'Ready')?.lastTransitionTime, '2026-01-01T01:00:00Z');
});

test('says in a word what needs a person, and nothing of what may pass', () => {
  const trouble = (given: WorkFacts, before?: string) =>
    decideStatus(work({}, before === undefined ? undefined : { trouble: before }), given, now).trouble;
  const fails = (failures: number, isFinal = false, reason: 'ApplyFailed' | 'TimedOut' = 'ApplyFailed') =>
    facts({ kind: 'failed', reason, message: 'no', isFinal }, { failures, nextTry: later });
  const delivered = (health: DeliveredObject['health'], more: Partial<WorkFacts> = {}) =>
    facts({ kind: 'delivered' }, { objects: [object('a', health)], ...more });
  assert.equal(trouble(delivered('Current')), undefined);
  assert.equal(trouble(delivered('InProgress')), undefined);
  assert.equal(trouble(delivered('InProgress', { isLate: true })), 'TimedOut');
  assert.equal(trouble(delivered('Failed')), 'Unhealthy');
  assert.deepEqual(
    [trouble(fails(2)), trouble(fails(3)), trouble(fails(1, true)), trouble(fails(1, false, 'TimedOut'))],
    [undefined, 'ApplyFailed', 'ApplyFailed', 'TimedOut'],
  );
  assert.equal(trouble(facts({ kind: 'delivering' }, { failures: 3 }), 'ApplyFailed'), 'ApplyFailed', 'it stays while it is tried again');
  assert.equal(trouble(facts({ kind: 'delivering' }), 'ApplyFailed'), undefined);
  assert.equal(trouble(facts({ kind: 'unreachable' })), undefined, 'the cluster is what needs somebody');
});
