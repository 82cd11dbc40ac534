import type { KubeObject } from '../../../api/object.ts';
import type { Trigger } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import type { AccessObjects } from './access-objects.ts';

/** Whether anybody has ever signed in as Rancher's people do, or was given a role: before that nothing of this is put on members. */
export interface AccessInUse {
  isTrue(): boolean;
  /** Adds these keys when it becomes true. */
  trigger(keys: () => Iterable<Key>): Trigger;
}

export function accessInUse({ tokens, clusterBindings, projectBindings }: AccessObjects): AccessInUse {
  const all = [tokens, clusterBindings, projectBindings] as unknown as Informer<KubeObject>[];
  let isTrue = false;
  const look = () => (isTrue ||= all.some(one => one.list().length > 0));
  return {
    isTrue: look,
    trigger: keys => ({
      synced: Promise.all(all.map(one => one.synced)).then(() => {}),
      start(add) {
        const subscriptions = all.map(one =>
          one.subscribe(() => {
            if (!isTrue && look()) for (const key of keys()) add(key);
          }),
        );
        return { [Symbol.dispose]: () => subscriptions.forEach(one => one[Symbol.dispose]()) };
      },
    }),
  };
}
