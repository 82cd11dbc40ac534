import type { KubeObject } from '../../api/object.ts';
import type { DeliveredObject } from '../../api/work.ts';
import { judgeHealth } from '../delivery/judge-health.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, type ObjectRef } from '../delivery/object-ref.ts';

type Health = Pick<DeliveredObject, 'health' | 'message'>;

export interface HealthFollower extends Disposable {
  /** These and no others. */
  follow(refs: Iterable<ObjectRef>): void;
}

/** Tells how objects of a member are, each time that changes. */
export function healthFollower(
  member: Member,
  onHealth: (ref: ObjectRef, health: Health, obj: KubeObject | undefined) => void,
): HealthFollower {
  const followed = new Map<string, Disposable>();
  return {
    follow(refs) {
      const wanted = new Map([...refs].map(ref => [refKey(ref), ref]));
      for (const [key, one] of followed) {
        if (wanted.has(key)) continue;
        one[Symbol.dispose]();
        followed.delete(key);
      }
      for (const [key, ref] of wanted)
        if (!followed.has(key))
          followed.set(
            key,
            member.watches.follow(ref, obj => onHealth(ref, briefHealth(obj), obj)),
          );
    },
    [Symbol.dispose]() {
      for (const one of followed.values()) one[Symbol.dispose]();
      followed.clear();
    },
  };
}

/** How an object is. Of what is healthy there is nothing more to say. */
export function briefHealth(obj: KubeObject | undefined): Health {
  const { health, message } = judgeHealth(obj);
  return health === 'Current' || message === undefined ? { health } : { health, message };
}
