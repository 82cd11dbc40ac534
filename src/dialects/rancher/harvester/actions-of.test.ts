import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../../api/object.ts';
import type { JsonObject } from '../../../util/json.ts';
import { actionsOf, machineActions, type MachineAbilities } from './actions-of.ts';
import { instanceFacts, machineFacts, migrationStateOf } from './machine-facts.ts';

const phases = ['', 'Pending', 'Scheduling', 'Scheduled', 'Running', 'Succeeded', 'Failed', 'Unknown'] as const;
const strategies = ['Always', 'RerunOnFailure', 'Manual', 'Halted'] as const;
const everySubresource = ['start', 'stop', 'restart'].map(one => `virtualmachines/${one}`);
const everyVerb = ['pause', 'unpause', 'softreboot'].map(one => `virtualmachineinstances/${one}`);
const everything: MachineAbilities = {
  subresources: new Set([...everySubresource, ...everyVerb]),
  hasMigrations: true,
  hasSnapshots: true,
};
const nothing: MachineAbilities = { subresources: new Set(), hasMigrations: false, hasSnapshots: false };

/** A machine in the words of the table in section 4 of the specification. */
const worlds = fc.record({
  strategy: fc.constantFrom(...strategies),
  isStarting: fc.boolean(),
  isStopping: fc.boolean(),
  hasSnapshotRunning: fc.boolean(),
  phase: fc.option(fc.constantFrom(...phases), { nil: undefined }),
  isPaused: fc.boolean(),
  isReady: fc.boolean(),
  isMigratable: fc.boolean(),
  hasProbe: fc.boolean(),
  migration: fc.option(fc.constantFrom('Pending migration', 'Migrating', 'Aborting migration'), { nil: undefined }),
  nodes: fc.nat({ max: 3 }),
});
type World = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

/** The table itself, row by row, as objects of KubeVirt do not appear in it. */
function table(world: World): string[] {
  const { strategy, phase, migration } = world;
  const hasInstance = phase !== undefined;
  const runs = phase === 'Running';
  const isUnderWay = phase === 'Pending' || phase === 'Scheduling' || phase === 'Scheduled' || runs;
  const rows: Record<string, boolean> = {
    start: !(world.isStarting || isUnderWay),
    stop: strategy === 'Always' || (strategy !== 'Halted' && isUnderWay),
    forceStop: world.isStopping,
    restart: hasInstance && strategy !== 'Halted',
    softreboot: runs && !(world.isPaused || world.hasProbe),
    pause: runs && !(world.isPaused || world.hasProbe),
    unpause: runs && world.isPaused,
    migrate: world.nodes > 1 && hasInstance && world.isReady && world.isMigratable && migration === undefined,
    abortMigration: hasInstance && migration !== undefined && migration !== 'Aborting migration',
    snapshot: !world.hasSnapshotRunning,
    clone: true,
  };
  return Object.keys(rows).filter(name => rows[name]);
}

const condition = (type: string, isTrue: boolean) => ({ type, status: isTrue ? 'True' : 'False' });
const object = (kind: string, metadata: object, rest: JsonObject): KubeObject =>
  ({ apiVersion: 'kubevirt.io/v1', kind, metadata: { name: 'web', namespace: 'shop', ...metadata }, ...rest }) as KubeObject;

/** The same world as KubeVirt has it. Migrations are noted on the instance by Harvester, or nowhere but in themselves. */
function situationOf(world: World, abilities: MachineAbilities, isNoted: boolean) {
  const vm = object(
    'VirtualMachine',
    {},
    {
      spec: world.strategy === 'Halted' ? { running: false } : { runStrategy: world.strategy },
      status: {
        ...(world.isStarting && { stateChangeRequests: [{ action: 'Start' }] }),
        ...(world.isStopping && { printableStatus: 'Stopping' }),
        ...(world.hasSnapshotRunning && { snapshotInProgress: 'one' }),
      },
    },
  );
  const noted = isNoted && world.migration !== undefined ? { annotations: { 'harvesterhci.io/migrationState': world.migration } } : {};
  const vmi = object('VirtualMachineInstance', noted, {
    spec: world.hasProbe ? { livenessProbe: {} } : {},
    status: {
      phase: world.phase ?? '',
      conditions: [condition('Ready', world.isReady), condition('Paused', world.isPaused), condition('LiveMigratable', world.isMigratable)],
    },
  });
  const isThere = world.phase !== undefined;
  return {
    machine: machineFacts(vm),
    instance: isThere ? instanceFacts(vmi) : undefined,
    nodes: world.nodes,
    migration: isThere ? migrationStateOf(vmi, migrationsOf(world)) : undefined,
    abilities,
  };
}

function migrationsOf({ migration }: World): KubeObject[] {
  const past = object('VirtualMachineInstanceMigration', { name: 'past' }, { spec: { vmiName: 'web' }, status: { phase: 'Succeeded' } });
  const other = object('VirtualMachineInstanceMigration', { name: 'other' }, { spec: { vmiName: 'db' }, status: { phase: 'Running' } });
  if (migration === undefined) return [past, other];
  const phase = migration === 'Pending migration' ? 'Pending' : 'Running';
  const going = migration === 'Aborting migration' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return [
    past,
    other,
    object('VirtualMachineInstanceMigration', { name: 'now', ...going }, { spec: { vmiName: 'web' }, status: { phase } }),
  ];
}

test('actions are on offer exactly under the conditions of the table', () => {
  fc.assert(
    fc.property(worlds, fc.boolean(), (world, isNoted) => {
      assert.deepEqual(actionsOf(situationOf(world, everything, isNoted)).sort(), table(world).sort());
    }),
    { numRuns: 2000 },
  );
});

test('a member without the API for an action does not offer it, and offers nothing else for it', () => {
  const without = new Set(['softreboot', 'pause', 'unpause', 'migrate', 'abortMigration', 'snapshot']);
  fc.assert(
    fc.property(worlds, world => {
      const isManual = world.strategy === 'Manual';
      const expected = table(world).filter(name => !without.has(name) && !(name === 'restart' && isManual));
      assert.deepEqual(actionsOf(situationOf(world, nothing, false)).sort(), expected.sort());
    }),
    { numRuns: 1000 },
  );
});

test('each action is on offer in some world, and each but clone is missing in some', () => {
  const seen = new Map<string, Set<boolean>>();
  for (const world of fc.sample(worlds, { numRuns: 3000, seed: 7 })) {
    const offered = new Set<string>(actionsOf(situationOf(world, everything, false)));
    for (const name of machineActions) seen.set(name, (seen.get(name) ?? new Set()).add(offered.has(name)));
  }
  assert.deepEqual(
    machineActions.filter(name => seen.get(name)!.size < 2),
    ['clone'],
  );
});
