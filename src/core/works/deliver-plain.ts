import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import { deliveryManager, staysWhenGone, workAnnotations, workReasons, type Work } from '../../api/work.ts';
import { requeue, settled, type Outcome } from '../../runtime/controller.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { printJson } from '../../util/json.ts';
import { timestamp } from '../../util/timestamp.ts';
import { applyObjects } from '../delivery/apply-objects.ts';
import { withoutOwnedByOthers } from '../delivery/drift-left-alone.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';
import { removeObjects } from '../delivery/remove-objects.ts';
import { checkFirst } from './check-first.ts';
import { compareClaims, competes, holds, isLeaving, priorityOf } from './claims.ts';
import { placeOf } from './decide-status.ts';
import type { DeliveryDesk, Turn } from './delivery-desk.ts';
import { driftMark, wantsDrift } from './followers.ts';
import { failed, isHeldBack, mayDeliver } from './hold-back.ts';
import { ensureNamespaces } from './ensure-namespaces.ts';
import { inputsOf } from './inputs.ts';
import { waitMsOf } from './wait-time.ts';
import { winnerOf } from './object-claims.ts';
import { planDelivery } from './plan-delivery.ts';
import { planRelease } from './plan-release.ts';
import { removeBesides } from './remove-besides.ts';
import { renderPlain } from './render-plain.ts';
import type { InventoryEntry, WorkState } from './work-state.ts';

/** Who delivers each object that a Work wants. */
interface Shares {
  readonly own: readonly KubeObject[];
  readonly entries: readonly InventoryEntry[];
}

interface WhatToPut {
  readonly member: Member;
  readonly objects: readonly KubeObject[];
  readonly inputs: string;
}

