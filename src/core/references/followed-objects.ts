import type { KubeObject } from '../../api/object.ts';
import type { Key } from '../../runtime/key.ts';
import { refKey, type ObjectRef } from '../delivery/object-ref.ts';
import type { MemberWatches } from '../delivery/member-watches.ts';

/** Whether a change of an object is worth another look. */
export type Matters = (old: KubeObject | undefined, now: KubeObject | undefined) => boolean;

/** Objects that others name, followed for as long as somebody does. */
export interface FollowedObjects {
  /** How an object is. From now on its user hears of changes, or of those that matter to it. */
  read(ref: ObjectRef, user: Key, signal: AbortSignal, matters?: Matters): Promise<KubeObject | undefined>;
  /** A user names only these any more. */
  keepOnly(user: Key, refs: readonly ObjectRef[]): void;
}

interface Followed {
  readonly users: Map<Key, Matters>;
  readonly known: Promise<void>;
  obj: KubeObject | undefined;
  readonly following: Disposable;
}

/** `onChange` hears the users of every object that has changed. */
export function followedObjects(watches: MemberWatches, onChange: (user: Key) => void): FollowedObjects {
  const all = new Map<string, Followed>();
  const ofUser = new Map<Key, Set<string>>();
  return { read, keepOnly };

  async function read(ref: ObjectRef, user: Key, signal: AbortSignal, matters: Matters = () => true): Promise<KubeObject | undefined> {
    const key = refKey(ref);
    const followed = all.get(key) ?? follow(key, ref);
    followed.users.set(user, matters);
    const mine = ofUser.get(user) ?? new Set<string>();
    ofUser.set(user, mine.add(key));
    await unlessAborted(followed.known, signal);
    return followed.obj;
  }

  function follow(key: string, ref: ObjectRef): Followed {
    const first = Promise.withResolvers<void>();
    let isKnown = false;
    const following = watches.follow(ref, obj => {
      const old = followed.obj;
      followed.obj = obj;
      first.resolve();
      if (isKnown) for (const [user, matters] of followed.users) if (matters(old, obj)) onChange(user);
      isKnown = true;
    });
    const followed: Followed = { users: new Map(), known: first.promise, obj: undefined, following };
    all.set(key, followed);
    return followed;
  }

  function keepOnly(user: Key, refs: readonly ObjectRef[]): void {
    const kept = new Set(refs.map(refKey));
    const mine = ofUser.get(user);
    for (const key of mine ?? []) {
      if (kept.has(key)) continue;
      mine!.delete(key);
      const followed = all.get(key);
      followed?.users.delete(user);
      if (!followed || followed.users.size > 0) continue;
      followed.following[Symbol.dispose]();
      all.delete(key);
    }
    if (mine?.size === 0) ofUser.delete(user);
  }
}

function unlessAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
