import type { Trigger } from '../../../runtime/controller.ts';
import type { Key } from '../../../runtime/key.ts';

/** Keys that are to be looked at from the start, whether there is an object or not. */
export function fixedKeys(keys: readonly Key[]): Trigger {
  return {
    synced: Promise.resolve(),
    start(add) {
      for (const key of keys) add(key);
      return { [Symbol.dispose]() {} };
    },
  };
}
