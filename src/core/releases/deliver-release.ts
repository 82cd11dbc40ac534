import type { KubeObject } from '../../api/object.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { checkOwnership } from '../delivery/check-ownership.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import { findKinds } from '../delivery/find-kinds.ts';
import type { Member } from '../delivery/member.ts';
import { refKey } from '../delivery/object-ref.ts';
import { readManifests } from '../delivery/read-manifests.ts';
import { abandonRevision, beginRevision, refuseWhileOthersWork } from './begin-revision.ts';
import { ensureDefinitions } from './ensure-definitions.ts';
import { failRevision } from './fail-revision.ts';
import { recordedApplyMethod, type HelmRelease, type ReleaseHook } from './helm-release.ts';
import { objectsOfRevisions } from './objects-of-revisions.ts';
import { OpenRecord } from './open-record.ts';
import { outcomeOf } from './outcome-of.ts';
import { performRevision } from './perform-revision.ts';
import { lastGood, planDelivery, type DeliveryPlan } from './plan-delivery.ts';
import { readReleases } from './read-releases.ts';
import { isPassing, ReleaseError } from './release-error.ts';
import type { ReleaseContext, ReleaseInput, ReleaseOutcome } from './release-input.ts';
import { releaseOptions, type ReleaseOptions } from './release-options.ts';
import type { ReleaseRecord } from './release-record.ts';
import { tidyHistory } from './tidy-history.ts';
import { undoRelease } from './undo-release.ts';

/**
 * Installs or upgrades a release on a member. The process may die anywhere: called again with the same inputs it goes on where it was, and no
 * hook runs twice. Throws ReleaseError when the release failed and the record says so; anything else that is thrown leaves it pending, or was
 * thrown before anything was done.
 */
export async function deliverRelease(member: Member, input: ReleaseInput, ctx: ReleaseContext): Promise<ReleaseOutcome> {
  const options = releaseOptions(input.options);
  const records = await readReleases(member, input.release, ctx);
  const plan = planDelivery(records, input.inputs);
  const deps = { member, input, options, ctx };
  if (plan.type === 'unchanged') {
    await tidyHistory(member, records, options.history, ctx);
    return outcomeOf(plan.record.release, await objectsOfRevisions(member, [plan.record], ctx.signal), { isUnchanged: true });
  }
  if (plan.type === 'continue') return finish(deps, new OpenRecord(member, plan.record, ctx), records.slice(0, -1));
  if (plan.type === 'undo') {
    const { failure = plan.failed.release.description } = plan.failed.progress ?? {};
    return undoRelease(member, { failed: plan.failed, undoing: plan.undoing, records, options, ctx, cause: new Error(failure) });
  }
  return begin(deps, plan, records);
}

interface Deps {
  readonly member: Member;
  readonly input: ReleaseInput;
  readonly options: ReleaseOptions;
  readonly ctx: ReleaseContext;
}

async function begin(
  deps: Deps,
  { revision, isUpgrade, abandoned }: Extract<DeliveryPlan, { type: 'begin' }>,
  records: readonly ReleaseRecord[],
): Promise<ReleaseOutcome> {
  const { member, input, options, ctx } = deps;
  if (abandoned) refuseWhileOthersWork(abandoned, { timeoutMs: options.timeoutMs, now: ctx.now() });
  const release = await prepare(deps, { revision, isUpgrade, last: records.at(-1)?.release });
  const objects = await checkObjects(deps, release, records);
  const tookOver = abandoned && (await abandonRevision(member, abandoned, revision, ctx));
  const progress = { inputs: input.inputs, attempt: 1, ended: [] };
  const open = await beginRevision(member, release, { progress, ctx, createNamespace: options.createNamespace });
  return finish(deps, open, records, { objects, tookOver: tookOver ?? adopted(records) });
}

