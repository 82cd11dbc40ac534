import assert from 'node:assert/strict';
import test from 'node:test';
import { EventCorrelator } from './event-correlator.ts';

const subject = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: 'n', name: 'web', uid: 'u' };
const created = (message: string) => ({ type: 'Normal' as const, reason: 'SuccessfulCreate', message, component: 'c' });

test('the same event again is counted on the first', () => {
  const correlator = new EventCorrelator();
  const first = correlator.correlate(subject, created('a'), 0);
  assert.equal(first.action, 'create');
  if (first.action === 'create') correlator.written(first.key, 'web.1');
  const { key: _, ...second } = correlator.correlate(subject, created('a'), 1000) as { key: string };
  assert.deepEqual(second, { action: 'count', message: 'a', name: 'web.1', count: 2 });
});

test('from the tenth on, events that differ in their message only are one', () => {
  const correlator = new EventCorrelator();
  const messages = Array.from({ length: 12 }, (_, i) => {
    const one = correlator.correlate(subject, created(`pod ${i}`), i);
    if (one.action === 'create') correlator.written(one.key, `web.${i}`);
    return one.action === 'drop' ? 'dropped' : `${one.action} ${one.message}`;
  });
  assert.equal(messages[8], 'create pod 8');
  assert.equal(messages[9], 'create (combined from similar events): pod 9');
  assert.equal(messages[11], 'count (combined from similar events): pod 11');
});

test('after ten quiet minutes messages stand for themselves again', () => {
  const correlator = new EventCorrelator();
  for (let i = 0; i < 12; i++) correlator.correlate(subject, created(`pod ${i}`), i);
  const later = correlator.correlate(subject, created('late'), 11 * 60_000);
  assert.deepEqual([later.action, later.action === 'create' && later.message], ['create', 'late']);
});

test('nobody says more than a burst about one object, then one in five minutes', () => {
  const correlator = new EventCorrelator();
  const actions = Array.from({ length: 30 }, (_, i) => correlator.correlate(subject, created(`pod ${i}`), 0).action);
  assert.equal(actions.filter(action => action === 'drop').length, 5);
  assert.notEqual(correlator.correlate(subject, created('again'), 5 * 60_000).action, 'drop');
  assert.equal(correlator.correlate(subject, created('and again'), 5 * 60_000).action, 'drop');
  assert.notEqual(correlator.correlate({ ...subject, uid: 'other' }, created('x'), 0).action, 'drop');
});

test('an event that is gone is written anew', () => {
  const correlator = new EventCorrelator();
  const first = correlator.correlate(subject, created('a'), 0);
  if (first.action === 'create') correlator.written(first.key, 'web.1');
  if (first.action === 'create') correlator.forget(first.key);
  assert.equal(correlator.correlate(subject, created('a'), 1).action, 'create');
});
