import type { RolloutState } from '../../api/rollout.ts';
import { entriesOf, hasFailed, isUnavailable } from './cluster-states.ts';
import { maxRunFailures, maxUnavailableOf, maxWaveFailures } from './rollout-limits.ts';
import type { Draft } from './rollout-step.ts';

type Breach = NonNullable<RolloutState['breach']>;

/** Writes down that more clusters failed than may. It stays written: what recovers later does not start the rollout again. */
export function judgeBudgets(draft: Draft): void {
  const { state, events } = draft;
  if (state.breach) return;
  const breach = findBreach(draft);
  if (!breach) return;
  state.breach = breach;
  events.push({ type: 'Warning', reason: breach.reason, note: `No further cluster gets revision ${state.revision}: ${breach.message}` });
}

function findBreach(draft: Draft): Breach | undefined {
  const { state, spec } = draft;
  for (const wave of state.waves) {
    const failures = wave.clusters.filter(hasFailed).length;
    const limit = maxWaveFailures(wave, spec);
    if (failures > limit) return { reason: 'WaveFailures', message: `${failures} failed in wave ${wave.name}, ${limit} may` };
  }
  const entries = entriesOf(state);
  const failures = entries.filter(hasFailed).length;
  const limit = maxRunFailures(state, spec);
  if (failures > limit) return { reason: 'RunFailures', message: `${failures} failed over all waves, ${limit} may` };
  if (isExhausted(draft)) return { reason: 'BudgetExhausted', message: `${failures} that failed are as many as may be unavailable` };
  const isOver = entries.every(({ state: one }) => one === 'Failed' || one === 'TimedOut' || one === 'Skipped');
  return isOver && failures > 0 ? { reason: 'NothingSucceeded', message: 'it succeeded on no cluster' } : undefined;
}

/** Whether only those that failed keep the rest from starting: nothing would ever start again. */
function isExhausted({ state, spec }: Draft): boolean {
  const entries = entriesOf(state);
  const isWaiting = entries.some(one => one.state === 'Pending');
  const away = entries.filter(isUnavailable);
  return isWaiting && away.length >= maxUnavailableOf(state, spec) && away.every(hasFailed);
}
