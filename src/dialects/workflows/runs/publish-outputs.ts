import { errorText } from '../../../util/error-text.ts';
import { failedStep } from './handle-failure.ts';
import type { Draft } from './run-step.ts';
import type { PlacedStep } from './run-plan.ts';
import type { StepRecord, WaveRecord } from './run-status.ts';
import { endRecord } from './step-records.ts';

/** What later steps may use of a step that is done. False when an expression cannot be resolved: the step has failed then. */
export function publish(draft: Draft, placed: PlacedStep, record: StepRecord, wave: WaveRecord | undefined): boolean {
  const { output } = placed.step;
  if (!output) return true;
  try {
    const values = draft.input.render(output.values ?? {}, wave, placed.phase.name);
    draft.status.outputs = { ...draft.status.outputs, [output.name]: values };
    return true;
  } catch (error) {
    endRecord(draft, record, 'Failed', errorText(error));
    draft.engine.breach = { type: 'ApplicationError', reason: 'UnresolvedExpression', message: errorText(error) };
    failedStep(draft, placed, record, ['ApplicationError']);
    return false;
  }
}
