import { createHash } from 'node:crypto';
import { apiVersionOf } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { VirtualMachineInstance, type VirtualMachine } from './kubevirt-kinds.ts';

/** What is to be done about one virtual machine. At most one step is taken at a time: what comes of it is looked at again. */
export interface MachineStep {
  readonly create?: VirtualMachineInstance;
  readonly remove?: boolean;
  /** The instance has just been made and begins to run. */
  readonly begin?: boolean;
  /** What the machine should say of itself; undefined when it is not there. */
  readonly status: JsonObject | undefined;
}

export function decideMachine(vm: VirtualMachine | undefined, vmi: VirtualMachineInstance | undefined, at: string): MachineStep {
  const phase = vmi?.status?.phase ?? '';
  const begin = vmi !== undefined && phase === '' && vmi.metadata.deletionTimestamp === undefined;
  if (!vm || vm.metadata.deletionTimestamp !== undefined) return { begin, status: undefined };
  const strategy = strategyOf(vm.spec);
  const asked = openRequests(vm.status, vmi);
  const hasEnded = phase === 'Failed' || (phase === 'Succeeded' && strategy === 'Always');
  const isWanted = strategy === 'Always' || strategy === 'RerunOnFailure';
  const isAsked = asked[0]?.['action'] === 'Start';
  const remove = vmi !== undefined && (strategy === 'Halted' || (isWanted && hasEnded) || asked[0]?.['action'] === 'Stop');
  return {
    begin: begin && !remove,
    remove,
    ...((isWanted || isAsked) && !vmi && { create: instanceOf(vm) }),
    status: {
      ...machineStatus({ ...vm.status }, { phase, isThere: vmi !== undefined, isWanted: isWanted || isAsked, at }),
      ...(vm.status?.['stateChangeRequests'] !== undefined && { stateChangeRequests: asked.length === 0 ? null : asked }),
    },
  };
}

/** What was asked for through KubeVirt's second API and is not done. An instance is stopped once: the next has another uid. */
function openRequests(status: JsonObject | undefined, vmi: VirtualMachineInstance | undefined): JsonObject[] {
  const requests = status?.['stateChangeRequests'];
  const asked = (Array.isArray(requests) ? requests : []).filter(isJsonObject);
  const firstOpen = asked.findIndex(one => (one['action'] === 'Start' ? !vmi : vmi !== undefined && one['uid'] === vmi.metadata.uid));
  return firstOpen === -1 ? [] : asked.slice(firstOpen);
}

function strategyOf({ running, runStrategy }: JsonObject): string {
  if (typeof running === 'boolean') return running ? 'Always' : 'Halted';
  return typeof runStrategy === 'string' ? runStrategy : 'Halted';
}

function instanceOf({ metadata: { name = '', namespace = '', uid = '' }, spec }: VirtualMachine): VirtualMachineInstance {
  const template = isJsonObject(spec['template']) ? spec['template'] : {};
  const { labels, annotations } = isJsonObject(template['metadata']) ? template['metadata'] : {};
  const owner = {
    apiVersion: apiVersionOf(VirtualMachineInstance),
    kind: 'VirtualMachine',
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    apiVersion: apiVersionOf(VirtualMachineInstance),
    kind: VirtualMachineInstance.kind,
    metadata: {
      name,
      namespace,
      ...(isJsonObject(labels) && { labels: labels as Record<string, string> }),
      ...(isJsonObject(annotations) && { annotations: annotations as Record<string, string> }),
      ownerReferences: [owner],
    },
    spec: isJsonObject(template['spec']) ? template['spec'] : {},
  };
}

interface Seen {
  readonly phase: string;
  readonly isThere: boolean;
  readonly isWanted: boolean;
  readonly at: string;
}

function machineStatus(present: JsonObject, { phase, isThere, isWanted, at }: Seen): JsonObject {
  const isRunning = phase === 'Running';
  const shown = isThere ? (isWanted || isRunning ? (isRunning ? 'Running' : 'Starting') : 'Stopping') : isWanted ? 'Starting' : 'Stopped';
  return { ...present, printableStatus: shown, created: isThere, ready: isRunning, conditions: [readyCondition(present, isRunning, at)] };
}

function readyCondition({ conditions }: JsonObject, isReady: boolean, at: string): JsonObject {
  const status = isReady ? 'True' : 'False';
  const before = (Array.isArray(conditions) ? conditions : []).filter(isJsonObject).find(one => one['type'] === 'Ready');
  return { type: 'Ready', status, lastTransitionTime: before?.['status'] === status ? (before['lastTransitionTime'] ?? at) : at };
}

/** What an instance says of itself once it runs. */
export function runningStatus({ metadata: { uid = '' } }: VirtualMachineInstance, node: string, nodes: number, at: string): JsonObject {
  const [a = 0, b = 0] = createHash('sha256').update(uid).digest();
  const condition = (type: string, isTrue: boolean): Json => ({ type, status: isTrue ? 'True' : 'False', lastTransitionTime: at });
  return {
    phase: 'Running',
    nodeName: node,
    interfaces: [{ name: 'default', ipAddress: `10.52.${a}.${Math.max(b, 2)}` }],
    conditions: [condition('Ready', true), condition('LiveMigratable', nodes > 1), condition('AgentConnected', true)],
  };
}
