import type { KubeObject } from '../../api/object.ts';
import { deliveryManager, workAnnotations, type ApplyManner, type DriftedField, type DriftExclusion } from '../../api/work.ts';
import { jsonEqual, printJson } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { applyObjects } from './apply-objects.ts';
import { hasReplicas, readScaledObjects } from './drift-autoscalers.ts';
import { confirmSuspects } from './drift-confirm.ts';
import type { Difference } from './drift-differences.ts';
import { pointersFor } from './drift-exclusions.ts';
import { readLive, withoutOwnedByOthers } from './drift-left-alone.ts';
import { printPath } from './drift-path.ts';
import { driftedField, findDrift, findSuspects } from './find-drift.ts';
import type { Member } from './member.ts';
import { refKey, refOf, type ObjectRef } from './object-ref.ts';
import { belongsTo, withOwner, type Owner } from './owner.ts';
import { afterCorrection, fightHeldUntil, isFight, nextCorrectionAt, noFight, type Fight } from './watch-drift-fight.ts';
import { longestTimerMs } from '../../util/timer-limits.ts';

export interface DriftWatchOptions {
  readonly exclusions?: readonly DriftExclusion[] | undefined;
  /** Whether to change back what others changed. */
  readonly correct: boolean;
  readonly owner: Owner;
  /** As of a delivery. */
  readonly manner?: ApplyManner | undefined;
  /** As of a delivery: delete and create anew where a field cannot be changed back. */
  readonly force?: boolean;
  readonly signal: AbortSignal;
  /** How often everything is read anew besides. Never when absent or 0. */
  readonly compareEveryMs?: number;
  /** How long changes are gathered before they are judged. Default 200 ms. */
  readonly debounceMs?: number;
  /** The least time between two reports. Default 1 s. */
  readonly reportEveryMs?: number;
  /** Hears all drift there is, once everything has been seen and then whenever it differs from the last report; at most so often as said. */
  onDrift(fields: readonly DriftedField[], state: DriftState): void;
  /** Hears that an object was put right. */
  onCorrected?(ref: ObjectRef, fields: readonly DriftedField[]): void;
  /** Hears why something could not be judged or corrected, before it is tried again. */
  onError?(error: unknown): void;
}

export interface DriftState {
  /** How many fields there are, also of those that were too many to name. */
  readonly count: number;
  /** Objects that somebody changes back again and again; corrections of those wait longer and longer. */
  readonly fights: readonly DriftFight[];
  /** Why corrections failed, by object. */
  readonly failures: readonly { readonly object: ObjectRef; readonly error: Error }[];
}

export interface DriftFight {
  readonly object: ObjectRef;
  /** Who changes it back, where the member knows. */
  readonly manager?: string;
  readonly corrections: number;
  readonly nextTryAt: Date;
}

/** What of one object is not as delivered is told in full up to so many fields. */
const maxReported = 50;
const concurrency = 4;
const retryMs = 5_000;
/** A watch lags behind the member by this much at most, before its word is taken. */
const staleRetryMs = 500;
const maxStaleTries = 4;

/**
 * Follows delivered objects on the member and tells what is not as delivered, within a second or so. `objects` are as they were applied.
 * Ends with the signal or when it is disposed of; start it anew after each delivery. Throws a DeliveryError for exclusions that cannot be read.
 */
export function watchDrift(member: Member, objects: readonly KubeObject[], options: DriftWatchOptions): Disposable {
  const watch = new DriftWatch(member, objects, options);
  return { [Symbol.dispose]: () => watch.end() };
}

/** One delivered object. */
interface Watched {
  readonly want: KubeObject;
  readonly ref: ObjectRef;
  /** Absent: not seen yet. */
  state?: { readonly live: KubeObject | undefined };
  isJudged: boolean;
  fields: readonly DriftedField[];
  /** Held while somebody fights over the object, so that the report does not flap with it. */
  lastFields: readonly DriftedField[];
  /** What was last put before the member, and its verdict. */
  verdict?: { readonly question: string; readonly confirmed: readonly Difference[] };
  staleTries: number;
  fight: Fight;
  failure?: Error;
}

class DriftWatch {
  readonly #member: Member;
  readonly #options: DriftWatchOptions;
  readonly #manager: string;
  readonly #watched: readonly Watched[];
  readonly #dirty = new Set<Watched>();
  readonly #ended = new AbortController();
  readonly #following = new DisposableStack();
  #timer: NodeJS.Timeout | undefined;
  #comparing: NodeJS.Timeout | undefined;
  #dueAtMs = Infinity;
  #isBusy = false;
  #lastReport: { readonly fields: readonly DriftedField[]; readonly state: DriftState } | undefined;
  #lastReportAtMs = -Infinity;

