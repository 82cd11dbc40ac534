import type { KubeObject } from '../../../api/object.ts';
import { refOf, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { ReleaseRecord } from './book.ts';
import { keyOf, keysOf, without } from './compose-work.ts';
import { isMarked } from './marks.ts';
import { knownObjects } from './release-record.ts';
import { versionedIn } from './retention.ts';
import { inDeletionOrder } from './sort-objects.ts';
import { refLine, unitLog } from './step-log.ts';
import type { StepSettings } from './step.ts';

/** What an earlier release had and this one does not, as far as it may be deleted. */
export function leftBehind(earlier: ReleaseRecord, by: readonly KubeObject[], { prune, labelPrefix }: StepSettings): KubeObject[] {
  const stays = new Set([...keysOf(by), ...keysOf(versionedIn(earlier, labelPrefix))]);
  return knownObjects(earlier).filter(
    obj => !stays.has(keyOf(obj)) && !isMarked(obj, labelPrefix, 'skipPruning') && !prune.protectKinds.includes(obj.kind),
  );
}

/** What a release that has succeeded leaves to be deleted. */
export function prune(
  objects: readonly KubeObject[],
  { previous, current, settings }: { previous: ReleaseRecord | undefined; current: ReleaseRecord; settings: StepSettings },
): { objects: readonly KubeObject[]; remove: readonly ObjectRef[]; lines: ReturnType<typeof unitLog>['lines'] } {
  const log = unitLog('Prune');
  if (!previous) return { objects, remove: [], lines: log.warn('No previous successful deployment found, So no pruning required').lines };
  const going = leftBehind(previous, knownObjects(current), settings);
  const present = keysOf(objects);
  const refs = inDeletionOrder(going.map(refOf));
  if (refs.length > 0) log.info(`Resources to delete are: \n${refs.map(ref => `- ${refLine(ref)}`).join('\n')}`);
  log.info('Pruning step completed');
  const foreign = inDeletionOrder(going.filter(obj => !present.has(keyOf(obj))).map(refOf));
  return { objects: without(objects, keysOf(going)), remove: foreign, lines: log.lines };
}
