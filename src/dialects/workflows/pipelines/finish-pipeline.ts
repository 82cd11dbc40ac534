import type { RunEvent } from '../kinds/workflow.ts';
import type { PipelineDraft, PipelinePhase } from './pipeline-state.ts';

const events: Partial<Record<PipelinePhase, RunEvent>> = {
  Succeeded: 'RunSucceeded',
  RolledBack: 'RunRolledBack',
  RollbackFailed: 'RollbackFailed',
  Aborted: 'RunAborted',
};

/** The end, for now. */
export function finishPipeline(draft: PipelineDraft, phase: PipelinePhase, message = ''): void {
  const { status, engine, now, input } = draft;
  status.phase = phase;
  status.finishedAt = now.toISOString();
  if (message === '') delete status.message;
  else status.message = message;
  engine.orders = [];
  engine.requests = [];
  const nonce = `${input.run.metadata.generation ?? 0}`;
  draft.happenings.push({ event: events[phase] ?? 'RunFailed', message: message || `The pipeline is ${phase}`, phase, nonce });
}
