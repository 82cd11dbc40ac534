import { staysWhenGone, workReasons, type Work } from '../../api/work.ts';
import { requeue, settled, type Outcome } from '../../runtime/controller.ts';
import { keyOf } from '../../runtime/key.ts';
import type { JsonObject } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import type { Member } from '../delivery/member.ts';
import { refOf, type ObjectRef } from '../delivery/object-ref.ts';
import { readManifests } from '../delivery/read-manifests.ts';
import { deliverRelease } from '../releases/deliver-release.ts';
import { chartTitle } from '../releases/helm-release.ts';
import { planDelivery as planRevision } from '../releases/plan-delivery.ts';
import { ReleaseError } from '../releases/release-error.ts';
import type { ReleaseProgress, RenderFacts } from '../releases/release-input.ts';
import { readReleases } from '../releases/read-releases.ts';
import { uninstallRelease } from '../releases/uninstall-release.ts';
import { wantedContent } from '../sources/wanted-content.ts';
import { priorityOf, rankClaims, type RankedClaims } from './claims.ts';
import { placeOf } from './decide-status.ts';
import type { DeliveryDesk, Turn } from './delivery-desk.ts';
import { driftMark, wantsDrift } from './followers.ts';
import { failed, isHeldBack, mayDeliver } from './hold-back.ts';
import { inputsOf } from './inputs.ts';
import { lookupOn } from './lookup.ts';
import { patchRelease } from './patch-rendered.ts';
import { planDelivery } from './plan-delivery.ts';
import { planRelease } from './plan-release.ts';
import type { ReleaseKey } from './work-indexes.ts';
import type { WorkState } from './work-state.ts';

/**
 * Delivers releases of charts. All Works that claim a release are looked at together: the highest claim has it, the others say by whom they are
 * outranked, and it is uninstalled only when nobody is left who claims it.
 */
