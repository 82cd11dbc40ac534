import type { RolloutState } from '../../api/rollout.ts';
import { cloneJson } from '../../util/json.ts';
import { entriesOf } from './cluster-states.ts';

const underWay: ReadonlySet<RolloutState['phase']> = new Set(['Progressing', 'Soaking', 'Paused', 'RollingBack']);
const about = 'only plans: nothing is rolled out until it delivers again';

/** A rollout whose owner only plans for now: it stays where it is, and nobody is late meanwhile. */
export function restRollout(before: RolloutState): RolloutState {
  if (!underWay.has(before.phase)) return before;
  const state = cloneJson(before);
  for (const entry of entriesOf(state)) delete entry.since;
  if (!state.message?.endsWith(about)) state.message = [...(state.message === undefined ? [] : [state.message]), about].join('; ');
  return state;
}
