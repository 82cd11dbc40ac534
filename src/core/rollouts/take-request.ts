import { rolloutRequests, type RolloutRequest, type RolloutState } from '../../api/rollout.ts';
import { beginRollout } from './begin-rollout.ts';
import { endSoaks, entriesOf, hasRevision } from './cluster-states.ts';
import { beginRollback } from './roll-back.ts';
import { move, type Draft, type RolloutInput } from './rollout-step.ts';

/** What is asked for by `abort`, or `abort REVISION`, or either with more words behind; undefined when it is not about this revision. */
export function parseRequest(text: string, revision: string): RolloutRequest | undefined {
  const [verb, meant = revision] = text.trim().split(/\s+/);
  return meant === revision ? rolloutRequests.find(one => one === verb) : undefined;
}

/** The revision to which a rollout can be put back. */
export function rollbackTarget({ phase, revision, verified, previous }: RolloutState): string | undefined {
  if (phase === 'RollingBack' || phase === 'RolledBack') return undefined;
  return verified === revision ? previous : verified;
}

const isOver = ({ phase }: RolloutState): boolean => phase === 'Succeeded' || phase === 'RolledBack' || phase === 'Aborted';

/** Does once what somebody asked for. */
export function takeRequest(draft: Draft, input: RolloutInput): void {
  const { state, request, events, now } = draft;
  if (request === undefined || request === state.request) return;
  state.request = request;
  const verb = parseRequest(request, state.revision);
  const target = rollbackTarget(state);
  if (verb === 'abort' && !isOver(state) && state.phase !== 'RollingBack') {
    abort(state);
    state.finishedAt = now.toISOString();
    events.push({ type: 'Warning', reason: 'RolloutAborted', note: `The rollout of revision ${state.revision} was aborted` });
  } else if (verb === 'undo' && target !== undefined) beginRollback(draft, target);
  else if (verb === 'retry' && state.phase !== 'Succeeded' && state.phase !== 'RollingBack') restart(state, input);
  else
    events.push({
      type: 'Warning',
      reason: 'RequestIgnored',
      note: `"${request}" means nothing to a rollout of revision ${state.revision} that is ${state.phase}`,
    });
}

/** Nothing is undone, and nothing more is done. */
function abort(state: RolloutState): void {
  state.phase = 'Aborted';
  delete state.pausedAt;
  endSoaks(state);
  for (const entry of entriesOf(state)) {
    if (entry.state !== 'Pending' && entry.state !== 'Running') continue;
    if (hasRevision(entry, state)) entry.revision = state.revision;
    move(entry, 'Aborted');
  }
}

/** The same revision from the start. Clusters that have it are done at once. */
function restart(state: RolloutState, input: RolloutInput): void {
  const fresh = beginRollout({ ...input, before: { ...state } });
  for (const key of Object.keys(state)) delete (state as Record<string, unknown>)[key];
  Object.assign(state, fresh);
}
