import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import type { AccessAttributes, UserInfo } from '../../../auth/user.ts';
import type { KubeClient, ObjectKey } from '../../../client/kube-client.ts';

export interface RancherAdmissionDeps {
  readonly hub: KubeClient;
  readonly access: Pick<HubAccess, 'authorize'>;
}

/** What one review sees of the rest. Always of the API itself: what was written a moment ago counts. */
export interface RancherWorld {
  /** Who wants to write. */
  readonly caller: UserInfo;
  get<T extends KubeObject>(kind: KindRef<T>, key: ObjectKey): Promise<T | undefined>;
  /** Those of one namespace, or all. */
  list<T extends KubeObject>(kind: KindRef<T>, namespace?: string): Promise<readonly T[]>;
  /** Whether somebody may do something on the hub. */
  may(user: UserInfo, wanted: AccessAttributes): Promise<boolean>;
}

export function rancherWorld({ hub, access }: RancherAdmissionDeps, caller: UserInfo, signal: AbortSignal): RancherWorld {
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  return {
    caller,
    get: (kind, key) => hub.get(kind, key, { signal }),
    list<T extends KubeObject>(kind: KindRef<T>, namespace?: string) {
      const key = `${kind.resource}.${kind.group}/${namespace ?? ''}`;
      const options = { signal, ...(namespace !== undefined && { namespace }) };
      const known = lists.get(key) ?? hub.list(kind, options).then(({ items }) => items);
      lists.set(key, known);
      return known as Promise<readonly T[]>;
    },
    may: async (user, wanted) => (await access.authorize(user, wanted)).allowed,
  };
}
