import { isOlderVersion, type KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';
import { explainPods } from './explain-pods.ts';
import { judgeHealth, scheduleWindowMs, type Health } from './judge-health.ts';
import type { Member } from './member.ts';
import { refKey, refOf, refText, type ObjectRef } from './object-ref.ts';
import { longestTimerMs } from '../../util/timer-limits.ts';

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
  const states = new Map<ObjectRef, Seen>();
  const end = await watchUntilEnd();
  if (end !== 'healthy') throw await unhealthyError(member, states, { refs, signal, ...(end === 'late' && { timeoutMs }) });

  async function watchUntilEnd(): Promise<'healthy' | 'failed' | 'late'> {
    using followed = new DisposableStack();
    const { promise, resolve, reject } = Promise.withResolvers<'healthy' | 'failed' | 'late'>();
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    followed.defer(() => signal.removeEventListener('abort', giveUp));
    const timer = setTimeout(() => resolve('late'), Math.min(timeoutMs, longestTimerMs));
    followed.defer(() => clearTimeout(timer));
    for (const ref of refs) {
      let again: NodeJS.Timeout | undefined;
      followed.defer(() => clearTimeout(again));
      const look = (obj: KubeObject | undefined) => {
        if (obj && isOlderVersion(obj.metadata.resourceVersion, versions.get(refKey(ref)))) return;
        clearTimeout(again);
        // Only time makes a failure of a pod that has no node.
        if (take(ref, obj) === 'InProgress' && obj?.kind === 'Pod') again = setTimeout(() => look(obj), scheduleWindowMs);
        const verdict = judgeAll();
        if (verdict) resolve(verdict);
      };
      followed.use(member.watches.follow(ref, look));
    }
    return await promise;
  }

  function take(ref: ObjectRef, obj: KubeObject | undefined): Health['health'] {
    const health = isPaused(obj) ? pausedHealth : judge(obj);
    const before = states.get(ref)?.health;
    states.set(ref, { health, obj });
    if (before?.health !== health.health || before.message !== health.message) onChange?.(ref, health, obj);
    return health.health;
  }

  function judgeAll(): 'healthy' | 'failed' | undefined {
    if (states.size < refs.length) return undefined;
    const all = [...states.values()].map(({ health }) => health.health);
    if (!all.every(health => health === 'Current' || health === 'Failed')) return undefined;
    return all.includes('Failed') ? 'failed' : 'healthy';
  }
}

interface Seen {
  readonly health: Health;
  readonly obj: KubeObject | undefined;
}

const pausedHealth: Health = { health: 'Current', message: 'Deployment is paused' };

/** It would never be ready, and Helm does not wait for it either. */
function isPaused(obj: KubeObject | undefined): boolean {
  return obj?.kind === 'Deployment' && (obj['spec'] as { paused?: boolean } | undefined)?.paused === true;
}

interface Unhealthy {
  readonly refs: readonly ObjectRef[];
  /** Absent: all that could become healthy have. */
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}

async function unhealthyError(
  member: Member,
  states: ReadonlyMap<ObjectRef, Seen>,
  { refs, timeoutMs, signal }: Unhealthy,
): Promise<DeliveryError> {
  const unhealthy = refs.filter(ref => states.get(ref)?.health.health !== 'Current').sort((a, b) => (refText(a) < refText(b) ? -1 : 1));
  const told: string[] = [];
  for (const ref of unhealthy.slice(0, shown)) {
    const seen = states.get(ref);
    const pods = await explainPods(member, seen?.obj, signal);
    told.push(`${refText(ref)}: ${healthText(seen?.health)}${pods === undefined ? '' : `: ${pods}`}`);
  }
  const more = unhealthy.length > shown ? ` and ${unhealthy.length - shown} more` : '';
  const words = `${told.join('; ')}${more}`;
  const object = unhealthy[0];
  if (timeoutMs === undefined) return new DeliveryError(workReasons.unhealthy, `not healthy: ${words}`, { object });
  return new DeliveryError(workReasons.timedOut, `not healthy within ${timeoutMs / 1000} s: ${words}`, { object });
}

function healthText(health: Health | undefined): string {
  if (!health) return 'not seen yet';
  const { message = '' } = health;
  return message === '' ? health.health : `${health.health}, ${message}`;
}
