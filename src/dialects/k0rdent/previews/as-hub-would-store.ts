import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import type { Json } from '../../../util/json.ts';
import type { OwnerObject } from './owners.ts';

/** An owner as the hub would store it for the caller, with its defaults and refused where it is wrong or not theirs to write. Nothing is stored. */
export async function asHubWouldStore(
  hub: KubeClient,
  kind: KindRef<OwnerObject>,
  given: OwnerObject,
  signal: AbortSignal,
): Promise<OwnerObject> {
  const { name = '', namespace } = given.metadata;
  const options = { dryRun: true, fieldManager: 'drover-diff', signal };
  const key = { name, ...(namespace !== undefined && { namespace }) };
  if (!(await hub.get(kind, key, { signal }))) return hub.create(kind, given, options);
  // Only the spec is delivered. A patch, because the status of the owner may change at any moment.
  const spec = { op: 'replace', path: '/spec', value: given.spec as Json };
  return hub.patch(kind, key, { type: 'json', body: [spec] }, options);
}
