import type { KubeObject } from '../../api/object.ts';
import { parseApiVersion } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { deliveryManager, type DriftedField, type DriftExclusion } from '../../api/work.ts';
import { jsonEqual } from '../../util/json.ts';
import type { Difference } from './drift-differences.ts';
import { pointersFor, withoutPointers } from './drift-exclusions.ts';
import { readLive } from './drift-left-alone.ts';
import { valueAt } from './drift-path.ts';
import { driftedField, findDrift, findSuspects } from './find-drift.ts';
import type { Member } from './member.ts';

export interface ConfirmOptions {
  readonly exclusions?: readonly DriftExclusion[] | undefined;
  readonly manager?: string;
  readonly signal: AbortSignal;
}

const timeoutMs = 10_000;

/** The drift of one object as it is on the member now, settled by the member itself. */
export async function confirmDrift(member: Member, want: KubeObject, options: ConfirmOptions): Promise<DriftedField[]> {
  const { exclusions = [], manager = deliveryManager, signal } = options;
  const have = await readLive(member, want, signal);
  if (!have) return findDrift(want, have);
  const suspects = findSuspects(want, have, exclusions, manager);
  const confirmed = await confirmSuspects(member, want, have, suspects, options);
  // The object has changed between two questions: what was found is as good an answer as any.
  return (confirmed ?? suspects).map(difference => driftedField(want, difference));
}

/**
 * Those of the suspects that an apply would change: the member is asked to apply without doing it. Undefined when the live object is not
 * the newest any more, so that nothing can be said of it. Where the member refuses to answer, fields that we own still are given the
 * benefit of the doubt.
 */
export async function confirmSuspects(
  member: Member,
  want: KubeObject,
  have: KubeObject,
  suspects: readonly Difference[],
  { exclusions = [], manager = deliveryManager, signal }: ConfirmOptions,
): Promise<readonly Difference[] | undefined> {
  if (suspects.length === 0) return suspects;
  const kind = await member.kinds.find({ ...parseApiVersion(want.apiVersion), kind: want.kind }, signal);
  if (!kind) return suspects.filter(({ isOurs }) => !isOurs);
  let applied: KubeObject;
  try {
    applied = await member.client.apply(kind, want, { dryRun: true, force: true, fieldManager: manager, signal, timeoutMs });
  } catch (error) {
    if (error instanceof StatusError && error.code < 500 && error.code !== 429) return suspects.filter(({ isOurs }) => !isOurs);
    throw error;
  }
  if (applied.metadata.uid !== have.metadata.uid || applied.metadata.resourceVersion !== have.metadata.resourceVersion) return undefined;
  const pointers = pointersFor(want, exclusions);
  const [then, now] = [withoutPointers(applied, pointers), withoutPointers(have, pointers)];
  return suspects.filter(({ steps }) => !jsonEqual(valueAt(then, steps), valueAt(now, steps)));
}
