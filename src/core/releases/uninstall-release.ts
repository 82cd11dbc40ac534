import { workReasons, type DeliveryOptions } from '../../api/work.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { errorText } from '../../util/error-text.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import type { ObjectRef } from '../delivery/object-ref.ts';
import { removeObjects, type KeptObject } from '../delivery/remove-objects.ts';
import type { ReleaseKey } from './helm-release.ts';
import { objectsOfRevisions } from './objects-of-revisions.ts';
import { OpenRecord } from './open-record.ts';
import { revisionsOnMember } from './plan-delivery.ts';
import { readReleases } from './read-releases.ts';
import { isPassing, ReleaseError } from './release-error.ts';
import type { ReleaseContext } from './release-input.ts';
import { releaseOptions, type ReleaseOptions } from './release-options.ts';
import type { ReleaseRecord } from './release-record.ts';
import { deleteRecord, updateRecord } from './release-store.ts';
import { runHooks, type HookEvent } from './run-hooks.ts';
import { waitGone } from './wait-gone.ts';

export interface UninstallOptions extends DeliveryOptions {
  /** Whether the revisions stay as uninstalled, as with `helm uninstall --keep-history`. */
  readonly keepHistory?: boolean;
}

export interface Uninstalled {
  readonly removed: readonly ObjectRef[];
  /** Objects that stay, because they say so or because they belong to somebody else. */
  readonly kept: readonly KeptObject[];
}

const nothing: Uninstalled = { removed: [], kept: [] };

/** Takes a release away, hooks and records included. Goes on where an earlier call ended. Nothing to do when there is none. */
export async function uninstallRelease(
  member: Member,
  key: ReleaseKey,
  { keepHistory = false, ...options }: UninstallOptions,
  ctx: ReleaseContext,
): Promise<Uninstalled> {
  const records = await readReleases(member, key, ctx);
  return uninstallRecords(member, records, { ...releaseOptions(options), keepHistory }, ctx);
}

interface UninstallRecordsOptions extends Pick<ReleaseOptions, 'hooks' | 'timeoutMs' | 'wait'> {
  readonly keepHistory: boolean;
}

/** The same for revisions that were read before. */
export async function uninstallRecords(
  member: Member,
  records: readonly ReleaseRecord[],
  options: UninstallRecordsOptions,
  ctx: ReleaseContext,
): Promise<Uninstalled> {
  if (records.length === 0) return nothing;
  const last = records.findLast(({ problem }) => problem === undefined);
  if (!last) {
    const words = 'corrupted release record: you must delete the objects of the release and its Secrets by hand';
    throw new DeliveryError(workReasons.uninstallFailed, `${words} (${records.at(-1)!.problem})`, { isFinal: true });
  }
  if (last.release.status === 'uninstalled') {
    if (!options.keepHistory) await purge(member, records, last, ctx);
    return nothing;
  }

  const open = new OpenRecord(member, last, ctx);
  // Read before it is marked: what is marked counts as nothing that is there.
  const present = revisionsOnMember(records);
  if (last.release.status !== 'uninstalling' || !last.progress) await mark(open, ctx);
  ctx.onProgress?.({ revision: last.release.revision, status: 'uninstalling', step: 'Uninstalling' });

  await hooks(member, open, 'pre-delete', options, ctx);
  failpoint('releases.afterPreHooks');
  const uninstalled = await remove(member, open, present, options, ctx);
  failpoint('releases.afterRemove');
  await hooks(member, open, 'post-delete', options, ctx);
  failpoint('releases.afterPostHooks');
  if (options.keepHistory) await keep(member, records, open, ctx);
  else await purge(member, records, last, ctx);
  failpoint('releases.afterPurge');
  return uninstalled;
}

async function mark(open: OpenRecord, ctx: ReleaseContext): Promise<void> {
  await open.change(
    { status: 'uninstalling', deletedAt: ctx.now().toISOString(), description: 'Deletion in progress (or silently failed)' },
    { attempt: open.progress.attempt + 1, begun: undefined, ended: [], problem: undefined },
  );
  failpoint('releases.afterUninstalling');
}

async function hooks(
  member: Member,
  open: OpenRecord,
  event: HookEvent,
  options: UninstallRecordsOptions,
  ctx: ReleaseContext,
): Promise<void> {
  if (!options.hooks) return;
  try {
    await runHooks(member, open, event, { timeoutMs: options.timeoutMs, ctx });
  } catch (error) {
    if (isPassing(error, ctx.signal)) throw error;
    const { name, revision } = open.release;
    // The next call runs the hook that failed once more, and not those that ended well.
    const description = `Uninstallation of "${name}" failed: ${errorText(error)}`;
    await open.change({ description }, { attempt: open.progress.attempt + 1, begun: undefined, problem: undefined });
    throw new ReleaseError(`uninstall of release ${name} failed: ${event} hooks failed`, { revision, cause: error });
  }
}

async function remove(
  member: Member,
  open: OpenRecord,
  present: readonly ReleaseRecord[],
  { wait, timeoutMs }: UninstallRecordsOptions,
  ctx: ReleaseContext,
): Promise<Uninstalled> {
  const { name, namespace } = open.release;
  const { signal } = ctx;
  const refs = await objectsOfRevisions(member, present, signal);
  const removal = await removeObjects(member, refs, { owner: { release: { name, namespace } }, signal });
  if (wait) {
    await mapBounded(removal.removed, 16, async ref => {
      const kind = await member.kinds.find(ref, signal);
      const obj = kind && (await member.client.get(kind, ref, { signal }));
      if (obj?.metadata.deletionTimestamp !== undefined) await waitGone(member, kind!, obj, { timeoutMs, signal });
    });
  }
  return removal;
}

async function keep(member: Member, records: readonly ReleaseRecord[], open: OpenRecord, ctx: ReleaseContext): Promise<void> {
  for (const record of records) {
    const { release, problem } = record;
    if (release.status !== 'deployed' || release.revision === open.release.revision || problem !== undefined) continue;
    await updateRecord(member, { ...record, release: { ...release, status: 'superseded' } }, ctx);
  }
  await open.change({ status: 'uninstalled', description: 'Uninstallation complete' });
}

/** The one that says how far we are goes last. */
async function purge(member: Member, records: readonly ReleaseRecord[], last: ReleaseRecord, ctx: ReleaseContext): Promise<void> {
  for (const record of [...records.filter(one => one !== last), last]) {
    await deleteRecord(member, record.release, ctx.signal);
    failpoint('releases.afterPurgeOne');
  }
}