  constructor(member: Member, objects: readonly KubeObject[], options: DriftWatchOptions) {
    this.#member = member;
    this.#options = options;
    this.#manager = options.manner?.fieldManager ?? deliveryManager;
    this.#watched = objects
      // Also the marks of the owner must stay.
      .map(obj => withOwner(obj, options.owner))
      .map(want => ({
        want,
        ref: refOf(want),
        isJudged: false,
        fields: [],
        lastFields: [],
        staleTries: 0,
        fight: noFight,
      }));
    // Exclusions that cannot be read are the caller's to hear of, now.
    for (const { want } of this.#watched) pointersFor(want, options.exclusions ?? []);
    const end = () => this.end();
    options.signal.addEventListener('abort', end, { once: true });
    this.#following.defer(() => options.signal.removeEventListener('abort', end));
    if (options.signal.aborted) this.end();
    if (this.#following.disposed) return;
    for (const watched of this.#watched) this.#following.use(member.watches.follow(watched.ref, live => this.#see(watched, live)));
    if (this.#watched.length === 0) this.#wakeIn(0);
    const { compareEveryMs = 0 } = options;
    if (compareEveryMs > 0) this.#compareIn(Math.min(compareEveryMs, longestTimerMs));
  }

  /** Again and again. A member that is slower than that is not asked twice at a time. */
  #compareIn(everyMs: number): void {
    if (this.#ended.signal.aborted) return;
    this.#comparing = setTimeout(() => void this.#compareAll().finally(() => this.#compareIn(everyMs)), everyMs).unref();
  }

  /** Whatever the watch has told. */
  async #compareAll(): Promise<void> {
    await mapBounded(this.#watched, concurrency, async watched => {
      try {
        const live = await readLive(this.#member, watched.want, this.#ended.signal);
        delete watched.verdict;
        this.#see(watched, live);
      } catch (error) {
        this.#tellError(error);
      }
    });
  }

  end(): void {
    this.#ended.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#comparing);
    if (!this.#following.disposed) this.#following.dispose();
  }

  #see(watched: Watched, live: KubeObject | undefined): void {
    watched.state = { live };
    watched.staleTries = 0;
    this.#dirty.add(watched);
    this.#wakeIn(this.#options.debounceMs ?? 200);
  }

  #wakeIn(delayMs: number): void {
    const atMs = Date.now() + delayMs;
    if (this.#ended.signal.aborted || atMs >= this.#dueAtMs) return;
    this.#dueAtMs = atMs;
    if (this.#isBusy) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#turn(), delayMs).unref();
  }

  /** Judge, report, correct: one turn after the other. */
  async #turn(): Promise<void> {
    this.#isBusy = true;
    this.#dueAtMs = Infinity;
    try {
      const dirty = [...this.#dirty];
      this.#dirty.clear();
      await mapBounded(dirty, concurrency, watched => this.#judgeSafely(watched));
      this.#report();
      if (this.#options.correct) await this.#correct();
    } finally {
      this.#isBusy = false;
      const dueAtMs = this.#dueAtMs;
      this.#dueAtMs = Infinity;
      if (dueAtMs !== Infinity) this.#wakeIn(Math.max(0, dueAtMs - Date.now()));
    }
  }

  async #judgeSafely(watched: Watched): Promise<void> {
    try {
      await this.#judge(watched);
    } catch (error) {
      this.#tellError(error);
      this.#dirty.add(watched);
      this.#wakeIn(retryMs);
    }
  }

  async #judge(watched: Watched): Promise<void> {
    const { want, state } = watched;
    if (!state) return;
    const fields = state.live ? await this.#judgeLive(watched, state.live) : findDrift(want, undefined);
    // Seen anew meanwhile, or not the newest: the next turn knows more.
    if (!fields || watched.state !== state) return;
    watched.isJudged = true;
    watched.fields = fields;
    if (fields.length > 0) watched.lastFields = fields;
    else delete watched.failure;
  }

  /** Undefined: not now. */
  async #judgeLive(watched: Watched, live: KubeObject): Promise<readonly DriftedField[] | undefined> {
    const { want } = watched;
    const { exclusions = [] } = this.#options;
    const { signal } = this.#ended;
    const suspects = await this.#withoutScaled(want, findSuspects(want, live, exclusions, this.#manager));
    if (suspects.length === 0) return [];
    // The same answer would come again.
    const question = printJson(suspects.map(({ steps, have, isOurs }) => [printPath(steps), have, isOurs]));
    if (watched.verdict?.question !== question) {
      const confirmed = await confirmSuspects(this.#member, want, live, suspects, { exclusions, manager: this.#manager, signal });
      if (!confirmed && watched.staleTries++ < maxStaleTries) {
        this.#dirty.add(watched);
        this.#wakeIn(staleRetryMs);
        return undefined;
      }
      watched.verdict = { question, confirmed: confirmed ?? suspects.filter(({ isOurs }) => !isOurs) };
    }
    const { confirmed } = watched.verdict;
    const paths = new Set(confirmed.map(({ steps }) => printPath(steps)));
    return suspects.filter(({ steps }) => paths.has(printPath(steps))).map(difference => driftedField(want, difference));
  }

  async #withoutScaled(want: KubeObject, suspects: readonly Difference[]): Promise<readonly Difference[]> {
    const isReplicas = ({ steps }: Difference): boolean => printPath(steps) === '.spec.replicas';
    if (!hasReplicas(want) || !suspects.some(isReplicas)) return suspects;
    const scaled = await readScaledObjects(this.#member, want.metadata.namespace ?? '', this.#ended.signal);
    return scaled.has(want) ? suspects.filter(difference => !isReplicas(difference)) : suspects;
  }

  #report(): void {
    if (this.#ended.signal.aborted || this.#watched.some(({ isJudged }) => !isJudged)) return;
    const nowMs = Date.now();
    const told = this.#watched.flatMap(watched => this.#toldFields(watched, nowMs));
    const fields = told.slice(0, maxReported);
    const state = this.#stateOf(told.length);
    if (this.#lastReport && jsonEqual(this.#lastReport.fields, fields) && isSameState(this.#lastReport.state, state)) return;
    const waitMs = this.#lastReportAtMs + (this.#options.reportEveryMs ?? 1_000) - nowMs;
    if (waitMs > 0) return this.#wakeIn(waitMs);
    this.#lastReport = { fields, state };
    this.#lastReportAtMs = nowMs;
    this.#options.onDrift(fields, state);
  }

  #toldFields({ fields, lastFields, fight }: Watched, nowMs: number): readonly DriftedField[] {
    if (fields.length > 0) return fields;
    const heldMs = fightHeldUntil(fight) - nowMs;
    if (heldMs <= 0) return [];
    this.#wakeIn(heldMs);
    return lastFields;
  }

  #stateOf(count: number): DriftState {
    return {
      count,
      fights: this.#watched
        .filter(({ fight, fields }) => isFight(fight) && (fields.length > 0 || fightHeldUntil(fight) > Date.now()))
        .map(({ ref, lastFields, fight }) => {
          const manager = lastFields.find(field => field.manager !== undefined)?.manager;
          const nextTryAt = new Date(nextCorrectionAt(fight));
          return { object: ref, ...(manager !== undefined && { manager }), corrections: fight.corrections, nextTryAt };
        }),
      failures: this.#watched.flatMap(({ ref, failure }) => (failure ? [{ object: ref, error: failure }] : [])),
    };
  }

  async #correct(): Promise<void> {
    const nowMs = Date.now();
    const drifted = this.#watched.filter(({ fields }) => fields.length > 0);
    const due = drifted.filter(({ fight }) => nextCorrectionAt(fight) <= nowMs);
    for (const { fight } of drifted) if (nextCorrectionAt(fight) > nowMs) this.#wakeIn(nextCorrectionAt(fight) - nowMs);
    // One at a time, in the order of delivery: one that the member refuses must not keep the others from being put right.
    for (const watched of due) {
      if (this.#ended.signal.aborted) return;
      await this.#correctOne(watched);
    }
  }

  async #correctOne(watched: Watched): Promise<void> {
    const { want, ref, fields, state } = watched;
    const { exclusions, owner, force, manner } = this.#options;
    const { signal } = this.#ended;
    watched.fight = afterCorrection(watched.fight, Date.now());
    try {
      const objects = await withoutOwnedByOthers(this.#member, [want], { exclusions, manager: this.#manager, signal, missing: 'leave' });
      await applyObjects(this.#member, objects, {
        manner,
        owner,
        signal,
        known: isClaimedByOthers(state?.live, owner) ? new Set() : new Set([refKey(ref)]),
        ...(force !== undefined && { force }),
      });
      delete watched.failure;
      this.#options.onCorrected?.(ref, fields);
    } catch (error) {
      if (signal.aborted) return;
      watched.failure = error instanceof Error ? error : new Error(String(error));
      this.#tellError(error);
    }
    // The watch tells what came of it; without a change it stays silent, and then it must be tried again.
    this.#wakeIn(nextCorrectionAt(watched.fight) - Date.now());
  }

  #tellError(error: unknown): void {
    if (!this.#ended.signal.aborted) this.#options.onError?.(error);
  }
}

/** Somebody else has put an object of the same name there: that one is not ours to change. */
function isClaimedByOthers(live: KubeObject | undefined, owner: Owner): boolean {
  const { annotations = {} } = live?.metadata ?? {};
  const isClaimed = annotations['meta.helm.sh/release-name'] !== undefined || annotations[workAnnotations.work] !== undefined;
  return live !== undefined && isClaimed && !belongsTo(live.metadata, owner);
}

/** Times that only move on are no news. */
function isSameState(a: DriftState, b: DriftState): boolean {
  const facts = ({ count, fights, failures }: DriftState) => ({
    count,
    fights: fights.map(({ object, manager }) => ({ object, manager })),
    failures: failures.map(({ object, error }) => ({ object, error: error.message })),
  });
  return jsonEqual(facts(a), facts(b));
}
