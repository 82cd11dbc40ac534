import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { ServiceSet } from './kinds/service-set.ts';
import type { Service, ServiceState } from './kinds/service-spec.ts';
import { dependencyDepths, hasNotes, notesFor, setNotes, setsToGoFirst, withBlockedUpgrades } from './set-notes.ts';

const service = (name: string, needs: string[] = []): Service => ({
  name,
  namespace: 'n',
  template: name,
  dependsOn: needs.map(one => ({ name: one, namespace: 'n' })),
});
const state = (name: string): ServiceState => ({
  type: 'Helm',
  name,
  namespace: 'n',
  template: name,
  state: 'Deployed',
  lastStateTransitionTime: '2026-01-01T00:00:00Z',
});
const nothing = { next: { blocked: [] }, dependsOn: [], present: undefined };

function setWith(annotations: Record<string, string>, { states = [] as ServiceState[], mcs = 'm', isLeaving = false } = {}): ServiceSet {
  const metadata = { name: 's', namespace: 'n', annotations, ...(isLeaving && { deletionTimestamp: '2026-01-01T00:00:00Z' }) };
  return {
    ...newObject(ServiceSet, metadata, { cluster: 'c', multiClusterService: mcs, provider: {}, services: [] }),
    status: { deployed: true, services: states },
  };
}

test('services that nobody needs are deepest, through services that are on their way out too', () => {
  const before = notesFor({ ...nothing, desired: [service('a'), service('b', ['a']), service('c', ['b'])] });
  const set = setWith(before, { states: ['a', 'b', 'c'].map(state) });
  assert.deepEqual(['n/a', 'n/b', 'n/c', 'n/other'].map(dependencyDepths(set)), [0, 1, 2, 0]);

  const after = notesFor({ ...nothing, desired: [service('a')], present: set });
  assert.deepEqual(['n/a', 'n/b', 'n/c'].map(dependencyDepths(setWith(after))), [0, 1, 2]);
  assert.equal(hasNotes(set, after), true);
  assert.deepEqual(notesFor({ ...nothing, desired: [service('a')], present: setWith(after, { states: [state('a')] }) }), {});
});

test('a circle does not hold the order up', () => {
  const set = setWith({ [setNotes.dependencies]: JSON.stringify({ 'n/a': ['n/b'], 'n/b': ['n/a'] }) });
  assert.ok(Number.isInteger(dependencyDepths(set)('n/a')));
});

test('a set waits for leaving sets whose owners depend on its own', () => {
  const needs = (name: string) => notesFor({ ...nothing, desired: [], dependsOn: [name] });
  const own = setWith({}, { mcs: 'a', isLeaving: true });
  const [leaving, staying] = [true, false].map(isLeaving => setWith(needs('a'), { mcs: 'b', isLeaving }));
  assert.deepEqual(setsToGoFirst(own, [own, leaving!, staying!, setWith(needs('x'), { mcs: 'c', isLeaving: true })]), [leaving]);
  assert.deepEqual(setsToGoFirst(setWith(needs('b'), { mcs: 'a', isLeaving: true }), [leaving!]), []);
});

test('an upgrade that the chain does not offer is a condition of the service while it lasts', () => {
  const message = "service n/a can't be upgraded from x to y";
  const notes = notesFor({ ...nothing, desired: [service('a')], next: { blocked: [{ key: 'n/a', message }] } });
  const first = withBlockedUpgrades(setWith(notes), [state('a'), state('b')], new Date('2026-01-02T00:00:00Z'));
  const condition = {
    type: 'UpgradePathBlocked',
    status: 'True',
    reason: 'UpgradePathBlocked',
    message,
    lastTransitionTime: '2026-01-02T00:00:00Z',
  };
  assert.deepEqual(first, [{ ...state('a'), conditions: [condition] }, state('b')]);
  const later = new Date('2026-01-03T00:00:00Z');
  assert.deepEqual(withBlockedUpgrades(setWith(notes, { states: first }), [state('a')], later)[0], first[0]);
  assert.deepEqual(withBlockedUpgrades(setWith({}, { states: first }), [state('a')], later), [state('a')]);
});
