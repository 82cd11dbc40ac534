import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineState, type Instance, type Machine } from './machine-state.ts';

const vm = (printableStatus: string, more: object = {}, spec: object = { runStrategy: 'Always' }): Machine => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'a', ...more },
  spec,
  status: { printableStatus },
});
const vmi = (phase: string, conditions: Record<string, string> = {}, more: object = {}): Instance => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'a', ...more },
  status: { phase, conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});

test('the first state of the list that is so', () => {
  const ready = { Ready: 'True' };
  const gone = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const cases: [Machine, Instance | undefined, string][] = [
    [vm('Running', gone), vmi('Running', ready), 'Terminating'],
    [vm('Migrating'), vmi('Running', ready, { annotations: { 'harvesterhci.io/migrationState': 'Migrating' } }), 'Migrating'],
    [vm('ErrorUnschedulable'), vmi('Scheduling'), 'Unschedulable'],
    [vm('Paused'), vmi('Running', { ...ready, Paused: 'True' }), 'Paused'],
    [vm('CrashLoopBackOff'), undefined, 'Error'],
    [vm('Starting'), vmi('Pending'), 'Pending'],
    [vm('Stopping'), vmi('Running', ready), 'Stopping'],
    [vm('Stopped', {}, { runStrategy: 'Halted' }), undefined, 'Off'],
    [vm('', {}, { running: false }), undefined, 'Off'],
    [vm(''), vmi('Failed'), 'Error'],
    [vm('Running'), vmi('Running', ready), 'Running'],
    [vm('Running'), vmi('Running', { Ready: 'False' }), 'Not ready'],
    [vm('Starting'), vmi('Scheduling'), 'Starting'],
    [vm('WaitingForVolumeBinding'), undefined, 'Waiting'],
    [vm(''), undefined, 'Unknown'],
  ];
  assert.deepEqual(
    cases.map(([machine, instance]) => machineState(machine, instance).word),
    cases.map(([, , word]) => word),
  );
});
