import { isOlderVersion, type KubeObject } from '../../api/object.ts';
import type { BrokenRule, DeliveredObject, DriftedField, PlannedObject, PlannedRelease, Work } from '../../api/work.ts';
import { jsonEqual } from '../../util/json.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';
import { briefHealth } from './follow-health.ts';
import type { Delivered, Phase, WorkFacts } from './work-facts.ts';

type Health = Pick<DeliveredObject, 'health' | 'message'>;

/** One object that belongs to a Work on the member, or would if nobody outranked it. */
export interface InventoryEntry {
  readonly ref: ObjectRef;
  /** The name of the Work that delivers it instead. */
  readonly outrankedBy?: string;
}

/** What a deliverer knows of one Work. After a start it begins with what the status says. */
export class WorkState {
  readonly uid: string;
  phase: Phase = { kind: 'new' };
  delivered: Delivered | undefined;
  drift: readonly DriftedField[] = [];
  driftTrouble: string | undefined;
  broken: readonly BrokenRule[] | 'not judged' = [];
  plan: readonly PlannedObject[] | undefined;
  planned: PlannedRelease | undefined;
  failures = 0;
  nextTry: Date | undefined;
  /** The generation whose delivery failed; another one is tried at once. */
  failedGeneration: number | undefined;
  /** Whether a failure is one that only a person can mend. */
  isStalled = false;
  #inventory: ReadonlyMap<string, InventoryEntry>;
  readonly #health = new Map<string, Health>();
  /** The versions that objects had when they were last applied. */
  readonly #applied = new Map<string, string>();
  /** The delivery that was seen to be healthy. */
  #arrived: Delivered | undefined;

  constructor({ metadata, status }: Work) {
    this.uid = metadata.uid ?? '';
    this.delivered = status?.delivered;
    this.drift = status?.drift ?? [];
    this.broken = status?.brokenRules ?? [];
    this.#inventory = new Map((status?.objects ?? []).map(one => [refKey(one), entryOf(one)]));
    for (const { health, message, ...ref } of status?.objects ?? [])
      this.#health.set(refKey(ref), { health, ...(message !== undefined && { message }) });
    if (status?.failures === undefined || status.observedGeneration !== metadata.generation) return;
    this.failures = status.failures;
    this.failedGeneration = metadata.generation;
    this.nextTry = status.nextTry === undefined ? undefined : new Date(status.nextTry);
    this.isStalled = status.nextTry === undefined;
  }

  get inventory(): ReadonlyMap<string, InventoryEntry> {
    return this.#inventory;
  }

  set inventory(entries: Iterable<InventoryEntry>) {
    this.#inventory = new Map([...entries].map(entry => [refKey(entry.ref), entry]));
    for (const known of [this.#health, this.#applied]) for (const key of known.keys()) if (!this.#inventory.has(key)) known.delete(key);
  }

  /** An object as the member answered it: it is no longer how it was before, whatever a watch that is behind tells. */
  noteApplied(obj: KubeObject): void {
    const ref = refOf(obj);
    this.#applied.set(refKey(ref), obj.metadata.resourceVersion ?? '');
    this.setHealth(ref, briefHealth(obj));
  }

  /** What a watch tells. True when that is news. */
  hearOf(ref: ObjectRef, health: Health, obj: KubeObject | undefined): boolean {
    const key = refKey(ref);
    if (obj && isOlderVersion(obj.metadata.resourceVersion, this.#applied.get(key))) return false;
    this.#applied.delete(key);
    return this.setHealth(ref, health);
  }

  /** True when that is news. */
  setHealth(ref: ObjectRef, health: Health): boolean {
    const present = this.#health.get(refKey(ref));
    if (present?.health === health.health && present.message === health.message) return false;
    this.#health.set(refKey(ref), health);
    return true;
  }

  /** True when that is news. */
  setBroken(broken: WorkState['broken']): boolean {
    if (jsonEqual(this.broken, broken)) return false;
    this.broken = broken;
    return true;
  }

  get objects(): DeliveredObject[] {
    return [...this.#inventory].map(([key, { ref, outrankedBy }]) => ({
      ...ref,
      health: 'Unknown',
      ...(outrankedBy === undefined && this.#health.get(key)),
      ...(outrankedBy !== undefined && { outrankedBy }),
    }));
  }

  fail(generation: number | undefined, phase: Phase & { kind: 'failed' }, nextTry: Date | undefined): void {
    this.phase = phase;
    this.failures = this.failedGeneration === generation ? this.failures + 1 : 1;
    this.failedGeneration = generation;
    this.isStalled = phase.isFinal;
    this.nextTry = nextTry;
  }

  succeed(phase: Phase): void {
    this.phase = phase;
    this.failures = 0;
    this.failedGeneration = undefined;
    this.isStalled = false;
    this.nextTry = undefined;
  }

  /** What was delivered is not this Work's any more. */
  letGo(): void {
    this.delivered = undefined;
    this.drift = [];
    this.broken = [];
    this.inventory = [];
  }

  /** Until when the objects of a delivery without a release may take to become healthy; a release that is deployed has waited already. */
  deadline(waitMs: number | undefined): number | undefined {
    if (waitMs === undefined || this.delivered?.state !== 'Deployed' || this.delivered.revision !== undefined) return undefined;
    return Date.parse(this.delivered.at) + waitMs;
  }

  get isHealthy(): boolean {
    return this.objects.every(({ health, outrankedBy }) => health === 'Current' || outrankedBy !== undefined);
  }

  /** Whether everything is healthy for the first time since it was delivered. */
  arrives(): boolean {
    if (this.delivered === this.#arrived || this.delivered?.state !== 'Deployed' || !this.isHealthy) return false;
    this.#arrived = this.delivered;
    return true;
  }

  facts(cluster: string, inputs: string): WorkFacts {
    const { phase, delivered, objects, drift, driftTrouble, broken, plan, planned, failures, nextTry } = this;
    const isUpToDate = delivered?.state === 'Deployed' && delivered.inputs === inputs;
    return { cluster, phase, delivered, isUpToDate, objects, drift, driftTrouble, broken, plan, planned, failures, nextTry };
  }
}

function entryOf({ health: _health, message: _message, outrankedBy, ...ref }: DeliveredObject): InventoryEntry {
  return { ref, ...(outrankedBy !== undefined && { outrankedBy }) };
}
