import type { Tone } from '../../parts/state-badge.tsx';

const tones: Readonly<Record<string, Tone>> = {
  Progressing: 'info',
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

/** How a rollout, a wave or a cluster of one is, as a colour. */
export const rolloutTone = (phase: string | undefined): Tone => tones[phase ?? ''] ?? 'idle';

export const isUnderWay = (phase: string | undefined): boolean =>
  ['Progressing', 'Running', 'Soaking', 'RollingBack'].includes(phase ?? '');
