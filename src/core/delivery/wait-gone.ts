import { workReasons } from '../../api/work.ts';
import { DeliveryError } from './delivery-error.ts';
import type { Member } from './member.ts';
import { refKey, refText, type ObjectRef } from './object-ref.ts';

export interface WaitGoneOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const shown = 3;

/** Resolves when none of the objects is on the member any more; throws a DeliveryError that names those that stay. */
export async function waitGone(member: Member, refs: readonly ObjectRef[], { timeoutMs, signal }: WaitGoneOptions): Promise<void> {
  signal.throwIfAborted();
  const left = new Map(refs.map(ref => [refKey(ref), ref]));
  if (left.size === 0) return;
  using held = new DisposableStack();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  held.defer(() => signal.removeEventListener('abort', giveUp));
  const timer = setTimeout(() => reject(stillThere([...left.values()], timeoutMs)), timeoutMs);
  held.defer(() => clearTimeout(timer));
  for (const [key, ref] of [...left]) {
    held.use(
      member.watches.follow(ref, obj => {
        if (obj) left.set(key, ref);
        else left.delete(key);
        if (left.size === 0) resolve();
      }),
    );
  }
  return await promise;
}

function stillThere(refs: readonly ObjectRef[], timeoutMs: number): DeliveryError {
  const texts = refs.map(refText).sort();
  const more = texts.length > shown ? ` and ${texts.length - shown} more` : '';
  const words = `not gone within ${timeoutMs / 1000} s: ${texts.slice(0, shown).join(', ')}${more}: look at their finalizers`;
  return new DeliveryError(workReasons.timedOut, words, { object: refs[0] });
}
