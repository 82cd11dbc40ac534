import type { ClusterEntry, RolloutState, WaveStatus } from '../../api/rollout.ts';
import { entriesOf, hasFailed } from './cluster-states.ts';
import type { Draft } from './rollout-step.ts';
import { settingsOf } from './rollout-limits.ts';

/** Fills in what people read. */
export function summarize(draft: Draft): void {
  const { state } = draft;
  const entries = entriesOf(state);
  const count = (...states: ClusterEntry['state'][]) => entries.filter(one => states.includes(one.state)).length;
  const counts = {
    pending: count('Pending', 'Aborted'),
    running: count('Running', 'RollingBack'),
    soaking: count('Soaking'),
    succeeded: count('Succeeded'),
    failed: count('Failed', 'TimedOut', 'RollbackFailed'),
    deferred: count('Deferred'),
    skipped: count('Skipped'),
    rolledBack: count('RolledBack'),
  };
  state.clusters = { total: entries.length, ...Object.fromEntries(Object.entries(counts).filter(([, number]) => number > 0)) };
  state.updated = `${counts.succeeded + counts.soaking}/${entries.length - counts.skipped}`;
  const wave = presentWave(state);
  if (wave) state.wave = wave.name;
  else delete state.wave;
  state.message = sayRollout(draft, wave);
}

/** The wave that a rollout is in; undefined when it is in none any more. */
function presentWave({ waves, phase }: RolloutState): WaveStatus | undefined {
  const isIn = phase === 'Progressing' || phase === 'Soaking' || phase === 'Paused' || phase === 'Failed' || phase === 'Aborted';
  return isIn ? waves.find(wave => wave.phase !== 'Done' && wave.phase !== 'Skipped') : undefined;
}

function sayRollout({ state, spec }: Draft, wave: WaveStatus | undefined): string {
  const entries = entriesOf(state);
  switch (state.phase) {
    case 'Succeeded':
      return sentence(`Revision ${state.revision} is on ${done(entries)}`, failures(entries), deferred(entries));
    case 'RolledBack':
      return sentence(
        `Revision ${state.revision} was put back to ${state.rollbackTo}`,
        breach(state),
        deferred(entries),
        'change the spec for another try',
      );
    case 'RollbackFailed':
      return sentence(
        `Revision ${state.revision} could not be put back to ${state.rollbackTo} everywhere`,
        failures(entries),
        deferred(entries),
      );
    case 'RollingBack': {
      const isBack = (one: ClusterEntry) => one.state === 'RolledBack';
      const affected = entries.filter(one => !['Pending', 'Aborted', 'Skipped'].includes(one.state));
      const progress = `${affected.filter(isBack).length} of ${plural(affected.length)} done`;
      return sentence(
        `Revision ${state.revision} is put back to ${state.rollbackTo}: ${progress}`,
        breach(state),
        failures(entries),
        waits(entries, 'RollingBack'),
      );
    }
    default:
      return sentence(place(state, wave), breach(state), wave && failures(wave.clusters), wave && deferred(wave.clusters), nextStep());
  }

  function nextStep(): string {
    if (state.phase === 'Paused') return 'paused: nothing starts until spec.rollout.paused is taken away';
    if (state.phase === 'Aborted') return 'aborted: nothing more is done until the spec changes or a retry is asked for';
    if (state.phase === 'Failed')
      return spec.onFailure === 'Rollback' && state.verified === undefined
        ? 'stopped: there is no verified revision to go back to; change the spec, or ask for a retry'
        : 'stopped: change the spec, or ask for a retry or an undo';
    if (wave?.phase === 'Soaking') return `soaks for ${settingsOf(wave, spec).soak}`;
    return waits(wave?.clusters ?? entries, 'Running') ?? waitsForOthers(wave);
  }
}

/** `Wave 2 of 3 (canary): 3 of 10 clusters done`. */
function place({ waves, revision }: RolloutState, wave: WaveStatus | undefined): string {
  if (!wave) return `Revision ${revision}: all waves are done`;
  return `Wave ${waves.indexOf(wave) + 1} of ${waves.length} (${wave.name}): ${done(wave.clusters)} done`;
}

function waitsForOthers(wave: WaveStatus | undefined): string {
  const first = wave?.clusters.find(one => one.state === 'Pending');
  return first ? `${first.name} is next` : 'waits for clusters to come';
}

const plural = (count: number): string => `${count} ${count === 1 ? 'cluster' : 'clusters'}`;

function done(entries: readonly ClusterEntry[]): string {
  const members = entries.filter(one => one.state !== 'Skipped');
  return `${members.filter(one => one.state === 'Succeeded' || one.state === 'Soaking').length} of ${plural(members.length)}`;
}

const breach = ({ breach: found }: RolloutState): string | undefined => found && `no more start: ${found.message}`;

function failures(entries: readonly ClusterEntry[]): string | undefined {
  const failed = entries.filter(one => hasFailed(one) || one.state === 'RollbackFailed');
  return failed.length === 0
    ? undefined
    : `${failed.length} failed (${names(failed, one => `${one.name}: ${one.message ?? one.reason}`, '; ')})`;
}

function deferred(entries: readonly ClusterEntry[]): string | undefined {
  const away = entries.filter(one => one.state === 'Deferred');
  return away.length === 0
    ? undefined
    : `${away.length} deferred (${names(away, one => `${one.name}: ${one.reason === 'Held' ? 'held' : 'not ready'}`)})`;
}

function waits(entries: readonly ClusterEntry[], state: 'Running' | 'RollingBack'): string | undefined {
  const running = entries.filter(one => one.state === state);
  return running.length === 0
    ? undefined
    : `waits for ${names(running, one => (one.message === undefined ? one.name : `${one.name} (${one.message})`))}`;
}

const maxNamed = 3;

function names(entries: readonly ClusterEntry[], say: (entry: ClusterEntry) => string, separator = ', '): string {
  const more = entries.length > maxNamed ? ` and ${entries.length - maxNamed} more` : '';
  return `${entries.slice(0, maxNamed).map(say).join(separator)}${more}`;
}

const sentence = (...parts: (string | undefined)[]): string => parts.filter(one => one !== undefined).join('; ');