interface Applying {
  readonly state: WorkState;
  readonly member: Member;
  /** Keys of objects that are the Work's already. */
  readonly owned: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

/** Somebody with a higher claim on an object has come after the objects were shared out. */
class ShareLost extends Error {}

/**
 * Delivers Works without a chart. Each object is contested on its own: the highest claim delivers it, the others wait for it, and it goes only when
 * nobody wants it any more. What a Work may have put on the member is in its status before it is put there.
 */
export function plainDelivery(desk: DeliveryDesk) {
  const { works, members, reports, followers, events } = desk;
  /** Deliveries that change objects at the moment. Whoever takes objects over waits until they have ended. */
  const acting = new Map<Key, Promise<void>>();
  /** What was last applied, so that of a Work with many objects only those are sent that have changed. */
  const applied = new Map<Key, { readonly again: string | undefined; readonly hashes: ReadonlyMap<string, string> }>();

  /** How each ranked when it was last looked at. */
  const ranks = new Map<Key, string>();

  return { reconcile, forget };

  async function reconcile(key: Key, turn: Turn): Promise<Outcome> {
    const work = works.get(key);
    if (!work) {
      forget(key);
      return settled;
    }
    tellRivals(work);
    const state = desk.state(work);
    if (isLeaving(work)) return act(key, () => remove(work, state, turn));
    if (!mayDeliver(work)) return settled;
    try {
      if (work.spec.sync === 'DryRun') return await plan(work, state, turn);
      return await deliver(work, state, turn);
    } catch (error) {
      applied.delete(key);
      return failed(desk, work, state, error, turn);
    }
  }

  /** Whoever rises or falls may gain objects from others, or lose them to others. */
  function tellRivals(work: Work): void {
    const key = keyOf(work);
    const rank = `${work.metadata.uid} ${priorityOf(work)} ${competes(work)}`;
    if (ranks.get(key) === rank) return;
    ranks.set(key, rank);
    lookAt(desk.claims(work.metadata.namespace!).rivals(key));
  }

  /** Of a Work that is gone: those who share an object with it may have it now. */
  function forget(key: Key): void {
    const [namespace = ''] = key.split('/', 1);
    applied.delete(key);
    ranks.delete(key);
    lookAt(desk.claims(namespace).set(key, undefined));
  }

  function lookAt(keys: Iterable<Key>): void {
    desk.look([...keys].map(key => works.get(key)).filter(work => work !== undefined));
  }

  async function deliver(work: Work, state: WorkState, turn: Turn): Promise<Outcome> {
    const key = keyOf(work);
    const inputs = inputsOf(work);
    const isDelivered = state.delivered?.state === 'Deployed' && (state.delivered.inputs === inputs || work.spec.sync === 'Once');
    if (isDelivered || work.spec.suspend === true) claim(work, new Set(state.inventory.keys()));
    if (isDelivered && !hasNewShare(work, state)) return rest(work, state, turn);
    const held = isHeldBack(desk, work, state);
    if (held) return held;

    const member = members.open(work.metadata.namespace!);
    const objects = await renderPlain(desk, work, member, turn.signal);
    claim(work, new Set(objects.map(obj => refKey(refOf(obj)))));
    return act(key, () => putShare(work, state, { member, objects, inputs }, turn));
  }

  /** Puts what is the Work's to put. Others may come with a higher claim meanwhile: then it has less to put. */
  async function putShare(work: Work, state: WorkState, what: WhatToPut, turn: Turn): Promise<Outcome> {
    for (;;) {
      try {
        return await put(work, state, what, turn);
      } catch (error) {
        turn.signal.throwIfAborted();
        if (!(error instanceof ShareLost)) throw error;
      }
    }
  }

  /** Tells those who share objects with the Work when they may have to give one up, or may have one back. */
  function claim(work: Work, objects: ReadonlySet<string>): void {
    const claims = desk.claims(work.metadata.namespace!);
    lookAt(claims.set(keyOf(work), objects));
    claims.setSpec(keyOf(work), specOf(work));
  }

  /** One delivery at a time of all that share an object. */
  async function act(key: Key, deed: () => Promise<Outcome>): Promise<Outcome> {
    const [namespace = ''] = key.split('/', 1);
    for (;;) {
      const others = [...desk.claims(namespace).rivals(key)].map(rival => acting.get(rival)).filter(one => one !== undefined);
      if (others.length === 0) break;
      await Promise.all(others);
    }
    const done = Promise.withResolvers<void>();
    acting.set(key, done.promise);
    try {
      return await deed();
    } finally {
      acting.delete(key);
      done.resolve();
    }
  }

  /** Whether objects have come to the Work, or gone from it, since it was delivered. */
  function hasNewShare(work: Work, state: WorkState): boolean {
    return [...state.inventory].some(
      ([object, { outrankedBy }]) => winner(work, object)?.metadata.name !== (outrankedBy ?? work.metadata.name),
    );
  }

  function winner(work: Work, object: string): Work | undefined {
    const claimants = [...desk.claims(work.metadata.namespace!).claimants(object)].map(key => works.get(key));
    return winnerOf(claimants.filter(one => one !== undefined && competes(one)) as Work[]);
  }

  /** Who delivers an object instead of the Work. */
  function outranker(work: Work, ref: ObjectRef): Work | undefined {
    const has = winner(work, refKey(ref));
    return has?.metadata.uid === work.metadata.uid ? undefined : has;
  }

  function share(work: Work, objects: readonly KubeObject[]): Shares {
    const own: KubeObject[] = [];
    const entries = objects.map((obj): InventoryEntry => {
      const ref = refOf(obj);
      const other = outranker(work, ref);
      if (other) return { ref, outrankedBy: other.metadata.name! };
      own.push(obj);
      return { ref };
    });
    return { own, entries };
  }

  async function put(work: Work, state: WorkState, { member, objects, inputs }: WhatToPut, turn: Turn): Promise<Outcome> {
    const key = keyOf(work);
    const { own, entries } = share(work, objects);
    const wanted = new Set(entries.map(({ ref }) => refKey(ref)));
    const before = [...state.inventory.values()];
    const leftover = before.filter(({ ref }) => !wanted.has(refKey(ref)));
    const wasDeployed = state.delivered?.state === 'Deployed';
    const isAgain = wasDeployed && state.delivered?.inputs === inputs;
    const known = new Set(wasDeployed ? before.filter(({ outrankedBy }) => outrankedBy === undefined).map(({ ref }) => refKey(ref)) : []);
    const at = timestamp(desk.now());
    const changed = work.spec.options?.applyAll === true ? own : whatChanged(work, own, known, state);
    if (work.spec.options?.checkFirst === true) await checkFirst(work, changed, member, turn.signal);
    const isGrowing = entries.some(({ ref, outrankedBy }) => outrankedBy === undefined && !known.has(refKey(ref)));
    state.inventory = [...entries, ...leftover];
    // What may be on the member is written down first: whoever goes on after a crash finds it.
    if (isGrowing || leftover.length > 0) {
      state.phase = { kind: 'delivering' };
      state.delivered = { inputs, state: 'Pending', at };
      await reports.now(key);
    }

    await takeFromOthers(work, own);
    if (!wasDeployed || isGrowing) await ensureNamespaces(work, own, member, turn.signal);
    await apply(work, changed, { state, member, owned: known, signal: turn.signal });
    if (!isAgain) await removeWhatIsNamed(work, wanted, member, turn.signal);
    const kept = await prune(work, leftover, member, turn.signal);

    applied.set(key, { again: work.spec.options?.again, hashes: new Map(own.map(obj => [refKey(refOf(obj)), hashOf(obj)])) });
    state.inventory = [...entries, ...kept];
    state.delivered = { inputs, state: 'Deployed', at };
    state.succeed({ kind: 'delivered' });
    watch(work, state, member, own);
    reports.promptly(key);
    return untilLate(work, state);
  }

  /** What others have to give up is written down before it is taken: whoever goes on after a crash must not believe that they still have it. */
  async function takeFromOthers(work: Work, own: readonly KubeObject[]): Promise<void> {
    const claims = desk.claims(work.metadata.namespace!);
    const taken = new Set(own.map(obj => refKey(refOf(obj))));
    const others = new Set([...taken].flatMap(object => [...claims.claimants(object)]));
    others.delete(keyOf(work));
    const losers = [...others].filter(other => giveUp(other, taken, work));
    await Promise.all(losers.map(other => reports.now(other)));
  }

  /** Whether the Work had any of the objects. */
  function giveUp(key: Key, taken: ReadonlySet<string>, to: Work): boolean {
    const loser = works.get(key);
    const state = loser && desk.state(loser);
    const isLost = ({ ref, outrankedBy }: InventoryEntry) => outrankedBy === undefined && taken.has(refKey(ref));
    const entries = [...(state?.inventory.values() ?? [])];
    if (!state || !entries.some(isLost)) return false;
    state.inventory = entries.map(entry => (isLost(entry) ? { ...entry, outrankedBy: to.metadata.name! } : entry));
    return true;
  }

  /** Objects as they were applied by this process before, and that are still there, need not be sent again unless that is asked for. */
  function whatChanged(work: Work, own: readonly KubeObject[], known: ReadonlySet<string>, state: WorkState): readonly KubeObject[] {
    const last = applied.get(keyOf(work));
    if (!last || last.again !== work.spec.options?.again) return own;
    const missing = new Set(state.objects.filter(({ health }) => health === 'NotFound' || health === 'Terminating').map(refKey));
    return own.filter(obj => {
      const object = refKey(refOf(obj));
      return !known.has(object) || missing.has(object) || last.hashes.get(object) !== hashOf(obj);
    });
  }

  /** Objects that bear the mark of a Work that does not want them any more, or is outranked, are taken over. */
  async function apply(work: Work, objects: readonly KubeObject[], { state, member, owned, signal }: Applying): Promise<void> {
    const { options, driftExclusions: exclusions } = work.spec;
    const known = new Set(owned);
    const present = new Set(objects.filter(obj => owned.has(refKey(refOf(obj)))));
    const manner = options?.apply;
    const manager = manner?.fieldManager ?? deliveryManager;
    const shared = await withoutOwnedByOthers(member, [...present], { exclusions, manager, signal });
    const sharedByRef = new Map(shared.map(obj => [refKey(refOf(obj)), obj]));
    const ours = objects.map(obj => (present.has(obj) ? sharedByRef.get(refKey(refOf(obj)))! : obj));
    for (;;) {
      try {
        await applyObjects(member, ours, {
          owner: { work: keyOf(work) },
          manner,
          known,
          signal,
          onApplied: obj => state.noteApplied(obj),
          ...(options?.order !== undefined && { order: options.order }),
          ...(options?.force !== undefined && { force: options.force }),
          ...(options?.takeOwnership !== undefined && { takeOwnership: options.takeOwnership }),
        });
        return;
      } catch (error) {
        const ref = error instanceof DeliveryError && error.reason === workReasons.notOwned ? error.object : undefined;
        if (!ref || known.has(refKey(ref))) throw error;
        if (outranker(work, ref)) throw new ShareLost();
        if (!(await isGivenUp(work, ref, member, signal))) throw error;
        for (const obj of objects) {
          const other = refOf(obj);
          if (desk.claims(work.metadata.namespace!).claimants(refKey(other)).size > 1) known.add(refKey(other));
        }
        known.add(refKey(ref));
      }
    }
  }

  /** What the Work wants itself stays, whatever it says besides. */
  async function removeWhatIsNamed(work: Work, wanted: ReadonlySet<string>, member: Member, signal: AbortSignal): Promise<void> {
    const refs = (work.spec.remove ?? []).filter(ref => !wanted.has(refKey(ref)));
    if (refs.length === 0) return;
    await registerAll(work, member, signal);
    await removeBesides(refs, member, { deliveredBy: ref => wantedByOther(work, ref), signal });
  }

  async function isGivenUp(work: Work, ref: ObjectRef, member: Member, signal: AbortSignal): Promise<boolean> {
    const kind = await member.kinds.find(ref, signal);
    const found = kind && (await member.client.get(kind, ref, { signal }));
    const owner = found?.metadata.annotations?.[workAnnotations.work];
    const { namespace } = work.metadata;
    if (owner === undefined || !owner.startsWith(`${namespace}/`)) return owner === undefined && found === undefined;
    const other = works.get(owner);
    return !other || isLeaving(other) || winner(work, refKey(ref))?.metadata.uid === work.metadata.uid;
  }

  /** Answers what stays although it is not wanted any more. */
  async function prune(work: Work, leftover: readonly InventoryEntry[], member: Member, signal: AbortSignal): Promise<InventoryEntry[]> {
    const mine = leftover.filter(({ ref, outrankedBy }) => outrankedBy === undefined && !isWantedByOthers(work, ref));
    if (work.spec.options?.prune === false || mine.length === 0) return [];
    await registerAll(work, member, signal);
    const gone = mine.filter(({ ref }) => !isWantedByOthers(work, ref)).map(({ ref }) => ref);
    await removeObjects(member, gone, { owner: { work: keyOf(work) }, signal });
    return [];
  }

  function isWantedByOthers(work: Work, ref: ObjectRef): boolean {
    return wantedByOther(work, ref) !== undefined;
  }

  function wantedByOther(work: Work, ref: ObjectRef): Work | undefined {
    const own = keyOf(work);
    const others = [...desk.claims(work.metadata.namespace!).claimants(refKey(ref))].filter(key => key !== own).map(key => works.get(key));
    return others.find(other => other !== undefined && holds(other));
  }

  /** Before anything is deleted it must be known what every Work of the cluster wants, also those whose present spec nobody has looked at yet. */
  async function registerAll({ metadata }: Work, member: Member, signal: AbortSignal): Promise<void> {
    const claims = desk.claims(metadata.namespace!);
    for (const other of works.by('cluster', metadata.namespace!)) {
      const key = keyOf(other);
      if (other.spec.chart || other.metadata.uid === metadata.uid || isLeaving(other) || claims.isOfSpec(key, specOf(other))) continue;
      const refs = await renderPlain(desk, other, member, signal).then(
        objects => objects.map(obj => refKey(refOf(obj))),
        () => [],
      );
      // What it had counts as well, until it has been delivered anew.
      if (!claims.isOfSpec(key, specOf(other)))
        claims.set(key, new Set([...claims.of(key), ...desk.state(other).inventory.keys(), ...refs]));
    }
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
    const member = members.open(work.metadata.namespace!);
    const isNew = wantsDrift(work) && !followers.isFollowingDrift(key, member, driftMark(work, state));
    watch(work, state, member, isNew ? share(work, await renderPlain(desk, work, member, turn.signal)).own : undefined);
    reports.promptly(key);
    return untilLate(work, state);
  }

  /** When the time to become healthy is over, that is worth another report. */
  function untilLate(work: Work, state: WorkState): Outcome {
    const restMs = (state.deadline(waitMsOf(work)) ?? 0) - desk.now().getTime();
    return restMs > 0 && !state.isHealthy ? requeue(restMs) : settled;
  }

  /** Without objects drift is watched as it was. */
  function watch(work: Work, state: WorkState, member: Member, objects: readonly KubeObject[] | undefined): void {
    const own = [...state.inventory.values()].filter(({ outrankedBy }) => outrankedBy === undefined);
    followers.follow(
      work,
      state,
      member,
      own.map(({ ref }) => ref),
    );
    if (!wantsDrift(work)) followers.followDrift(work, state, member, undefined);
    else if (objects) followers.followDrift(work, state, member, { objects, owner: { work: keyOf(work) }, mark: driftMark(work, state) });
  }

  async function plan(work: Work, state: WorkState, turn: Turn): Promise<Outcome> {
    const held = isHeldBack(desk, work, state);
    if (held) return held;
    const member = members.open(work.metadata.namespace!);
    const objects = await renderPlain(desk, work, member, turn.signal);
    const present = [...state.inventory.values()].map(({ ref }) => ref);
    const whose = { owner: { work: keyOf(work) }, manner: work.spec.options?.apply };
    const planned = await planDelivery(member, { objects, present, ...whose }, turn.signal);
    state.plan = planned;
    state.planned = planRelease({ work, holder: holderOf(work, objects), plan: planned });
    state.succeed({ kind: 'planned' });
    reports.promptly(keyOf(work));
    return settled;
  }

  /** The highest claim of others on any of the objects. */
  function holderOf(work: Work, objects: readonly KubeObject[]): Work | undefined {
    const claims = desk.claims(work.metadata.namespace!);
    const keys = new Set(objects.flatMap(obj => [...claims.claimants(refKey(refOf(obj)))]));
    keys.delete(keyOf(work));
    const others = [...keys].map(key => works.get(key)).filter(other => other !== undefined);
    return others.filter(competes).sort(compareClaims)[0];
  }

  /** Of a Work that is being deleted. Objects that others want stay for them. */
  async function remove(work: Work, state: WorkState, turn: Turn): Promise<Outcome> {
    const key = keyOf(work);
    followers.stop(key);
    if (state.phase.kind === 'removed') return settled;
    let reason: 'Kept' | 'Uninstalled' | 'HandedOver';
    try {
      reason = await takeAway(work, state, turn);
    } catch (error) {
      return failed(desk, work, state, error, turn);
    }
    state.letGo();
    state.succeed({ kind: 'removed', reason });
    const place = placeOf(work, { cluster: desk.clusterName(work) });
    events.record(work, { type: 'Normal', reason, action: 'Remove', note: `${place}: ${reason}` });
    lookAt(desk.claims(work.metadata.namespace!).set(key, undefined));
    reports.promptly(key);
    return settled;
  }

  async function takeAway(work: Work, state: WorkState, turn: Turn): Promise<'Kept' | 'Uninstalled' | 'HandedOver'> {
    const key = keyOf(work);
    const mine = [...state.inventory.values()].filter(({ outrankedBy }) => outrankedBy === undefined).map(({ ref }) => ref);
    if (mine.length === 0) return workReasons.uninstalled;
    if (staysWhenGone(work)) return workReasons.kept;
    state.phase = { kind: 'removing' };
    reports.soon(key);
    const member = members.open(work.metadata.namespace!);
    await registerAll(work, member, turn.signal);
    const gone = mine.filter(ref => !isWantedByOthers(work, ref));
    await removeObjects(member, gone, { owner: { work: key }, signal: turn.signal });
    return gone.length < mine.length ? workReasons.handedOver : workReasons.uninstalled;
  }
}

const specOf = ({ metadata }: Work): string => `${metadata.uid} ${metadata.generation}`;
const hashOf = (obj: KubeObject): string => createHash('sha256').update(printJson(obj)).digest('base64');
