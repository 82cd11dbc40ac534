import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';
import { judgeHealth, scheduleWindowMs, type Health } from './judge-health.ts';
import type { Member } from './member.ts';
import { refKey, refOf, refText, type ObjectRef } from './object-ref.ts';

export interface WaitHealthyOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Default judgeHealth. Hooks have a judge of their own. */
  judge?(obj: KubeObject | undefined): Health;
  /** Objects as applyObjects answered them: what a watch tells of an older state does not count. */
  readonly applied?: readonly KubeObject[];
  /** Hears how an object is, first and whenever that changes. */
  onChange?(ref: ObjectRef, health: Health, obj: KubeObject | undefined): void;
}

const shown = 3;

/**
 * Resolves when all objects are healthy. An object that has failed does not end the waiting for the others, as with Helm; when nothing else
 * is left to wait for, or time is up, throws a DeliveryError that names those that are not healthy.
 */
export async function waitHealthy(member: Member, wanted: readonly ObjectRef[], options: WaitHealthyOptions): Promise<void> {
  const { timeoutMs, signal, judge = judgeHealth, onChange, applied = [] } = options;
  signal.throwIfAborted();
  const refs = [...new Map(wanted.map(ref => [refKey(ref), ref])).values()];
  const versions = new Map(applied.map(obj => [refKey(refOf(obj)), obj.metadata.resourceVersion]));
  if (refs.length === 0) return;
  using followed = new DisposableStack();
  const states = new Map<ObjectRef, Health>();
  const { promise, resolve, reject } = Promise.withResolvers<void>();

  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  followed.defer(() => signal.removeEventListener('abort', giveUp));
  const timer = setTimeout(() => reject(unhealthyError(refs, states, timeoutMs)), timeoutMs);
  followed.defer(() => clearTimeout(timer));

  for (const ref of refs) {
    let again: NodeJS.Timeout | undefined;
    followed.defer(() => clearTimeout(again));
    const look = (obj: KubeObject | undefined) => {
      if (obj && isOlder(obj.metadata.resourceVersion, versions.get(refKey(ref)))) return;
      clearTimeout(again);
      const health = isPaused(obj) ? pausedHealth : judge(obj);
      const before = states.get(ref);
      states.set(ref, health);
      if (before?.health !== health.health || before.message !== health.message) onChange?.(ref, health, obj);
      // Only time makes a failure of a pod that has no node.
      if (obj?.kind === 'Pod' && health.health === 'InProgress') again = setTimeout(() => look(obj), scheduleWindowMs);
      decide();
    };
    followed.use(member.watches.follow(ref, look));
  }
  return await promise;

  function decide(): void {
    if (states.size < refs.length) return;
    const all = [...states.values()];
    if (all.every(({ health }) => health === 'Current')) resolve();
    else if (all.every(({ health }) => health === 'Current' || health === 'Failed')) reject(unhealthyError(refs, states, undefined));
  }
}

/** Versions that are no numbers cannot be compared. */
function isOlder(version: string | undefined, than: string | undefined): boolean {
  const isNumber = (text: string | undefined): text is string => text !== undefined && /^[0-9]+$/.test(text);
  return isNumber(version) && isNumber(than) && BigInt(version) < BigInt(than);
}

const pausedHealth: Health = { health: 'Current', message: 'Deployment is paused' };

/** It would never be ready, and Helm does not wait for it either. */
function isPaused(obj: KubeObject | undefined): boolean {
  return obj?.kind === 'Deployment' && (obj['spec'] as { paused?: boolean } | undefined)?.paused === true;
}

function unhealthyError(refs: readonly ObjectRef[], states: ReadonlyMap<ObjectRef, Health>, timeoutMs: number | undefined): DeliveryError {
  const unhealthy = refs.filter(ref => states.get(ref)?.health !== 'Current');
  const texts = unhealthy.map(ref => `${refText(ref)}: ${reasonOf(states.get(ref))}`).sort();
  const more = texts.length > shown ? ` and ${texts.length - shown} more` : '';
  const words = `${texts.slice(0, shown).join('; ')}${more}`;
  const object = unhealthy[0];
  if (timeoutMs === undefined) return new DeliveryError(workReasons.unhealthy, `not healthy: ${words}`, { object });
  return new DeliveryError(workReasons.timedOut, `not healthy within ${timeoutMs / 1000} s: ${words}`, { object });
}

function reasonOf(health: Health | undefined): string {
  if (!health) return 'not seen yet';
  const { message = '' } = health;
  return message === '' ? health.health : `${health.health}, ${message}`;
}
