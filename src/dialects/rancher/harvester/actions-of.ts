import { migrationStates, type InstanceFacts, type MachineFacts } from './machine-facts.ts';

/** What may be asked of a virtual machine. */
export const machineActions = [
  'start',
  'stop',
  'forceStop',
  'restart',
  'softreboot',
  'pause',
  'unpause',
  'migrate',
  'abortMigration',
  'snapshot',
  'clone',
] as const;
export type MachineAction = (typeof machineActions)[number];

export const isMachineAction = (name: string): name is MachineAction => (machineActions as readonly string[]).includes(name);

/** What the API of a member has for virtual machines. */
export interface MachineAbilities {
  /** As `virtualmachines/start`, of `subresources.kubevirt.io`. */
  readonly subresources: ReadonlySet<string>;
  readonly hasMigrations: boolean;
  readonly hasSnapshots: boolean;
}

export interface MachineSituation {
  readonly machine: MachineFacts;
  /** Absent while the machine does not run. */
  readonly instance: InstanceFacts | undefined;
  /** How many nodes the member has. */
  readonly nodes: number;
  /** Absent when no migration is under way. */
  readonly migration: string | undefined;
  readonly abilities: MachineAbilities;
}

type Condition = (situation: MachineSituation) => boolean;

const unfinished = new Set(['Pending', 'Scheduling', 'Scheduled', 'Running']);
const notLive = new Set(['', 'Unknown', 'Succeeded', 'Failed']);

const isPausable: Condition = ({ instance }) => instance?.phase === 'Running' && !instance.isPaused && !instance.hasLivenessProbe;

const conditions: Readonly<Record<MachineAction, Condition>> = {
  start: ({ machine, instance }) => !machine.isStarting && (!instance || notLive.has(instance.phase)),
  stop: ({ machine: { runStrategy }, instance }) => {
    if (runStrategy === 'Halted') return false;
    if (runStrategy === 'Manual' || runStrategy === 'RerunOnFailure') return instance !== undefined && unfinished.has(instance.phase);
    return true;
  },
  forceStop: ({ machine }) => machine.isStopping,
  restart: ({ machine, instance }) => machine.runStrategy !== 'Halted' && instance !== undefined,
  softreboot: isPausable,
  pause: isPausable,
  unpause: ({ instance }) => instance?.phase === 'Running' && instance.isPaused,
  migrate: ({ instance, nodes, migration }) =>
    nodes >= 2 && instance !== undefined && instance.isReady && instance.isMigratable && migration === undefined,
  abortMigration: ({ migration }) => migration === migrationStates.pending || migration === migrationStates.running,
  snapshot: ({ machine }) => !machine.hasSnapshotRunning,
  clone: () => true,
};

const needsSubresource =
  (name: string): Condition =>
  ({ abilities }) =>
    abilities.subresources.has(name);
const needsMigrations: Condition = ({ abilities }) => abilities.hasMigrations;

/** What an action cannot do without. Those that are absent do without: a changed spec, or a deleted instance, is as good. */
const needs: Readonly<Partial<Record<MachineAction, Condition>>> = {
  // A machine of runStrategy Manual whose instance is deleted stays off.
  restart: situation => situation.machine.runStrategy !== 'Manual' || needsSubresource('virtualmachines/restart')(situation),
  softreboot: needsSubresource('virtualmachineinstances/softreboot'),
  pause: needsSubresource('virtualmachineinstances/pause'),
  unpause: needsSubresource('virtualmachineinstances/unpause'),
  migrate: needsMigrations,
  abortMigration: needsMigrations,
  snapshot: ({ abilities }) => abilities.hasSnapshots,
};

/** What a machine offers at the moment to somebody who may change it. */
export function actionsOf(situation: MachineSituation): MachineAction[] {
  return machineActions.filter(name => conditions[name](situation) && (needs[name]?.(situation) ?? true));
}