export function chartDelivery(desk: DeliveryDesk) {
  const { works, members, reports, followers, events, renderer } = desk;
  return { reconcile, claimsOn };

  function claimsOn(key: ReleaseKey): RankedClaims {
    return rankClaims(works.by('release', key));
  }

  async function reconcile(key: ReleaseKey, turn: Turn): Promise<Outcome> {
    const { winner, losers, planners, leaving, isClaimed } = claimsOn(key);
    if (winner) await giveUp(losers, winner);
    // What those who only plan once delivered is the winner's now.
    if (winner) for (const planner of planners) desk.state(planner).letGo();
    const removed = isClaimed ? handOver(leaving) : await remove(leaving.filter(mayDeliver), turn);
    const outcomes = [removed];
    if (winner) outcomes.push(await guarded(winner, turn, () => deliver(winner, turn)));
    // Afterwards: what they would change is what is there by then.
    for (const planner of planners) outcomes.push(await guarded(planner, turn, () => plan(planner, winner, turn)));
    return soonest(outcomes);
  }

  async function guarded(work: Work, turn: Turn, deed: () => Promise<Outcome>): Promise<Outcome> {
    if (!mayDeliver(work)) return settled;
    try {
      return await deed();
    } catch (error) {
      const state = desk.state(work);
      if (error instanceof ReleaseError && state.delivered)
        state.delivered = { ...state.delivered, state: 'Failed', revision: error.revision };
      return failed(desk, work, state, error, turn);
    }
  }

  /** Whoever is outranked says so before anything changes: after a crash nobody must take the release for his. */
  async function giveUp(losers: readonly Work[], winner: Work): Promise<void> {
    for (const loser of losers) {
      const state = desk.state(loser);
      const had = state.delivered !== undefined;
      state.letGo();
      state.succeed({ kind: 'outranked', by: winner.metadata.name!, priority: priorityOf(winner) });
      followers.stop(keyOf(loser));
      if (had) await reports.now(keyOf(loser));
      else reports.soon(keyOf(loser));
    }
  }

  function handOver(leaving: readonly Work[]): Outcome {
    for (const work of leaving) sayRemoved(work, workReasons.handedOver);
    return settled;
  }

  function sayRemoved(work: Work, reason: 'HandedOver' | 'Kept' | 'Uninstalled'): void {
    const state = desk.state(work);
    followers.stop(keyOf(work));
    if (state.phase.kind === 'removed') return;
    state.letGo();
    state.succeed({ kind: 'removed', reason });
    const place = placeOf(work, { cluster: desk.clusterName(work) });
    events.record(work, { type: 'Normal', reason, action: 'Remove', note: `${place}: ${reason}` });
    reports.promptly(keyOf(work));
  }

  /** Nobody claims the release any more. The highest of those who leave says what becomes of it. */
  async function remove(leaving: readonly Work[], turn: Turn): Promise<Outcome> {
    const [first] = leaving;
    if (!first) return settled;
    const state = desk.state(first);
    if (state.phase.kind === 'removed') return settled;
    if (staysWhenGone(first)) {
      for (const work of leaving) sayRemoved(work, workReasons.kept);
      return settled;
    }
    state.phase = { kind: 'removing' };
    followers.stop(keyOf(first));
    reports.soon(keyOf(first));
    try {
      const member = members.open(first.metadata.namespace!);
      const wasDelivered = leaving.some(work => desk.state(work).delivered !== undefined);
      if (wasDelivered || (await isOurs(first, member, turn.signal)))
        await uninstallRelease(member, first.spec.release, first.spec.options ?? {}, { signal: turn.signal, now: desk.now });
    } catch (error) {
      return failed(desk, first, state, error, turn);
    }
    for (const work of leaving) sayRemoved(work, workReasons.uninstalled);
    return settled;
  }

  /** A release that somebody installed with Helm, and that was never delivered to, is not ours to uninstall. */
  async function isOurs({ spec }: Work, member: Member, signal: AbortSignal): Promise<boolean> {
    return (await readReleases(member, spec.release, { signal })).some(({ progress }) => progress !== undefined);
  }

  async function deliver(work: Work, turn: Turn): Promise<Outcome> {
    const key = keyOf(work);
    const state = desk.state(work);
    const inputs = inputsOf(work);
    const isDelivered = state.delivered?.state === 'Deployed' && (state.delivered.inputs === inputs || work.spec.sync === 'Once');
    if (isDelivered && wantedContent(work) !== 'waiting') return rest(work, state, turn);
    const held = isHeldBack(desk, work, state);
    if (held) return held;
    const member = members.open(work.metadata.namespace!);
    const at = timestamp(desk.now());
    state.phase = { kind: 'delivering' };
    state.delivered = { inputs, state: 'Pending', at };
    reports.soon(key);
    const outcome = await deliverRelease(
      member,
      {
        release: work.spec.release,
        values: valuesOf(work),
        options: work.spec.options ?? {},
        inputs,
        render: async (facts, signal) => {
          const rendered = await render(work, member, facts, signal);
          await expect(work, state, member, rendered.manifest, signal);
          return rendered;
        },
      },
      {
        signal: turn.signal,
        now: desk.now,
        exclusions: work.spec.driftExclusions,
        onProgress: progress => tell(work, state, progress),
      },
    );

    const { revision, chart, appVersion, notes } = outcome;
    state.delivered = {
      inputs,
      revision,
      state: 'Deployed',
      chart,
      at,
      ...(appVersion !== '' && { appVersion }),
      ...(notes !== '' && { notes }),
    };
    state.inventory = outcome.objects.map(ref => ({ ref }));
    state.succeed({ kind: 'delivered' });
    await watch(work, state, member, turn);
    reports.promptly(key);
    if (outcome.tookOver !== undefined)
      events.record(work, { type: 'Normal', reason: 'TookOver', action: 'Deliver', note: outcome.tookOver });
    return settled;
  }

  async function render(work: Work, member: Member, facts: RenderFacts, signal: AbortSignal) {
    const wanted = wantedContent(work);
    if (!wanted || wanted === 'waiting') throw new Error('the chart has no content');
    const [chart, capabilities] = await Promise.all([desk.readContent(wanted.digest, signal), member.kinds.capabilities(signal)]);
    const release = { ...work.spec.release, ...facts };
    const job = { chart, digest: wanted.digest, values: valuesOf(work), release, capabilities, lookup: lookupOn(member) };
    return patchRelease(renderer, work, await renderer.render(job, signal), signal);
  }

  /** The objects that are about to come are followed from the start, so that one sees how they get healthy. */
  async function expect(work: Work, state: WorkState, member: Member, manifest: string, signal: AbortSignal): Promise<void> {
    const { namespace } = work.spec.release;
    const objects = await readManifests(member, manifest, { namespace, unknownKinds: 'keep', signal });
    state.inventory = objects.map(obj => ({ ref: refOf(obj) }));
    followers.follow(work, state, member, objects.map(refOf));
  }

  function tell(work: Work, state: WorkState, { revision, step, object }: ReleaseProgress): void {
    if (state.phase.kind !== 'delivering') return;
    state.phase = { kind: 'delivering', step: stepText(step, object) };
    if (state.delivered) state.delivered = { ...state.delivered, revision };
    reports.soon(keyOf(work));
  }

  /** Nothing to do but to keep an eye on it. */
  async function rest(work: Work, state: WorkState, turn: Turn): Promise<Outcome> {
    const key = keyOf(work);
    if (members.isLost(work.metadata.namespace!)) {
      state.phase = { kind: 'unreachable' };
      reports.soon(key);
      return settled;
    }
    state.succeed(work.spec.suspend === true ? { kind: 'suspended' } : { kind: 'delivered' });
    await watch(work, state, members.open(work.metadata.namespace!), turn);
    reports.promptly(key);
    return settled;
  }

  async function watch(work: Work, state: WorkState, member: Member, { signal }: Turn): Promise<void> {
    const refs = [...state.inventory.values()].map(({ ref }) => ref);
    followers.follow(work, state, member, refs);
    if (!wantsDrift(work)) return followers.followDrift(work, state, member, undefined);
    const mark = driftMark(work, state);
    if (followers.isFollowingDrift(keyOf(work), member, mark)) return;
    const { release } = work.spec;
    const deployed = (await readReleases(member, release, { signal })).findLast(one => one.release.status === 'deployed');
    const manifest = deployed?.release.manifest ?? '';
    const objects = await readManifests(member, manifest, { namespace: release.namespace, unknownKinds: 'keep', signal });
    followers.followDrift(work, state, member, { objects, owner: { release }, mark });
  }

  async function plan(work: Work, holder: Work | undefined, turn: Turn): Promise<Outcome> {
    const state = desk.state(work);
    const held = isHeldBack(desk, work, state);
    if (held) return held;
    const { signal } = turn;
    const member = members.open(work.metadata.namespace!);
    const { release } = work.spec;
    const records = await readReleases(member, release, { signal });
    const deployed = records.findLast(one => one.release.status === 'deployed');
    const revision = (records.at(-1)?.release.revision ?? 0) + 1;
    const next = planRevision(records, inputsOf(work));
    // What is deployed already would not be rendered again: charts may give something else each time.
    const { manifest, chart } =
      next.type === 'unchanged' ? next.record.release : await render(work, member, { revision, isUpgrade: deployed !== undefined }, signal);
    const read = (text: string) => readManifests(member, text, { namespace: release.namespace, unknownKinds: 'keep', signal });
    const [objects, before] = [await read(manifest), await read(deployed?.release.manifest ?? '')];
    const planned = await planDelivery(member, { objects, present: before.map(refOf), owner: { release } }, signal);
    state.plan = planned;
    state.planned = planRelease({
      work,
      holder,
      plan: planned,
      present: deployed && chartTitle(deployed.release.chart),
      chart: chartTitle(chart),
    });
    state.succeed({ kind: 'planned' });
    reports.promptly(keyOf(work));
    return settled;
  }
}

const valuesOf = ({ spec }: Work): JsonObject => (spec.values ?? {}) as JsonObject;

function stepText(step: ReleaseProgress['step'], object: ObjectRef | undefined): string {
  const name = object && `${object.kind} "${object.namespace === undefined ? object.name : `${object.namespace}/${object.name}`}"`;
  if (step === 'Hooks') return name === undefined ? 'runs its hooks' : `waits for the hook ${name}`;
  return stepWords[step];
}

const stepWords: Record<Exclude<ReleaseProgress['step'], 'Hooks'>, string> = {
  Definitions: 'creates the definitions of the chart',
  Applying: 'applies its objects',
  Pruning: 'deletes what is not part of it any more',
  Waiting: 'waits until everything is healthy',
  RollingBack: 'goes back to the revision before',
  Uninstalling: 'is being uninstalled',
};

function soonest(outcomes: readonly Outcome[]): Outcome {
  const delays = outcomes.map(one => one.requeueAfterMs).filter(one => one !== undefined);
  return delays.length === 0 ? settled : requeue(Math.min(...delays));
}
