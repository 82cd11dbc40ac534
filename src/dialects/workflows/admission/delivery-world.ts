import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import type { ResourceAttributes, UserInfo } from '../../../auth/user.ts';
import type { KubeClient, ObjectKey } from '../../../client/kube-client.ts';
import { deliveryGroup, deliveryVersion } from '../names.ts';

export interface DeliveryAdmissionDeps {
  readonly hub: KubeClient;
  readonly access: Pick<HubAccess, 'authorize'>;
  /** What people call a user whose name is only an id. */
  loginNameOf?(user: string): string | undefined;
}

/** What one review sees of the rest. Always of the API itself: what was written a moment ago counts. */
export interface DeliveryWorld {
  readonly now: Date;
  /** How whoever writes is called in objects. */
  readonly callerName: string;
  get<T extends KubeObject>(kind: KindRef<T>, key: ObjectKey): Promise<T | undefined>;
  /** Those of all namespaces. */
  list<T extends KubeObject>(kind: KindRef<T>): Promise<readonly T[]>;
  /** Whether whoever writes may do something. */
  may(
    wanted: Pick<ResourceAttributes, 'verb' | 'resource' | 'namespace'> & {
      readonly group?: string;
      readonly version?: string;
      readonly name?: string;
    },
  ): Promise<boolean>;
}

export function deliveryWorld({ hub, access, loginNameOf }: DeliveryAdmissionDeps, user: UserInfo, signal: AbortSignal): DeliveryWorld {
  return {
    now: new Date(),
    callerName: loginNameOf?.(user.name) ?? user.name,
    get: (kind, key) => hub.get(kind, key, { signal }),
    list: async kind => (await hub.list(kind, { signal })).items,
    async may({ verb, resource, namespace, group = deliveryGroup, version = deliveryVersion, name = '' }) {
      const wanted = { isResource: true, verb, group, version, resource, subresource: '', namespace, name } as const;
      return (await access.authorize(user, wanted)).allowed;
    },
  };
}
