import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { applyObjects } from '../delivery/apply-objects.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import { judgeHealth } from '../delivery/judge-health.ts';
import { withoutOwnedByOthers } from '../delivery/drift-left-alone.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';
import { readManifests } from '../delivery/read-manifests.ts';
import { removeObjects } from '../delivery/remove-objects.ts';
import { waitHealthy } from '../delivery/wait-healthy.ts';
import { adoptObjects } from './adopt-objects.ts';
import { objectsOfRevisions } from './objects-of-revisions.ts';
import type { OpenRecord } from './open-record.ts';
import type { ReleaseContext, ReleaseProgress } from './release-input.ts';
import type { ReleaseOptions } from './release-options.ts';
import type { ReleaseRecord } from './release-record.ts';
import { revisionsOnMember } from './plan-delivery.ts';
import { isPassing } from './release-error.ts';
import { runHooks, type HookEvent } from './run-hooks.ts';
import { tidyHistory } from './tidy-history.ts';

interface RevisionDeps {
  readonly member: Member;
  readonly open: OpenRecord;
  /** All other revisions, oldest first. */
  readonly records: readonly ReleaseRecord[];
  readonly options: ReleaseOptions;
  readonly ctx: ReleaseContext;
  /** What the manifest says, when somebody has read it already. */
  readonly objects?: readonly KubeObject[] | undefined;
}

type Deed = 'install' | 'upgrade' | 'rollback';

const deeds: Readonly<Record<string, Deed>> = { 'pending-upgrade': 'upgrade', 'pending-rollback': 'rollback' };

export const deedOf = ({ status }: { readonly status: string }): Deed => deeds[status] ?? 'install';

/**
 * Takes a pending revision to its end: hooks, objects, what has left, health, hooks, and the record says that it is deployed. Every step can
 * be taken again, so that it does not matter where an earlier try ended. Answers the objects as the member has them.
 */
export async function performRevision(deps: RevisionDeps): Promise<ObjectRef[]> {
  const { member, open, records, options, ctx } = deps;
  const deed = deedOf(open.release);
  const { name, namespace, manifest } = open.release;
  const owner = { release: { name, namespace } };
  const objects = deps.objects ?? (await readManifests(member, manifest, { namespace, owner, signal: ctx.signal }));

  await hooks(`pre-${deed}`);
  failpoint('releases.afterPreHooks');
  const applied = await apply(deps, objects);
  failpoint('releases.afterApply');
  if (options.prune) await prune(deps, objects);
  if (options.wait) await wait(deps, applied);
  await hooks(`post-${deed}`);
  failpoint('releases.afterPostHooks');

  await open.change({ status: 'deployed', description: deed === 'rollback' ? open.release.description : complete[deed] });
  failpoint('releases.afterDeployed');
  await tidyHistory(member, [...records, open.record], options.history, ctx);
  return applied.map(refOf);

  async function hooks(event: HookEvent): Promise<void> {
    if (!options.hooks) return;
    try {
      await runHooks(member, open, event, { timeoutMs: options.timeoutMs, ctx });
    } catch (error) {
      if (isPassing(error, ctx.signal)) throw error;
      const inner = error instanceof DeliveryError ? error : undefined;
      const words = deed === 'install' ? `failed ${event}` : `${event} hooks failed`;
      throw new DeliveryError(inner?.reason ?? workReasons.hookFailed, words, { object: inner?.object, cause: error });
    }
  }
}

const complete = { install: 'Install complete', upgrade: 'Upgrade complete' } as const;

function tell({ open, ctx }: RevisionDeps, step: ReleaseProgress['step']): void {
  const { revision, status } = open.release;
  ctx.onProgress?.({ revision, status, step });
}

async function apply(deps: RevisionDeps, objects: readonly KubeObject[]): Promise<KubeObject[]> {
  const { member, open, records, options, ctx } = deps;
  const { signal } = ctx;
  const { name, namespace } = open.release;
  tell(deps, 'Applying');
  // Once all revisions that count are ours, nothing on the member is Helm's.
  if (options.takeOwnership || revisionsOnMember(records).some(({ progress }) => progress === undefined)) {
    await adoptObjects(member, objects, signal);
    failpoint('releases.afterAdopt');
  }
  // What is new is nobody else's.
  const ours =
    deedOf(open.release) === 'install' ? objects : await withoutOwnedByOthers(member, objects, { exclusions: ctx.exclusions, signal });
  return applyObjects(member, ours, {
    owner: { release: { name, namespace } },
    force: options.force,
    // Whose they are was looked at before the revision was begun.
    takeOwnership: true,
    signal,
    onApplied: () => failpoint('releases.afterApplyOne'),
  });
}

/** Deletes what earlier revisions brought, also those that failed, and this one does not. */
async function prune(deps: RevisionDeps, objects: readonly KubeObject[]): Promise<void> {
  const { member, open, records, ctx } = deps;
  const { name, namespace } = open.release;
  const wanted = new Set(objects.map(obj => refKey(refOf(obj))));
  const left = (await objectsOfRevisions(member, revisionsOnMember(records), ctx.signal)).filter(ref => !wanted.has(refKey(ref)));
  if (left.length > 0) {
    tell(deps, 'Pruning');
    await removeObjects(member, left, { owner: { release: { name, namespace } }, signal: ctx.signal });
  }
  failpoint('releases.afterPrune');
}

async function wait(deps: RevisionDeps, applied: readonly KubeObject[]): Promise<void> {
  const { member, options, ctx } = deps;
  tell(deps, 'Waiting');
  // Much of a chart is what it should be once it is there: it needs no watch.
  const waiting = applied.filter(obj => judgeHealth(obj).health !== 'Current');
  const answers = new Map(waiting.map(obj => [refKey(refOf(obj)), obj.metadata]));
  await waitHealthy(member, waiting.map(refOf), {
    timeoutMs: options.timeoutMs,
    signal: ctx.signal,
    judge(obj) {
      const answer = obj && answers.get(refKey(refOf(obj)));
      // A watch may still know the object as it was before.
      const isOld = answer && obj.metadata.uid === answer.uid && (obj.metadata.generation ?? 0) < (answer.generation ?? 0);
      return isOld ? { health: 'InProgress', message: 'the change has not been seen yet' } : judgeHealth(obj);
    },
  });
  failpoint('releases.afterWait');
}
