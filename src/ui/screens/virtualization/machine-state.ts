import type { KubeObject } from '../../data/kinds.ts';
import type { Tone } from '../../parts/state-badge.tsx';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface Machine extends KubeObject {
  readonly spec?: {
    readonly runStrategy?: string;
    readonly running?: boolean;
    readonly template?: {
      readonly spec?: {
        readonly domain?: {
          readonly cpu?: { readonly cores?: number; readonly sockets?: number; readonly threads?: number };
          readonly memory?: { readonly guest?: string };
          readonly resources?: { readonly limits?: { readonly memory?: string } };
        };
        readonly volumes?: readonly {
          readonly name?: string;
          readonly persistentVolumeClaim?: { readonly claimName?: string };
          readonly cloudInitNoCloud?: object;
        }[];
        readonly networks?: readonly { readonly name?: string; readonly multus?: { readonly networkName?: string } }[];
      };
    };
  };
  readonly status?: { readonly printableStatus?: string; readonly conditions?: readonly Condition[]; readonly restoreInProgress?: string };
}

export interface Instance extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly nodeName?: string;
    readonly conditions?: readonly Condition[];
    readonly interfaces?: readonly { readonly name?: string; readonly ipAddress?: string }[];
  };
}

export interface MachineState {
  readonly tone: Tone;
  readonly word: string;
  readonly why?: string | undefined;
}

const migrationAnnotation = 'harvesterhci.io/migrationState';
const conditionOf = (obj: Machine | Instance | undefined, type: string) => obj?.status?.conditions?.find(one => one.type === type);
const isTrue = (obj: Machine | Instance | undefined, type: string) => conditionOf(obj, type)?.status === 'True';

const isHalted = ({ spec }: Machine): boolean => (spec?.runStrategy ?? (spec?.running === true ? 'Always' : 'Halted')) === 'Halted';

/** How a virtual machine is, in the words and the order of Harvester: the first that is so. */
export function machineState(vm: Machine, vmi: Instance | undefined): MachineState {
  const printed = vm.status?.printableStatus ?? '';
  const phase = vmi?.status?.phase ?? '';
  const migration = vmi?.metadata.annotations?.[migrationAnnotation] ?? '';
  const scheduled = conditionOf(vm, 'PodScheduled') ?? conditionOf(vmi, 'PodScheduled');
  const failure = conditionOf(vm, 'Failure');
  if (vm.status?.restoreInProgress) return { tone: 'info', word: 'Restoring' };
  if (vm.metadata.deletionTimestamp !== undefined) return { tone: 'warn', word: 'Terminating' };
  if (migration !== '') return { tone: 'info', word: migration };
  if (printed === 'ErrorUnschedulable' || (scheduled?.status === 'False' && scheduled.reason === 'Unschedulable'))
    return { tone: 'bad', word: 'Unschedulable', why: scheduled?.message };
  if (isTrue(vmi, 'Paused')) return { tone: 'warn', word: 'Paused' };
  if (failure?.status === 'True' || /^Error|CrashLoop|BackOff|DataVolumeError/.test(printed))
    return { tone: 'bad', word: 'Error', why: failure?.message ?? printed };
  if (phase === 'Pending') return { tone: 'info', word: 'Pending' };
  if (printed === 'Stopping' || vmi?.metadata.deletionTimestamp !== undefined) return { tone: 'info', word: 'Stopping' };
  if (!vmi && (isHalted(vm) || printed === 'Stopped')) return { tone: 'idle', word: 'Off' };
  if (phase === 'Failed') return { tone: 'bad', word: 'Error', why: 'The instance has failed' };
  if (phase === 'Running') return isTrue(vmi, 'Ready') ? { tone: 'good', word: 'Running' } : { tone: 'warn', word: 'Not ready' };
  if (phase === 'Scheduling' || phase === 'Scheduled' || printed === 'Starting' || printed === 'Provisioning')
    return { tone: 'info', word: 'Starting' };
  if (/^Waiting/.test(printed)) return { tone: 'info', word: 'Waiting', why: printed };
  return { tone: 'idle', word: 'Unknown' };
}

/** Cores in all. */
export function coresOf({ spec }: Machine): number | undefined {
  const cpu = spec?.template?.spec?.domain?.cpu;
  return cpu && (cpu.cores ?? 1) * (cpu.sockets ?? 1) * (cpu.threads ?? 1);
}

export const memoryOf = ({ spec }: Machine): string => {
  const domain = spec?.template?.spec?.domain;
  return domain?.memory?.guest ?? domain?.resources?.limits?.memory ?? '';
};
