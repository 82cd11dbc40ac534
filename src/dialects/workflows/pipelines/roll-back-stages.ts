import { isTerminal, type WorkflowRun } from '../kinds/workflow-run.ts';
import { finishPipeline } from './finish-pipeline.ts';
import { endStage, groupsOf, isBad, isGood, type PipelineDraft } from './pipeline-state.ts';

/** Puts back what stages deployed, the last first. What cannot be put back is noted, and the others are put back all the same. */
export function rollBackStages(draft: PipelineDraft): void {
  const { engine, stages, plan, status } = draft;
  engine.rollback ??= { generation: draft.input.run.metadata.generation ?? 0, failed: [] };
  status.phase = 'RollingBack';
  engine.orders = [];
  engine.requests = [];
  for (const [index, stage] of stages.entries()) {
    const isWaiting = stage.runs === undefined && !isGood(stage) && !isBad(stage) && stage.phase !== 'Pending';
    if (isWaiting) endStage(draft, index, 'Aborted', 'The pipeline is rolled back');
  }
  for (const group of groupsOf(plan).toReversed()) {
    const results = group.map(index => rollBackStage(draft, index));
    if (results.includes('pending')) return;
  }
  const { failed } = engine.rollback;
  const why = engine.failure ? `${engine.failure.message}; ` : '';
  if (failed.length > 0) return finishPipeline(draft, 'RollbackFailed', `${why}not rolled back: ${failed.join(', ')}`);
  finishPipeline(draft, 'RolledBack', `${why}all stages are rolled back`);
}

function rollBackStage(draft: PipelineDraft, index: number): 'pending' | 'done' {
  const { engine, stages, input } = draft;
  const stage = stages[index]!;
  // What failed has its own failure strategy, unless somebody asks for it.
  if (engine.failure && isBad(stage) && stage.phase !== 'RolledBack') return 'done';
  const results = (stage.runs ?? []).map(name => ({ name, ...lookAt(input.findRun(name), input.refusesRollback(name)) }));
  for (const { name, wants } of results) if (wants) draft.states.set(name, 'Rollback');
  if (results.some(one => one.is === 'pending')) return 'pending';
  const { failed } = engine.rollback!;
  for (const { name, is } of results) if (is === 'failed' && !failed.includes(name)) failed.push(name);
  if (results.some(one => one.is === 'done') && stage.phase !== 'RolledBack') endStage(draft, index, 'RolledBack', stage.message);
  return 'done';
}

interface Look {
  /** Nothing: there was nothing to put back. */
  readonly is: 'pending' | 'done' | 'failed' | 'nothing';
  readonly wants?: boolean;
}

function lookAt(run: WorkflowRun | undefined, isRefused: boolean): Look {
  if (!run) return { is: 'nothing' };
  const { phase } = run.status ?? {};
  const isAsked = run.spec.state === 'Rollback';
  const isSeen = run.status?.observedGeneration === run.metadata.generation;
  if (phase === 'RolledBack') return { is: 'done' };
  if (phase === 'Rejected' || phase === 'Expired') return { is: 'nothing' };
  if (!isAsked && isRefused) return { is: 'failed' };
  if (!isAsked) return { is: 'pending', wants: true };
  // A run that is over and has seen the wish will not do it: a newer one came after it, or it tried.
  return isTerminal(phase) && isSeen ? { is: 'failed' } : { is: 'pending' };
}
