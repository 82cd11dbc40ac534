import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { allBuiltinResources } from '../builtin-resources.ts';
import { checkDeletePreconditions, planDelete, type DeletePolicy } from './delete-rules.ts';

const now = new Date('2026-01-02T03:04:05.678Z');
const resource = (kind: string) => allBuiltinResources().find(r => r.kind === kind)!;
const object = (kind: string, metadata: ObjectMeta = {}, more: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x', uid: 'u', resourceVersion: '7', ...metadata },
  ...more,
});
const running = { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 }, status: { phase: 'Running' } };

function plan(kind: string, metadata: ObjectMeta = {}, policy: DeletePolicy = {}, more: object = {}) {
  const found = planDelete(resource(kind), object(kind, metadata, more), policy, now);
  if (typeof found === 'string') return found;
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers, generation } = found.obj.metadata;
  return [found.goesAtOnce, deletionTimestamp, deletionGracePeriodSeconds, finalizers, generation];
}

const noon = '2026-01-02T12:00:00Z';
const marked = '2026-01-02T03:04:05Z';

test('what nothing holds goes now', () => {
  assert.equal(plan('ConfigMap'), 'now');
  assert.equal(plan('ConfigMap', { finalizers: ['orphan'] }, { propagationPolicy: 'Background' }), 'now');
  assert.equal(plan('Event', {}, { propagationPolicy: 'Orphan' }), 'now');
});

test('finalizers hold, and the way of deletion adds its own', () => {
  assert.deepEqual(plan('ConfigMap', { finalizers: ['x.io/f'], generation: 3 }), [false, marked, 0, ['x.io/f'], 4]);
  assert.deepEqual(plan('ConfigMap', {}, { propagationPolicy: 'Foreground' }), [false, marked, 0, ['foregroundDeletion'], undefined]);
  assert.deepEqual(plan('Job'), [false, marked, 0, ['orphan'], undefined]);
  assert.deepEqual(plan('Job', {}, { orphanDependents: false }), 'now');
});

test('a second request changes nothing but a time that lies ahead', () => {
  const held = { finalizers: ['x.io/f'], generation: 3, deletionGracePeriodSeconds: 0 };
  assert.deepEqual(plan('ConfigMap', { ...held, deletionTimestamp: '2026-01-01T00:00:00Z' }), [
    false,
    '2026-01-01T00:00:00Z',
    0,
    ['x.io/f'],
    3,
  ]);
  assert.deepEqual(plan('ConfigMap', { ...held, deletionTimestamp: noon }), [false, marked, 0, ['x.io/f'], 3]);
});

test('a pod on a node has its grace, which can only become shorter', () => {
  assert.deepEqual(plan('Pod', {}, {}, running), [false, '2026-01-02T03:04:35Z', 30, undefined, undefined]);
  assert.deepEqual(plan('Pod', {}, { gracePeriodSeconds: -5 }, running), [false, '2026-01-02T03:04:06Z', 1, undefined, undefined]);
  assert.deepEqual(plan('Pod'), [true, marked, 0, undefined, undefined]);
  const leaving = { deletionTimestamp: '2026-01-02T03:04:30Z', deletionGracePeriodSeconds: 30 };
  assert.equal(plan('Pod', leaving, {}, running), 'pending');
  assert.equal(plan('Pod', leaving, { gracePeriodSeconds: 60 }, running), 'pending');
  assert.deepEqual(plan('Pod', leaving, { gracePeriodSeconds: 10 }, running), [false, '2026-01-02T03:04:10Z', 10, undefined, undefined]);
  assert.deepEqual(plan('Pod', leaving, { gracePeriodSeconds: 2 }, running), [false, marked, 1, undefined, undefined]);
  assert.deepEqual(plan('Pod', leaving, { gracePeriodSeconds: 0 }, running), [true, marked, 0, undefined, undefined]);
});

test('namespaces and definitions begin to end', () => {
  const spec = { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
  assert.deepEqual(plan('Namespace', {}, {}, spec), [false, marked, undefined, undefined, undefined]);
  assert.equal(plan('Namespace', { deletionTimestamp: marked }, {}, spec), 'pending');
  assert.equal(plan('Namespace', { deletionTimestamp: marked }), 'now');
  const cleanup = ['customresourcecleanup.apiextensions.k8s.io'];
  assert.deepEqual(plan('CustomResourceDefinition', { generation: 1 }), [false, marked, undefined, cleanup, 1]);
});

test('another object than the one meant is not deleted', () => {
  const check = (kind: string, preconditions: DeletePolicy['preconditions'] & object) => () =>
    checkDeletePreconditions(resource(kind), { preconditions }, object(kind));
  check('ConfigMap', { uid: 'u', resourceVersion: '7' })();
  assert.throws(check('ConfigMap', { uid: 'v' }), {
    code: 409,
    message:
      'Operation cannot be fulfilled on ConfigMap "x": the UID in the precondition (v) does not match the UID in record (u). The object might have been deleted and then recreated',
  });
  assert.throws(check('Namespace', { resourceVersion: '8' }), {
    code: 409,
    message:
      'Operation cannot be fulfilled on namespaces "x": Precondition failed: ResourceVersion in precondition: 8, ResourceVersion in object meta: 7',
  });
});
