import type { KubeObject } from '../../../api/object.ts';
import { isJsonObject, type Json } from '../../../util/json.ts';

/** Marks of Harvester on virtual machines, their instances and volumes. */
export const marks = {
  migrationState: 'harvesterhci.io/migrationState',
  removedClaims: 'harvesterhci.io/removedPersistentVolumeClaims',
  /** The runStrategy that a machine had before it was stopped. */
  runStrategy: 'harvesterhci.io/vmRunStrategy',
  claimTemplates: 'harvesterhci.io/volumeClaimTemplates',
  macAddress: 'harvesterhci.io/mac-address',
  goldenImage: 'harvesterhci.io/goldenImage',
} as const;

export const runStrategies = ['Always', 'RerunOnFailure', 'Manual', 'Halted'] as const;
export const migrationStates = { pending: 'Pending migration', running: 'Migrating', aborting: 'Aborting migration' } as const;

/** What decides about a VirtualMachine. */
export interface MachineFacts {
  /** Empty when it says nothing about it. */
  readonly runStrategy: string;
  readonly isStarting: boolean;
  readonly isStopping: boolean;
  readonly hasSnapshotRunning: boolean;
}

/** What decides about a VirtualMachineInstance, which is there while the machine runs. */
export interface InstanceFacts {
  /** Empty before KubeVirt has looked at it. */
  readonly phase: string;
  readonly isReady: boolean;
  readonly isPaused: boolean;
  readonly isMigratable: boolean;
  readonly hasLivenessProbe: boolean;
}

/** What a member stored is looked at as it is: nothing it says can be worse than unknown. */
export function machineFacts(vm: KubeObject): MachineFacts {
  const status = vm['status'];
  const requests = at(status, 'stateChangeRequests');
  return {
    runStrategy: runStrategyOf(vm),
    isStarting: Array.isArray(requests) && requests.some(one => at(one, 'action') === 'Start'),
    isStopping: at(status, 'printableStatus') === 'Stopping',
    hasSnapshotRunning: (at(status, 'snapshotInProgress') ?? null) !== null,
  };
}

export function instanceFacts(vmi: KubeObject): InstanceFacts {
  const { status } = vmi;
  return {
    phase: text(at(status, 'phase')),
    isReady: isTrue(status, 'Ready'),
    isPaused: isTrue(status, 'Paused'),
    isMigratable: isTrue(status, 'LiveMigratable'),
    hasLivenessProbe: (at(vmi['spec'], 'livenessProbe') ?? null) !== null,
  };
}

/** The older `running` counts where there is no runStrategy. */
export function runStrategyOf({ spec }: KubeObject): string {
  const running = at(spec, 'running');
  if (typeof running === 'boolean') return running ? 'Always' : 'Halted';
  return text(at(spec, 'runStrategy'));
}

/** Undefined when nothing is under way. What Harvester notes comes first; without it the migrations themselves are looked at. */
export function migrationStateOf(vmi: KubeObject, migrations: readonly KubeObject[]): string | undefined {
  const noted = vmi.metadata.annotations?.[marks.migrationState];
  if (noted === migrationStates.pending || noted === migrationStates.running) return noted;
  const active = activeMigrations(vmi, migrations);
  if (active.length === 0) return undefined;
  if (noted === migrationStates.aborting || active.some(one => one.metadata.deletionTimestamp !== undefined))
    return migrationStates.aborting;
  return active.every(one => ['', 'Pending'].includes(text(at(one['status'], 'phase'))))
    ? migrationStates.pending
    : migrationStates.running;
}

export function activeMigrations({ metadata: { name } }: KubeObject, migrations: readonly KubeObject[]): KubeObject[] {
  return migrations.filter(
    one => at(one['spec'], 'vmiName') === name && !['Succeeded', 'Failed'].includes(text(at(one['status'], 'phase'))),
  );
}

/** A disk that lies in a PersistentVolumeClaim. */
export interface MachineDisk {
  /** The name of the volume in the machine. */
  readonly disk: string;
  readonly claim: string;
  /** Whether a DataVolume of the same name stands between the machine and the claim. */
  readonly isDataVolume: boolean;
}

export function disksOf({ spec }: KubeObject): MachineDisk[] {
  const volumes = at(at(at(spec, 'template'), 'spec'), 'volumes');
  return (Array.isArray(volumes) ? volumes : []).flatMap((volume): MachineDisk[] => {
    const disk = text(at(volume, 'name'));
    const claim = text(at(at(volume, 'persistentVolumeClaim'), 'claimName'));
    const dataVolume = text(at(at(volume, 'dataVolume'), 'name'));
    if (claim !== '') return [{ disk, claim, isDataVolume: false }];
    return dataVolume === '' ? [] : [{ disk, claim: dataVolume, isDataVolume: true }];
  });
}

function isTrue(status: unknown, type: string): boolean {
  const conditions = at(status, 'conditions');
  return Array.isArray(conditions) && conditions.some(one => at(one, 'type') === type && at(one, 'status') === 'True');
}

const at = (value: unknown, key: string): Json | undefined => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined);
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
