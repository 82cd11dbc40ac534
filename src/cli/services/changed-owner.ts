import type { KindRef } from '../../api/define-kind.ts';
import type { Json } from '../../util/json.ts';
import type { HubConnection } from '../hub-client.ts';
import { readObject } from '../works/read-object.ts';
import type { OwnerChoice, OwnerObject } from './find-owner.ts';

/** The owner of a file as the hub would store it, with its defaults and refused where it is wrong. Nothing is stored. */
export async function changedOwner(hub: HubConnection, file: string, choice: OwnerChoice, signal: AbortSignal): Promise<OwnerObject> {
  const { name } = choice;
  const kind = choice.kind as KindRef<OwnerObject>;
  const given = readObject(file, kind, name) as OwnerObject;
  const namespace = kind.scope === 'Namespaced' ? (given.metadata.namespace ?? choice.namespace ?? hub.namespace) : undefined;
  const options = { dryRun: true, fieldManager: 'drover-diff', signal };
  const key = { name, ...(namespace !== undefined && { namespace }) };
  const present = await hub.client.get(kind, key, { signal });
  if (!present) {
    const metadata = { ...given.metadata, ...(namespace !== undefined && { namespace }) };
    return hub.client.create(kind, { ...given, metadata }, options);
  }
  // Only the spec is delivered. A patch, because the status of the owner may change at any moment.
  const spec = { op: 'replace', path: '/spec', value: given.spec as Json };
  return hub.client.patch(kind, key, { type: 'json', body: [spec] }, options);
}