/** Reads the manifest and refuses objects that are somebody else's, before anything is changed. */
async function checkObjects(
  { member, options, ctx }: Deps,
  release: HelmRelease,
  records: readonly ReleaseRecord[],
): Promise<KubeObject[]> {
  const { name, namespace, manifest } = release;
  const { signal } = ctx;
  const owner = { release: { name, namespace } };
  const objects = await readManifests(member, manifest, { namespace, owner, signal });
  if (options.takeOwnership) return objects;
  const good = lastGood(records);
  const known = new Set((await objectsOfRevisions(member, good ? [good] : [], signal)).map(refKey));
  try {
    const kinds = await findKinds(member, objects, signal);
    await checkOwnership(member, objects, { kinds, owner, known, signal, concurrency: 16 });
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const words = `unable to continue with ${release.status === 'pending-upgrade' ? 'update' : 'install'}`;
    throw new DeliveryError(error.reason, words, { object: error.object, isFinal: error.isFinal, cause: error });
  }
  return objects;
}

/** What is worth saying when the release was there before and was not ours. */
function adopted(records: readonly ReleaseRecord[]): string | undefined {
  const deployed = records.findLast(({ release }) => release.status === 'deployed');
  if (!deployed || deployed.progress !== undefined) return undefined;
  return `revision ${deployed.release.revision} was deployed by another program`;
}

async function prepare(
  { input, member, options, ctx }: Deps,
  { revision, isUpgrade, last }: { readonly revision: number; readonly isUpgrade: boolean; readonly last: HelmRelease | undefined },
): Promise<HelmRelease> {
  const facts = { revision, isUpgrade };
  const status = isUpgrade ? 'pending-upgrade' : 'pending-install';
  let rendered = await input.render(facts, ctx.signal);
  if (rendered.definitions.length > 0) ctx.onProgress?.({ revision, status, step: 'Definitions' });
  // As Helm, which brings the definitions first: charts ask whether the member has them.
  if (await ensureDefinitions(member, rendered.definitions, { mode: options.crds, signal: ctx.signal })) {
    failpoint('releases.afterDefinitions');
    rendered = await input.render(facts, ctx.signal);
  }
  const now = ctx.now().toISOString();
  const { metadata } = rendered.chart;
  return {
    ...input.release,
    revision,
    status,
    description: isUpgrade ? 'Preparing upgrade' : 'Initial install underway',
    firstDeployedAt: (isUpgrade ? last?.firstDeployedAt : undefined) ?? now,
    lastDeployedAt: now,
    notes: rendered.notes,
    chart: { metadata, parts: [rendered.chart.json()] },
    config: input.values,
    manifest: rendered.manifest,
    hooks: rendered.hooks.map(hookOf),
    applyMethod: recordedApplyMethod,
    labels: last?.labels ?? {},
    rest: { release: {}, info: {} },
  };
}

type RenderedHook = Awaited<ReturnType<ReleaseInput['render']>>['hooks'][number];

function hookOf({ name, kind, path, content, events, weight, deletePolicies }: RenderedHook): ReleaseHook {
  return { name, kind, path, manifest: content, events, weight, deletePolicies, lastRun: { phase: '' }, rest: {} };
}

/** Takes a pending revision to its end, good or bad. `records` are all others. */
async function finish(
  deps: Deps,
  open: OpenRecord,
  records: readonly ReleaseRecord[],
  { objects, tookOver }: { readonly objects?: readonly KubeObject[]; readonly tookOver?: string | undefined } = {},
): Promise<ReleaseOutcome> {
  const { member, options, ctx } = deps;
  try {
    const refs = await performRevision({ member, open, records, options, ctx, objects });
    return outcomeOf(open.release, refs, { isUnchanged: false, ...(tookOver !== undefined && { tookOver }) });
  } catch (error) {
    if (isPassing(error, ctx.signal)) throw error;
    await failRevision(open, error, { mustUndo: options.atomic });
    if (!options.atomic) throw new ReleaseError(`release ${open.release.name} failed`, { revision: open.release.revision, cause: error });
    return undoRelease(member, { failed: open.record, undoing: undefined, records: [...records, open.record], options, ctx, cause: error });
  }
}
