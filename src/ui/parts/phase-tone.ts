import type { Tone } from './state-badge.tsx';

const tones: Readonly<Record<string, Tone>> = {
  Progressing: 'info',
  Resolving: 'info',
  Verifying: 'info',
  Approved: 'good',
  Successful: 'good',
  Error: 'bad',
  Inconclusive: 'warn',
  Waiting: 'warn',
  Rejected: 'bad',
  Expired: 'bad',
  Running: 'info',
  Soaking: 'info',
  RollingBack: 'warn',
  Paused: 'warn',
  Deferred: 'warn',
  Aborted: 'warn',
  RolledBack: 'warn',
  Succeeded: 'good',
  Done: 'good',
  Failed: 'bad',
  TimedOut: 'bad',
  RollbackFailed: 'bad',
};

/** How a rollout or a run, a wave, a step or a cluster of it is, as a colour. */
export const phaseTone = (phase: string | undefined): Tone => tones[phase ?? ''] ?? 'idle';

export const isUnderWay = (phase: string | undefined): boolean =>
  ['Progressing', 'Resolving', 'Running', 'Soaking', 'Verifying', 'RollingBack'].includes(phase ?? '');

/** Whether nothing more comes of it. */
export const isRunOver = (phase: string | undefined): boolean =>
  ['Succeeded', 'Failed', 'RolledBack', 'RollbackFailed', 'Aborted', 'Rejected', 'Expired'].includes(phase ?? '');
