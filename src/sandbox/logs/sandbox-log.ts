import type { ContainerState, ContainerStatus, Pod } from '../../api/kubernetes.ts';
import type { LogOptions } from '../../apiserver/http/node-bound.ts';
import { badRequest } from '../../api/status.ts';
import { logAnnotation } from '../pod-life/pod-behavior.ts';

export interface LogLine {
  readonly at: Date;
  readonly text: string;
}

const pullReasons = new Set(['ErrImagePull', 'ImagePullBackOff']);

/**
 * The log of one run of a container: that it started, what the pod's annotation says, and how it ended. Throws what a kubelet answers when
 * there was no such run.
 */
export function logLines(pod: Pod, { container, previous }: Pick<LogOptions, 'container' | 'previous'>): LogLine[] {
  const name = pod.metadata?.name ?? '';
  const status = statusOf(pod, container);
  const run = status && runOf(status, previous);
  if (!run) {
    if (previous) throw badRequest(`previous terminated container "${container}" in pod "${name}" not found`);
    const reason = status?.state?.waiting?.reason ?? 'ContainerCreating';
    const why = pullReasons.has(reason) ? 'trying and failing to pull image' : reason;
    throw badRequest(`container "${container}" in pod "${name}" is waiting to start: ${why}`);
  }
  const { running, terminated } = run;
  const startedAt = new Date(running?.startedAt ?? terminated?.startedAt ?? '');
  const lines = [`container "${container}" started: image "${status.image}" in a sandbox, nothing is executed`];
  const written = pod.metadata?.annotations?.[logAnnotation];
  if (written !== undefined) lines.push(...written.replace(/\n$/, '').split('\n'));
  const log = lines.map(text => ({ at: startedAt, text }));
  if (!terminated) return log;
  const text = `container "${container}" ended: ${terminated.reason ?? 'Error'}, exit code ${terminated.exitCode}`;
  return [...log, { at: new Date(terminated.finishedAt ?? ''), text }];
}

/** A container that waits for its next start shows its last run. */
function runOf({ state, lastState }: ContainerStatus, previous: boolean): ContainerState | undefined {
  if (previous) return lastState?.terminated ? lastState : undefined;
  if (state?.running ?? state?.terminated) return state;
  return lastState?.terminated ? lastState : undefined;
}

function statusOf({ status }: Pod, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(({ name }) => name === container);
}

export const isRunning = (pod: Pod, container: string): boolean => statusOf(pod, container)?.state?.running !== undefined;

/** Lines as the client asked for them. */
export function printLines(lines: readonly LogLine[], { since, tailLines, timestamps }: LogOptions): string {
  const recent = since ? lines.filter(({ at }) => at.getTime() >= Math.floor(since.getTime() / 1000) * 1000) : lines;
  const shown = tailLines === undefined ? recent : tailLines === 0 ? [] : recent.slice(-tailLines);
  return shown.map(({ at, text }) => `${timestamps ? `${at.toISOString().replace('Z', '000000Z')} ` : ''}${text}\n`).join('');
}
