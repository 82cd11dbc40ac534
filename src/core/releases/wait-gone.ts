import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import type { Member } from '../delivery/member.ts';
import { refOf, refText } from '../delivery/object-ref.ts';
import { deadlineIn } from '../../util/timer-limits.ts';

interface WaitGoneOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Waits until an object that is being deleted is no longer there. One of the same name that came after it is another. */
export async function waitGone(member: Member, kind: KindRef, obj: KubeObject, { timeoutMs, signal }: WaitGoneOptions): Promise<void> {
  const { namespace, name = '', uid } = obj.metadata;
  const read = async (): Promise<boolean> => {
    const present = await member.client.get(kind, { namespace, name }, { signal });
    return present === undefined || present.metadata.uid !== uid;
  };
  const deadline = deadlineIn(timeoutMs);
  // What a watch tells may be older than the deletion, so it only says when to look again.
  while (!(await read())) {
    await nextChange(member, obj, AbortSignal.any([signal, deadline])).catch(error => {
      signal.throwIfAborted();
      if (!deadline.aborted) throw error;
      const words = `${refText(refOf(obj))} was not gone within ${timeoutMs / 1000} s: timed out waiting for the condition`;
      throw new DeliveryError(workReasons.timedOut, words, { object: refOf(obj) });
    });
  }
}

/** Resolves when the object is gone, or is another one than the one given. */
async function nextChange(member: Member, obj: KubeObject, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(signal.reason);
  signal.addEventListener('abort', giveUp, { once: true });
  using _following = member.watches.follow(refOf(obj), seen => {
    if (seen === undefined || seen.metadata.uid !== obj.metadata.uid) resolve();
  });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
