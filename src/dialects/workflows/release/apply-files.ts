import type { KubeObject } from '../../../api/object.ts';
import { refOf } from '../../../core/delivery/object-ref.ts';
import { composeWork, merged, nextWork } from './compose-work.ts';
import { isManaged, unjudgeable } from './managed-workloads.ts';
import { keepOnMember, ownAnnotations, withAnnotations } from './marks.ts';
import { unitLog } from './step-log.ts';
import type { NextWork, StepBegin, StepInput } from './step.ts';

const isJob = ({ kind, apiVersion }: KubeObject): boolean => kind === 'Job' && apiVersion.startsWith('batch/');

/** Files that are no part of the release: they are applied, and nobody takes them back. */
export function beginApply(input: StepInput): StepBegin {
  const { rendered, present, book, settings } = input;
  const { labelPrefix: prefix } = settings;
  const log = unitLog('Prepare');
  const failed = (message: string): StepBegin => ({ outcome: 'failed', message, lines: log.error(message).failed().lines });
  if (rendered.length === 0) return failed('No manifests found in the files of the step');
  const fault = unjudgeable(rendered, prefix);
  if (fault !== undefined) return failed(fault);

  // A Job that has run must not be made again when the member has cleared it away: it leaves the Work when the step ends.
  const objects = rendered.map(obj => (isJob(obj) ? withAnnotations(obj, { ...keepOnMember, [ownAnnotations.transient]: 'true' }) : obj));
  const waits = input.with['skipSteadyStateCheck'] !== true;
  const awaited = waits ? objects.filter(obj => isJob(obj) || isManaged(obj, prefix)) : [];
  const wait =
    awaited.length > 0 ? [] : unitLog('Wait for Steady State').info('Skipping Status Check since there is no Managed Workload.').lines;
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(merged(present, objects), book.records), { lines: [...log.done().lines, ...wait] }),
    await: awaited.map(refOf),
  };
}

export function endApply({ present, book }: StepInput, result: 'steady' | 'failed'): NextWork {
  const lasting = present.filter(({ metadata }) => metadata.annotations?.[ownAnnotations.transient] !== 'true');
  return nextWork(composeWork(lasting, book.records), { lines: result === 'steady' ? unitLog('Wrap Up').done().lines : [] });
}
