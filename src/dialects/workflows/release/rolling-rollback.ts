import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { errorText } from '../../../util/error-text.ts';
import type { ReleaseRecord } from './book.ts';
import { composeWork, keyOf, keysOf, merged, nextWork, without } from './compose-work.ts';
import { keepSelector } from './label-workload.ts';
import { rollBackLegacy } from './legacy-rollback.ts';
import { isDirect, isManaged, managedWorkloads } from './managed-workloads.ts';
import { isMarked } from './marks.ts';
import { leftBehind } from './prune.ts';
import { recordOf, succeededBefore, withRecord } from './release-numbers.ts';
import { knownObjects, withStatus } from './release-record.ts';
import { inDeletionOrder } from './sort-objects.ts';
import { refLine, unitLog, type UnitLog } from './step-log.ts';
import type { NextWork, OfflineInput, StepBegin, StepInput } from './step.ts';

const noContext = 'No context found for rollback. Skipping.';
const cameAfter = (number: number) => `Release ${number} was deployed after it. Skipping.`;
const noTarget = "No previous eligible release found. Can't rollback.";

/** The release that this run made on this cluster. */
const failedRelease = ({ book, run, clusterRun }: OfflineInput): ReleaseRecord | undefined => {
  const record = recordOf(book, clusterRun.releaseNumber);
  return record?.runUid === run.uid ? record : undefined;
};

const targetOf = (input: OfflineInput): ReleaseRecord | undefined => {
  const release = failedRelease(input);
  return release && succeededBefore(input.book, release.number);
};

/** The workloads that go back, whose selectors cannot be changed. */
export function neededOfRollback(input: OfflineInput): ObjectRef[] {
  const target = targetOf(input);
  if (!target) return [];
  return managedWorkloads(target.workloads ? input.present : knownObjects(target), input.settings.labelPrefix).map(refOf);
}

export function beginRollback(input: StepInput): StepBegin {
  const log = unitLog('Rollback');
  const release = failedRelease(input);
  const skipped = (message: string): StepBegin => ({ outcome: 'skipped', message, lines: log.info(message).lines });
  if (!release) return skipped(noContext);
  // Somebody has gone on from there: what was before the release is not what was before that.
  const later = input.book.records.findLast(({ number, status }) => number > release.number && status === 'Succeeded');
  if (later) return skipped(cameAfter(later.number));
  const target = targetOf(input);
  if (target) return backTo(input, release, target);
  if (input.with['firstDeployRollback'] === 'Delete') return deleteFirst(input, release);
  return { outcome: 'done', message: noTarget, lines: log.info(noTarget).done().lines, status: {}, outputs: {} };
}

function backTo(input: StepInput, release: ReleaseRecord, target: ReleaseRecord): StepBegin {
  const log = unitLog('Rollback').info(`Rolling back to release ${target.number}`);
  if (target.workloads) return rollBackLegacy(input, target, log);
  let wanted: readonly KubeObject[];
  try {
    wanted = target.manifest();
  } catch (error) {
    const message = errorText(error);
    return { outcome: 'failed', message, lines: log.error(message).failed().lines };
  }
  const { present, settings, book } = input;
  const { labelPrefix: prefix } = settings;
  const there = keysOf(present);
  // What is applied directly is not rolled back; only what is missing comes again.
  const restored = wanted.filter(obj => !isDirect(obj, prefix) || !there.has(keyOf(obj))).map(obj => withLiveSelector(obj, input));
  const going = onlyIn(release, target, input);
  const objects = merged(without(present, keysOf(going)), restored);
  const back = restored.filter(obj => !there.has(keyOf(obj)));
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(objects, book.records), {
      lines: [
        ...log.done().lines,
        ...listed(unitLog('Recreate Pruned Resources'), back.map(refOf), 'recreate').lines,
        ...listed(unitLog('Delete Failed Release Resources'), inDeletionOrder(going.map(refOf)), 'delete').lines,
      ],
    }),
    await: managedWorkloads(restored, prefix).map(refOf),
  };
}

function withLiveSelector(obj: KubeObject, { live, settings }: StepInput): KubeObject {
  return isManaged(obj, settings.labelPrefix) ? keepSelector(obj, live(refOf(obj)), settings.labelPrefix) : obj;
}

/** What nobody had before. Releases that do not prune leave their objects, so that a later release may find them still there. */
function onlyIn(release: ReleaseRecord, target: ReleaseRecord, { book, settings }: StepInput): KubeObject[] {
  const earlier = target.pruning
    ? [target]
    : book.records.filter(({ number, status }) => number < release.number && status === 'Succeeded');
  return leftBehind(release, earlier.flatMap(knownObjects), settings).filter(obj => !isDirect(obj, settings.labelPrefix));
}

/** There was nothing before: what the run has brought goes. */
function deleteFirst(input: StepInput, release: ReleaseRecord): StepBegin {
  const { settings, present, book } = input;
  const { labelPrefix: prefix, prune } = settings;
  const going = knownObjects(release).filter(obj => !isMarked(obj, prefix, 'skipPruning') && !prune.protectKinds.includes(obj.kind));
  const log = listed(unitLog('Delete Failed Release Resources'), inDeletionOrder(going.map(refOf)), 'delete');
  return {
    outcome: 'deliver',
    ...nextWork(composeWork(without(present, keysOf(going)), book.records), { lines: log.lines }),
    await: [],
  };
}

const listed = (log: UnitLog, refs: readonly ObjectRef[], verb: string): UnitLog => {
  if (refs.length === 0) return log.info(`No resource found to ${verb}.`).done();
  return log.info(`Resources to ${verb} are: \n${refs.map(ref => `- ${refLine(ref)}`).join('\n')}`).done();
};

export function endRollback(input: StepInput): NextWork {
  const { book, present } = input;
  const release = failedRelease(input);
  const records = release ? withRecord(book.records, withStatus(release, 'Failed')) : book.records;
  return nextWork(composeWork(present, records), { lines: unitLog('Wrap Up').done().lines });
}
