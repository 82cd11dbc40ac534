import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import type { JsonObject } from '../../util/json.ts';
import { decideMachine } from './decide-machine.ts';
import { VirtualMachine, VirtualMachineInstance } from './kubevirt-kinds.ts';

const at = '2026-01-01T00:00:00Z';
const machine = (runStrategy: string, status?: JsonObject): VirtualMachine => ({
  ...newObject(VirtualMachine, { name: 'web', namespace: 'shop', uid: 'vm' }, { runStrategy, template: { spec: { hostname: 'web' } } }),
  ...(status && { status }),
});
const instance = (phase: string, uid = 'one'): VirtualMachineInstance => ({
  ...newObject(VirtualMachineInstance, { name: 'web', namespace: 'shop', uid }, {}),
  status: { phase },
});
/** What is done, in short, and what the machine shows. */
function told(vm: VirtualMachine, vmi?: VirtualMachineInstance): [string, unknown] {
  const { create, remove, begin, status } = decideMachine(vm, vmi, at);
  return [[create && 'create', remove && 'remove', begin && 'begin'].filter(Boolean).join(' '), status?.['printableStatus']];
}

test('a machine runs or not as its strategy says', () => {
  assert.deepEqual(told(machine('Always')), ['create', 'Starting']);
  assert.deepEqual(told(machine('RerunOnFailure')), ['create', 'Starting']);
  assert.deepEqual(told(machine('Manual')), ['', 'Stopped']);
  assert.deepEqual(told(machine('Halted')), ['', 'Stopped']);
  assert.deepEqual(told(machine('Always'), instance('')), ['begin', 'Starting']);
  assert.deepEqual(told(machine('Always'), instance('Running')), ['', 'Running']);
  assert.deepEqual(told(machine('Manual'), instance('Running')), ['', 'Running']);
  assert.equal(told(machine('Halted'), instance('Running'))[0], 'remove');
});

test('what has ended runs again where its strategy says so', () => {
  assert.equal(told(machine('Always'), instance('Succeeded'))[0], 'remove');
  assert.equal(told(machine('RerunOnFailure'), instance('Failed'))[0], 'remove');
  assert.equal(told(machine('RerunOnFailure'), instance('Succeeded'))[0], '');
  assert.equal(told(machine('Manual'), instance('Failed'))[0], '');
});

test('what was asked for is done once, in its order', () => {
  const restart = { stateChangeRequests: [{ action: 'Stop', uid: 'one' }, { action: 'Start' }] };
  assert.equal(told(machine('Manual', restart), instance('Running'))[0], 'remove');
  const between = decideMachine(machine('Manual', restart), undefined, at);
  assert.ok(between.create);
  assert.deepEqual(between.status?.['stateChangeRequests'], [{ action: 'Start' }]);
  const done = decideMachine(machine('Manual', restart), instance('Running', 'two'), at);
  assert.equal(done.remove, false);
  assert.equal(done.status?.['stateChangeRequests'], null);
  assert.equal('stateChangeRequests' in decideMachine(machine('Manual'), undefined, at).status!, false);
});

test('an instance is the template of its machine and goes with it', () => {
  const { create } = decideMachine(machine('Always'), undefined, at);
  assert.deepEqual(create?.spec, { hostname: 'web' });
  assert.deepEqual(
    create.metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
    [['VirtualMachine', 'vm']],
  );
  assert.deepEqual(decideMachine(undefined, instance('Running'), at), { begin: false, status: undefined });
});

test('when a machine became ready stays as it is while it is', () => {
  const before = decideMachine(machine('Always'), instance('Running'), at).status!;
  const later = decideMachine(machine('Always', before), instance('Running'), '2027-01-01T00:00:00Z').status!;
  assert.deepEqual(later, before);
});
