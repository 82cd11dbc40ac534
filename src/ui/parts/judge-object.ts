import { conditionsOf, phaseOf, type ConditionLike } from './conditions.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'idle';

interface Judged {
  readonly tone: Tone;
  readonly word: string;
  readonly why: string | undefined;
}

/** How an object of any kind is, by the conditions it has: first what is being removed, then what is stuck, then whether it is ready. */
export function judgeObject(obj: { metadata: { deletionTimestamp?: string }; [field: string]: unknown }): Judged {
  return judged(obj) ?? { tone: 'idle', word: 'Unknown', why: undefined };
}

/** The same; undefined when it does not say. */
export function judged(obj: Parameters<typeof judgeObject>[0]): Judged | undefined {
  if (obj.metadata.deletionTimestamp) return { tone: 'warn', word: 'Leaving', why: 'It is being removed' };
  const conditions = conditionsOf(obj);
  const phase = phaseOf(obj);
  const find = (type: string) => conditions.find(one => one.type === type);
  const stalled = find('Stalled');
  if (stalled?.status === 'True') return { tone: 'bad', word: 'Stalled', why: stalled.message };
  const ready = find('Ready') ?? find('Available') ?? find('Complete');
  // That the hub keeps trying to reach a cluster is no progress.
  const isCluster = find('Connected') !== undefined;
  if (ready) return judgeReady(ready, find('Reconciling')?.status === 'True' && !isCluster);
  if (phase) return { tone: phaseTones[phase] ?? 'idle', word: phase, why: undefined };
  return undefined;
}

const phaseTones: Record<string, Tone> = {
  Running: 'good',
  Active: 'good',
  Bound: 'good',
  Succeeded: 'good',
  Pending: 'info',
  Failed: 'bad',
  Lost: 'bad',
  Terminating: 'warn',
  Unknown: 'warn',
};

function judgeReady({ type, status, reason = '', message }: ConditionLike, isMoving: boolean): Judged {
  if (status === 'True') return { tone: 'good', word: type, why: message };
  if (isMoving) return { tone: 'info', word: words(reason) || 'In progress', why: message };
  if (status === 'Unknown') return { tone: 'warn', word: words(reason) || 'Unknown', why: message };
  return { tone: 'bad', word: words(reason) || `Not ${type.toLowerCase()}`, why: message };
}

/** `AgentDisconnected` as people say it. */
export const words = (reason: string): string =>
  reason.replaceAll(/([a-z])([A-Z])/g, (_all, before: string, after: string) => `${before} ${after.toLowerCase()}`);
