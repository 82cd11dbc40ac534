import { countOf } from '../../../core/rollouts/rollout-limits.ts';
import { clusterStateOf, isInFlight } from './cluster-grant.ts';
import { allClusters, clusterOf, recordsOf, stateOf, titleOf, waveSettings, type Draft } from './run-step.ts';
import type { Failure, StepRecord, WaveRecord } from './run-status.ts';

const failedStates: ReadonlySet<string> = new Set(['Failed', 'TimedOut']);
/** On the way forward one that was put back alone is a failure that was dealt with. */
const countedStates: ReadonlySet<string> = new Set(['Failed', 'TimedOut', 'RolledBack', 'RollbackFailed']);
const unavailableStates: ReadonlySet<string> = new Set(['Failed', 'TimedOut', 'RollbackFailed']);

export const hasFailed = (draft: Draft, id: string): boolean => failedStates.has(stateOf(draft, id));

/** Whether the service of a cluster may be away because of the run. Between two steps it is there. */
export function isUnavailable(draft: Draft, id: string): boolean {
  const cluster = clusterOf(draft, id);
  return isInFlight(cluster) || unavailableStates.has(clusterStateOf(cluster));
}

export const inFlight = (draft: Draft, ids: readonly string[] = allClusters(draft)): string[] =>
  ids.filter(id => isInFlight(clusterOf(draft, id)));

const memberCount = (draft: Draft, ids: readonly string[]): number => ids.filter(id => stateOf(draft, id) !== 'Skipped').length;

export const maxConcurrency = (draft: Draft, wave: WaveRecord): number =>
  countOf(waveSettings(draft, wave)?.maxConcurrency ?? '100%', memberCount(draft, wave.clusters), 1);

export function maxUnavailable(draft: Draft): number {
  const { maxUnavailable: limit } = draft.rollout;
  return limit === undefined ? Infinity : countOf(limit, memberCount(draft, allClusters(draft)), 1);
}

/** Whether a failed cluster is to do its step once more. */
export function awaitsRetry(draft: Draft, id: string): boolean {
  const { grant } = clusterOf(draft, id).spec;
  return grant !== undefined && recordsOf(draft).some(record => isRetrying(record) && grant.id >= record.firstId && grant.id < record.id);
}
const isRetrying = ({ status, id, firstId }: StepRecord): boolean => status === 'Running' && id > firstId;

/** Writes down that more clusters failed than may. Nothing starts from then on, until a failure strategy has said what to do. */
export function judgeBudgets(draft: Draft): void {
  if (draft.engine.breach || draft.input.mode === 'Preview') return;
  const breach = findBreach(draft);
  if (breach) draft.engine.breach = breach;
}

function findBreach(draft: Draft): Failure | undefined {
  const { status, rollout } = draft;
  const isCounted = (id: string) => countedStates.has(stateOf(draft, id)) && !awaitsRetry(draft, id);
  const all: string[] = [];
  for (const wave of status.waves ?? []) {
    const failed = wave.clusters.filter(isCounted);
    const limit = countOf(waveSettings(draft, wave)?.maxFailures ?? 0, memberCount(draft, wave.clusters), 0);
    if (failed.length > limit) return breachOf('WaveFailures', failed, `${failed.length} failed in wave ${wave.name}, ${limit} may`);
    all.push(...failed);
  }
  const limit = rollout.maxFailures === undefined ? Infinity : countOf(rollout.maxFailures, memberCount(draft, allClusters(draft)), 0);
  if (all.length > limit) return breachOf('RunFailures', all, `${all.length} failed over all waves, ${limit} may`);
  if (isExhausted(draft)) return breachOf('BudgetExhausted', all, `${all.length} that failed are as many as may be unavailable`);
  const isOver = all.length > 0 && allClusters(draft).every(id => isCounted(id) || stateOf(draft, id) === 'Skipped');
  return isOver ? breachOf('NothingSucceeded', all, 'it succeeded on no cluster') : undefined;

  function breachOf(reason: string, failed: readonly string[], message: string): Failure {
    const [first] = failed;
    const why = first === undefined ? '' : `: ${titleOf(draft, first)}: ${whyFailed(draft, first)}`;
    return { type: failureTypeOf(draft, failed), reason, message: message + why };
  }
}

/** Whether only those that failed keep the rest from starting: nothing would ever start again. */
function isExhausted(draft: Draft): boolean {
  const limit = maxUnavailable(draft);
  if (limit === Infinity) return false;
  const ids = allClusters(draft);
  const away = ids.filter(id => isUnavailable(draft, id) && !awaitsRetry(draft, id));
  const isWaiting = ids.some(id => stateOf(draft, id) === 'Pending');
  return isWaiting && away.length >= limit && !away.some(id => isInFlight(clusterOf(draft, id)));
}

/** In words. */
export function whyFailed(draft: Draft, id: string): string {
  const { spec, status } = clusterOf(draft, id);
  return spec.standing?.message ?? spec.standing?.reason ?? status?.step?.message ?? 'it failed';
}

/** Which failure strategies are meant when several failed: the failure of the first. */
export const failureTypeOf = (draft: Draft, ids: readonly string[]): string => failureTypesOf(draft, ids)[0] ?? 'ApplicationError';

export function failureTypesOf(draft: Draft, ids: readonly string[]): string[] {
  return [...new Set(ids.map(id => typeOf(draft, id)))];
}

function typeOf(draft: Draft, id: string): string {
  const { spec, status } = clusterOf(draft, id);
  if (spec.standing?.reason === 'NotReady') return 'Connectivity';
  if (spec.standing || status?.grant !== spec.grant?.id) return 'ApplicationError';
  return status?.step?.failureType ?? (status?.step?.status === 'TimedOut' ? 'Timeout' : 'ApplicationError');
}
