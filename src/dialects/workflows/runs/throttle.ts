import type { Trigger } from '../../../runtime/controller.ts';
import type { Key } from '../../../runtime/key.ts';

/** A trigger whose keys are added a little later, once, however often they are named until then: what concerns a thousand clusters comes in a thousand pieces. */
export function throttled(trigger: Trigger, delayMsOf: (key: Key) => number, signal: AbortSignal): Trigger {
  return {
    synced: trigger.synced,
    start(add) {
      const timers = new Map<Key, NodeJS.Timeout>();
      const later = (key: Key) => {
        if (timers.has(key) || signal.aborted) return;
        const delayMs = delayMsOf(key);
        if (delayMs < 1) return add(key);
        const fire = () => {
          timers.delete(key);
          add(key);
        };
        timers.set(key, setTimeout(fire, delayMs).unref());
      };
      const subscription = trigger.start(later);
      return {
        [Symbol.dispose]() {
          subscription[Symbol.dispose]();
          for (const timer of timers.values()) clearTimeout(timer);
        },
      };
    },
  };
}
