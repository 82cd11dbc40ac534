import { Pod } from '../../api/builtin-kinds.ts';
import type { ContainerStatus, LabelSelector } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Member } from './member.ts';

const workloads = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job']);
const timeoutMs = 5_000;
const longestMessage = 200;
/** Reasons that every container passes through on its way. */
const usual = new Set(['ContainerCreating', 'PodInitializing', 'Completed']);

/** What the pods of a workload that is not healthy say about it. Undefined when they say nothing, or cannot be asked. */
export async function explainPods({ client }: Member, workload: KubeObject | undefined, signal: AbortSignal): Promise<string | undefined> {
  if (!workload || !workloads.has(workload.kind)) return undefined;
  const { namespace = '' } = workload.metadata;
  const labelSelector = selectorText((workload['spec'] as { selector?: LabelSelector } | undefined)?.selector);
  if (labelSelector === '' || namespace === '') return undefined;
  try {
    const { items } = await client.list(Pod, { namespace, labelSelector, signal, timeoutMs });
    const troubles = items.map(podTrouble).filter(trouble => trouble !== undefined);
    return troubles.sort()[0];
  } catch {
    // The pods only add to what is known already.
    signal.throwIfAborted();
    return undefined;
  }
}

/** Why a pod does not run or is not ready, in the words of its node or the scheduler, without those that change by themselves. */
export function podTrouble({ metadata, status = {} }: Pod): string | undefined {
  const told = (words: string) => `pod ${metadata.name}: ${words}`;
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  for (const container of containers) {
    const trouble = containerTrouble(container);
    if (trouble !== undefined) return told(`container ${container.name}: ${trouble}`);
  }
  const scheduled = status.conditions?.find(({ type, status: isTrue }) => type === 'PodScheduled' && isTrue === 'False');
  if (scheduled) return told(shortened(`${scheduled.reason ?? 'not scheduled'}: ${scheduled.message ?? ''}`));
  return status.phase === 'Failed' ? told(shortened(`${status.reason ?? 'Failed'}: ${status.message ?? ''}`)) : undefined;
}

function containerTrouble({ state, lastState }: ContainerStatus): string | undefined {
  const { waiting, terminated } = state ?? {};
  const ended = terminated ?? lastState?.terminated;
  const how = ended && ended.exitCode !== 0 ? `${ended.reason ?? 'Error'}, exit code ${ended.exitCode}` : '';
  if (waiting?.reason === 'CrashLoopBackOff') return how === '' ? waiting.reason : `${waiting.reason} (${how})`;
  if (waiting?.reason !== undefined && !usual.has(waiting.reason)) return shortened(`${waiting.reason}: ${waiting.message ?? ''}`);
  return terminated && how !== '' ? how : undefined;
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replace(/: $/, '');
  return line.length > longestMessage ? `${line.slice(0, longestMessage)}…` : line;
}

function selectorText({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const expressions = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...labels, ...expressions].join(',');
}
