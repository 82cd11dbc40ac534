import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import { actionsOf } from './actions-of.ts';
import { disksOf, instanceFacts, machineFacts, migrationStateOf, runStrategyOf } from './machine-facts.ts';
import { planClone } from './plan-clone.ts';

/** Any JSON, often under the names that are looked at. */
const names = [
  'status',
  'spec',
  'template',
  'volumes',
  'conditions',
  'phase',
  'runStrategy',
  'running',
  'persistentVolumeClaim',
  'name',
  'type',
  '__proto__',
];
const json = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.constantFrom('Running', 'True', 'Ready', 'web', ''),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names), tie('value'), { maxKeys: 4 }),
  ),
})).value;
const objects = fc.record({ spec: json, status: json, annotation: fc.string() }).map(({ spec, status, annotation }): KubeObject => {
  const annotations = { 'harvesterhci.io/volumeClaimTemplates': annotation };
  return { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'web', namespace: 'shop', annotations }, spec, status };
});

test('whatever a member has stored, it is judged and nothing breaks', () => {
  fc.assert(
    fc.property(objects, objects, (vm, vmi) => {
      const abilities = { subresources: new Set<string>(), hasMigrations: true, hasSnapshots: true };
      const migration = migrationStateOf(vmi, [vm]);
      const actions = actionsOf({ machine: machineFacts(vm), instance: instanceFacts(vmi), nodes: 2, migration, abilities });
      assert.ok(actions.includes('clone'));
      for (const disk of disksOf(vm)) assert.equal(typeof disk.claim, 'string');
      assert.equal(planClone(vm, [], { name: 'two', runStrategy: 'Halted' }).machine.metadata.name, 'two');
    }),
    { numRuns: 1000 },
  );
});

test('the older field "running" is understood', () => {
  const vm = (spec: object): KubeObject => ({ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: {}, spec });
  assert.equal(runStrategyOf(vm({ running: true })), 'Always');
  assert.equal(runStrategyOf(vm({ running: false })), 'Halted');
  assert.equal(runStrategyOf(vm({ runStrategy: 'Manual' })), 'Manual');
  assert.equal(runStrategyOf(vm({})), '');
});
