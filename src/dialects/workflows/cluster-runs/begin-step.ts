import type { KubeObject } from '../../../api/object.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import type { LogLine } from '../logs/run-logs.ts';
import { keyOf } from '../release/compose-work.ts';
import { isRecord } from '../release/release-record.ts';
import { unitLog } from '../release/step-log.ts';
import type { NextWork, StepBegin, StepInput, StepOutputs, StepState } from '../release/step.ts';
import { beginStep } from '../release/steps.ts';
import { findRefusals, type Refusal } from './dry-run.ts';
import { fetchLines } from './fetch-lines.ts';
import { renderStep } from './render-step.ts';
import type { StepContext } from './step-context.ts';
import { readStepInput, type StepSources } from './step-input.ts';
import { deploys, memberStepOf } from './step-types.ts';

/** What comes of the first half of a step. */
export type Begun = { readonly lines: readonly LogLine[] } & (
  | { readonly outcome: 'deliver'; readonly next: NextWork; readonly awaits: readonly ObjectRef[] }
  | {
      readonly outcome: 'over';
      readonly status: 'Succeeded' | 'Skipped';
      readonly message?: string;
      readonly state: Omit<StepState, 'outputs'>;
      readonly outputs: StepOutputs;
    }
  | { readonly outcome: 'failed'; readonly failureType: string; readonly message: string }
);

/** Computes what the Work holds while a step goes on. Changes nothing anywhere. */
export async function computeBegin(
  context: StepContext,
  state: StepState,
  secrets: ReadonlyMap<string, string>,
  sources: StepSources & { readonly inputs: Pick<RunInputs, 'renderFor'> },
): Promise<Begun> {
  const { grant } = context;
  const type = memberStepOf(grant.type);
  if (!type) return failed(`Unknown step type ${grant.type}`);
  const rendered = await renderStep(context, secrets, sources.inputs, sources.signal);
  if ('fault' in rendered) return failed(rendered.fault.message, rendered.fault.failureType);
  const input = await readStepInput(type, context, rendered, state, sources);
  const first = beginStep(type, input);
  const service = context.snapshot.services[context.facts.service ?? context.snapshot.service];
  const begun = { ...first, lines: [...(deploys.has(grant.type) ? fetchLines(service) : []), ...first.lines] };
  const refusals = await refusalsOf(begun, input, context, sources);
  if (refusals.length > 0) return refused(begun.lines, refusals);
  return outcomeOf(begun);
}

function outcomeOf(begun: StepBegin): Begun {
  switch (begun.outcome) {
    case 'deliver':
      return { outcome: 'deliver', next: begun, awaits: begun.await, lines: begun.lines };
    case 'failed':
      return { outcome: 'failed', failureType: 'ApplicationError', message: begun.message, lines: begun.lines };
    case 'skipped':
      return { outcome: 'over', status: 'Skipped', message: begun.message, state: {}, outputs: {}, lines: begun.lines };
    case 'done': {
      const { message, status, outputs, lines } = begun;
      return { outcome: 'over', status: 'Succeeded', ...(message !== undefined && { message }), state: status, outputs, lines };
    }
  }
}

const failed = (message: string, failureType = 'ApplicationError'): Begun => ({
  outcome: 'failed',
  failureType,
  message,
  lines: unitLog('Initialize').error(message).failed().lines,
});

/** Members that can be asked say what they would refuse before anything is written. */
async function refusalsOf(
  begun: StepBegin,
  { present, release, with: given }: StepInput,
  context: StepContext,
  { member, signal }: StepSources,
): Promise<Refusal[]> {
  const isAsked = deploys.has(context.grant.type) || context.grant.type === 'Apply' || context.grant.type === 'Job';
  if (begun.outcome !== 'deliver' || !member || !isAsked || given['skipDryRun'] === true) return [];
  const known = new Map(present.map(obj => [keyOf(obj), obj]));
  const isNew = (obj: KubeObject) => !isRecord(obj, release) && !jsonEqual(known.get(keyOf(obj)), obj);
  return findRefusals(member, begun.objects.filter(isNew), context, signal);
}

/** The unit Initialize ends with what the member refuses; nothing after it was done. */
function refused(lines: readonly LogLine[], refusals: readonly Refusal[]): Begun {
  const said = lines.filter(({ unit, message }) => unit === 'Fetch Files' || (unit === 'Initialize' && message !== 'Done.'));
  const log = unitLog('Initialize');
  for (const { message } of refusals) log.error(message);
  // What is wrong besides must be put right whatever the rules say.
  const failureType = refusals.every(({ isDenied }) => isDenied) ? 'Policy' : 'ApplicationError';
  const message = refusals.map(one => one.message).join('; ');
  return { outcome: 'failed', failureType, message, lines: [...said, ...log.failed().lines] };
}
