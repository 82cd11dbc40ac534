import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { ReleaseRecord } from './book.ts';
import { composeWork, merged, nextWork } from './compose-work.ts';
import { labelWorkload } from './label-workload.ts';
import { isManaged, managedWorkloads, nameOf, unjudgeable } from './managed-workloads.ts';
import { isCore, specOf } from './pod-template.ts';
import { prepareLog, versionedObjects } from './prepare-release.ts';
import { prune } from './prune.ts';
import { knownObjects, openRecord, withRevisions, withStatus } from './release-record.ts';
import { numberFor, openRecordOf, succeededBefore, withRecord } from './release-numbers.ts';
import { retain, tidied } from './retention.ts';
import { unitLog } from './step-log.ts';
import type { NextWork, OfflineInput, StepBegin, StepInput } from './step.ts';
import { balancerAddress, liveRevisions, wrapUp } from './wrap-up.ts';

/** The workloads, whose selectors cannot be changed; when the step ends also where they are reached. */
export function neededOfRolling(input: OfflineInput): ObjectRef[] {
  const open = openRecordOf(input);
  const objects = input.rendered.length > 0 ? input.rendered : open ? knownObjects(open) : [];
  const { labelPrefix } = input.settings;
  return objects.filter(obj => isManaged(obj, labelPrefix) || isBalancer(obj)).map(refOf);
}

const isBalancer = (obj: KubeObject): boolean => isCore(obj, 'Service') && specOf(obj)['type'] === 'LoadBalancer';

export function beginRolling(input: StepInput): StepBegin {
  const { release, run, book, settings, present } = input;
  const { labelPrefix: prefix, isCanaryRun } = settings;
  const log = prepareLog(input);
  const fault = unjudgeable(input.rendered, prefix);
  if (fault !== undefined) return { outcome: 'failed', message: fault, lines: log.error(fault).failed().lines };

  const number = numberFor(input);
  const previous = succeededBefore(book, number);
  log.info(`Current release number is: ${number}`);
  log.info(previous ? `Previous Successful Release is ${previous.number}` : 'No previous successful release found.');
  log.info('Cleaning up older and failed releases');
  const label = (obj: KubeObject) =>
    isManaged(obj, prefix)
      ? labelWorkload(obj, { prefix, releaseName: release.name, run: run.name, isCanaryRun, live: input.live(refOf(obj)) })
      : obj;
  const objects = versionedObjects(input, number).map(label);
  const workloads = managedWorkloads(objects, prefix);
  if (workloads.length === 0) log.info('No Managed Workload found.');
  else log.info(`Found following Managed Workloads: \n${workloads.map(obj => `- ${nameOf(obj)}`).join('\n')}`);

  const { record, large } = openRecord({ release, number, prefix, pruning: settings.prune.enabled, objects, run });
  const { kept, gone } = tidied(input, number);
  const retained = retain({ release, prefix, kept, gone, objects: merged(present, objects) });
  const wait =
    workloads.length > 0 ? [] : unitLog('Wait for Steady State').info('Skipping Status Check since there is no Managed Workload.').lines;
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(retained.objects, withRecord(kept, record)), {
      remove: retained.remove,
      contents: large ? [large] : [],
      lines: [...log.done().lines, ...wait],
      status: { releaseNumber: number, ...(previous && { previousRelease: previous.number }) },
      outputs: releaseOutputs(release.name, number),
    }),
    await: workloads.map(refOf),
  };
}

export const releaseOutputs = (name: string, number: number): Record<string, string> => ({
  releaseName: name,
  releaseNumber: String(number),
});

export function endRolling(input: StepInput, result: 'steady' | 'failed'): NextWork {
  const { book, present } = input;
  const open = openRecordOf(input);
  if (!open) return nextWork(composeWork(present, book.records));
  if (result === 'failed') return nextWork(composeWork(present, withRecord(book.records, withStatus(open, 'Failed'))));
  return succeed(input, open);
}

function succeed(input: StepInput, open: ReleaseRecord): NextWork {
  const { book, present, settings, release } = input;
  const objects = knownObjects(open);
  const record = withRevisions(withStatus(open, 'Succeeded'), liveRevisions(managedWorkloads(objects, settings.labelPrefix), input));
  const pruned = settings.prune.enabled
    ? prune(present, { previous: succeededBefore(book, open.number), current: open, settings })
    : { objects: present, remove: [], lines: [] };
  const { lines, status } = wrapUp(input);
  const loadBalancer = balancerAddress(objects.filter(isBalancer), input);
  return nextWork(composeWork(pruned.objects, withRecord(book.records, record)), {
    remove: pruned.remove,
    lines: [...lines, ...pruned.lines],
    status,
    outputs: { ...releaseOutputs(release.name, open.number), ...(loadBalancer !== undefined && { loadBalancer }) },
  });
}
