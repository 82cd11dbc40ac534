import type { RolloutSpec, RolloutState, WaveSpec, WaveStatus } from '../../api/rollout.ts';

/** A number, or a share of a total, rounded down. */
export function countOf(value: number | string, total: number, minimum: 0 | 1): number {
  const text = String(value);
  const number = text.endsWith('%') ? Math.floor((Number(text.slice(0, -1)) * total) / 100) : Number(text);
  return Number.isFinite(number) ? Math.max(minimum, Math.trunc(number)) : minimum;
}

/** The settings of a wave are those of now; its clusters are those it was begun with. */
export const settingsOf = (wave: WaveStatus, spec: RolloutSpec): Partial<WaveSpec> => spec.waves?.find(one => one.name === wave.name) ?? {};

const memberCount = ({ clusters }: WaveStatus): number => clusters.filter(({ state }) => state !== 'Skipped').length;
export const rolloutSize = ({ waves }: RolloutState): number => waves.reduce((sum, wave) => sum + memberCount(wave), 0);

export const maxConcurrencyOf = (wave: WaveStatus, spec: RolloutSpec): number =>
  countOf(settingsOf(wave, spec).maxConcurrency ?? '100%', memberCount(wave), 1);

export const maxWaveFailures = (wave: WaveStatus, spec: RolloutSpec): number =>
  countOf(settingsOf(wave, spec).maxFailures ?? 0, memberCount(wave), 0);

export const maxRunFailures = (state: RolloutState, { maxFailures }: RolloutSpec): number =>
  maxFailures === undefined ? Infinity : countOf(maxFailures, rolloutSize(state), 0);

export const maxUnavailableOf = (state: RolloutState, { maxUnavailable }: RolloutSpec): number =>
  maxUnavailable === undefined ? Infinity : countOf(maxUnavailable, rolloutSize(state), 1);
