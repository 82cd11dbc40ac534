import type { KindRef } from '../../api/define-kind.ts';
import { asHubWouldStore } from '../../dialects/k0rdent/previews/as-hub-would-store.ts';
import type { OwnerObject } from '../../dialects/k0rdent/previews/owners.ts';
import type { HubConnection } from '../hub-client.ts';
import type { GivenObject } from '../resources/given-objects.ts';
import type { OwnerChoice } from './find-owner.ts';

/** The owner of a file as the hub would store it. */
export async function changedOwner(
  hub: HubConnection,
  { object }: GivenObject,
  choice: OwnerChoice,
  signal: AbortSignal,
): Promise<OwnerObject> {
  const kind = choice.kind as KindRef<OwnerObject>;
  const given = object as OwnerObject;
  const namespace = kind.scope === 'Namespaced' ? (given.metadata.namespace ?? choice.namespace ?? hub.namespace) : undefined;
  const metadata = { ...given.metadata, name: choice.name, ...(namespace !== undefined && { namespace }) };
  return asHubWouldStore(hub.client, kind, { ...given, metadata }, signal);
}
