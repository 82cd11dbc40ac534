import type { Pod } from '../../api/builtin-kinds.ts';
import { agentConditions } from '../../api/cluster.ts';
import type { ConditionReport } from '../../api/conditions.ts';
import { agentNamespace } from './agent-names.ts';

const imageProblems = new Set(['ImagePullBackOff', 'ErrImagePull', 'InvalidImageName', 'ErrImageNeverPull', 'RegistryUnavailable']);

interface Trouble {
  readonly reason: string;
  readonly message: string;
}

/** What the pods of an agent say about it. An agent that is connected may have a successor that cannot start. */
export function judgeAgentPods(pods: readonly Pod[]): ConditionReport | undefined {
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined).toSorted(newestFirst);
  if (alive.length === 0) return undefined;
  for (const pod of alive) {
    const trouble = troubleOf(pod);
    if (trouble) return { type: agentConditions.deployed, status: 'False', ...trouble };
    if (isReady(pod)) break;
  }
  return { type: agentConditions.deployed, status: 'True', reason: 'Running', message: 'The pod of the agent runs' };
}

function newestFirst(one: Pod, other: Pod): number {
  const [a = '', b = ''] = [one.metadata.creationTimestamp, other.metadata.creationTimestamp];
  return a === b ? (one.metadata.name ?? '').localeCompare(other.metadata.name ?? '') : a < b ? 1 : -1;
}

const isReady = ({ status }: Pod) => status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

function troubleOf(pod: Pod): Trouble | undefined {
  const name = pod.metadata.name ?? '';
  for (const { image, state } of pod.status?.containerStatuses ?? []) {
    const { reason = '' } = state?.waiting ?? {};
    if (imageProblems.has(reason)) return { reason: 'ImagePullBackOff', message: imageMessage(name, image ?? '') };
    if (reason === 'CrashLoopBackOff')
      return {
        reason,
        message: `Pod "${name}" of the agent ends again and again; see kubectl -n ${agentNamespace} logs ${name} --previous`,
      };
    if (reason === 'CreateContainerConfigError' || reason === 'CreateContainerError')
      return { reason, message: `Pod "${name}" of the agent cannot start; see kubectl -n ${agentNamespace} describe pod ${name}` };
  }
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False' || scheduled.reason !== 'Unschedulable') return undefined;
  return {
    reason: 'Unschedulable',
    message: `No node takes pod "${name}" of the agent; see kubectl -n ${agentNamespace} describe pod ${name}`,
  };
}

const imageMessage = (pod: string, image: string) =>
  `The nodes cannot pull image "${image}" for pod "${pod}" of the agent: make it available to them (a registry, or "ctr -n k8s.io images import"), ` +
  `or start the hub with another --agent-image and apply the import manifest again; then delete the pod`;
