import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work, type PlannedObject } from '../../api/work.ts';
import { planRelease } from './plan-release.ts';

const work = (name: string, priority: number): Work =>
  newObject(Work, { name, namespace: 'c-m-1' }, { release: { name: 'web', namespace: 'shop' }, priority, chart: { content: '' } });
const objects = (...actions: PlannedObject['action'][]): PlannedObject[] =>
  actions.map((action, i) => ({ group: '', version: 'v1', kind: 'ConfigMap', name: `map-${i}`, action }));

const cases: readonly [what: string, facts: Omit<Parameters<typeof planRelease>[0], 'work'>, action: string][] = [
  ['nothing is there', { holder: undefined, plan: objects('Create'), chart: 'c-1' }, 'Install'],
  ['another version is there', { holder: undefined, plan: objects('Change'), present: 'c-1', chart: 'c-2' }, 'Upgrade'],
  ['another version makes the same objects', { holder: undefined, plan: objects('Keep'), present: 'c-1', chart: 'c-2' }, 'Upgrade'],
  ['the same version is there', { holder: undefined, plan: objects('Keep'), present: 'c-1', chart: 'c-1' }, 'None'],
  ['only objects differ', { holder: undefined, plan: objects('Keep', 'Change'), present: 'c-1', chart: 'c-1' }, 'UpdateValues'],
  ['a lower claim has it', { holder: work('low', 99), plan: objects('Change'), present: 'c-1', chart: 'c-2' }, 'Upgrade'],
  ['an equal claim has it', { holder: work('equal', 100), plan: objects('Change'), present: 'c-1', chart: 'c-2' }, 'Conflict'],
  ['a higher claim is about to have it', { holder: work('high', 101), plan: objects('Create'), chart: 'c-2' }, 'Conflict'],
  ['objects without a chart are not there', { holder: undefined, plan: objects('Create', 'Create') }, 'Install'],
  ['one of the objects without a chart goes', { holder: undefined, plan: objects('Keep', 'Delete') }, 'Upgrade'],
  ['objects without a chart are as they would be', { holder: undefined, plan: objects('Keep', 'Keep') }, 'None'],
];
for (const [what, facts, action] of cases)
  test(`when ${what}: ${action}`, () => assert.equal(planRelease({ work: work('trial', 100), ...facts }).action, action));
