import { withReadiness, type ConditionReport } from '../../../api/conditions.ts';
import { courseOfRun, isTerminal } from '../kinds/workflow-run.ts';
import { allClusters, stateOf, type Draft } from './run-step.ts';
import type { ClusterCounts, RunStatus } from './run-status.ts';

type Counted = Exclude<keyof ClusterCounts, 'total'>;

const countedAs: Readonly<Record<string, Counted>> = {
  Pending: 'pending',
  Aborted: 'aborted',
  Running: 'running',
  RollingBack: 'running',
  Soaking: 'soaking',
  Succeeded: 'succeeded',
  Failed: 'failed',
  TimedOut: 'failed',
  RollbackFailed: 'failed',
  Deferred: 'deferred',
  Skipped: 'skipped',
  RolledBack: 'rolledBack',
};

/** What people look at first. */
export function summarize(draft: Draft): void {
  const { status, input, now } = draft;
  status.observedGeneration = input.generation;
  if (input.triggeredBy !== undefined) status.triggeredBy = input.triggeredBy;
  if (input.url !== undefined) status.url ??= input.url;
  if (status.resolvedClusters) status.clusters = countClusters(draft);
  const course = courseOfRun(status.phase);
  status.conditions = withReadiness(status.conditions, reports(status), { course, now, generation: input.generation });
}

function countClusters(draft: Draft): ClusterCounts {
  const counts: ClusterCounts = { total: allClusters(draft).length };
  for (const wave of draft.status.waves ?? []) {
    const isSoaking = wave.phase === 'Soaking';
    for (const id of wave.clusters) {
      const state = stateOf(draft, id);
      const key = isSoaking && (state === 'Succeeded' || state === 'Pending') ? 'soaking' : countedAs[state]!;
      counts[key] = (counts[key] ?? 0) + 1;
    }
  }
  return counts;
}

function reports({ phase, reason = '', message = '', startedAt, snapshot, resolvedClusters }: RunStatus): ConditionReport[] {
  const why = reason === '' ? (phase ?? 'Queued') : reason;
  const report = (type: string, is: boolean, reasonOf = why, words = message): ConditionReport => ({
    type,
    status: is ? 'True' : 'False',
    reason: reasonOf,
    message: words,
  });
  const isOver = isTerminal(phase);
  return [
    report('Ready', phase === 'Succeeded'),
    report('Admitted', startedAt !== undefined, startedAt !== undefined ? 'Started' : why, startedAt !== undefined ? '' : message),
    ...(snapshot ? [report('ClustersResolved', resolvedClusters !== undefined, resolvedClusters ? 'Resolved' : why, '')] : []),
    report('Progressing', !isOver && startedAt !== undefined && phase !== 'Paused', phase),
    report('Paused', phase === 'Paused', phase === 'Paused' ? why : 'NotPaused', phase === 'Paused' ? message : ''),
    ...(isOver ? [report('Succeeded', phase === 'Succeeded', why)] : []),
    ...(phase === 'RolledBack' || phase === 'RollbackFailed' ? [report('RolledBack', phase === 'RolledBack', why)] : []),
  ];
}
