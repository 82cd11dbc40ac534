import type { KubeObject } from '../../api/object.ts';
import type { ClusterApi } from '../../apiserver/cluster-api.ts';
import { controllerOf, controllerRefTo, isDeleting, targetOf, type StoredIdentity } from './stored-object.ts';
import { fieldManager, type WorkloadResource } from './workload-resources.ts';
import { isInvalid, isNotFound } from './write-errors.ts';

export interface ClaimRequest<T extends StoredIdentity> {
  /** The resource of the objects. */
  readonly resource: WorkloadResource;
  readonly owner: StoredIdentity;
  readonly ownerResource: WorkloadResource;
  /** Objects of the owner and objects of nobody. */
  readonly candidates: readonly T[];
  matches(obj: T): boolean;
}

/**
 * The objects that are the owner's: those it manages that still match, and orphans that match, which it takes over. What it manages and
 * what no longer matches is let go.
 */
export async function claimObjects<T extends StoredIdentity>(api: ClusterApi, request: ClaimRequest<T>): Promise<T[]> {
  const { resource, owner, candidates, matches } = request;
  const claimed: T[] = [];
  let failure: unknown;
  for (const obj of candidates) {
    try {
      const ref = controllerOf(obj);
      if (ref) {
        if (ref.uid !== owner.metadata.uid) continue;
        if (matches(obj)) claimed.push(obj);
        else if (!isDeleting(owner)) await release(api, resource, obj, owner);
      } else if (!isDeleting(owner) && !isDeleting(obj) && matches(obj)) {
        const adopted = await adopt(api, request, obj);
        if (adopted) claimed.push(adopted);
      }
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return claimed;
}

async function adopt<T extends StoredIdentity>(api: ClusterApi, request: ClaimRequest<T>, obj: T): Promise<T | undefined> {
  const { resource, owner, ownerResource } = request;
  const { namespace, name } = targetOf(owner);
  const present = api.peek(ownerResource, namespace, name);
  if (present?.metadata.uid !== owner.metadata.uid || isDeleting(present)) return undefined;
  const body = { metadata: { uid: obj.metadata.uid, ownerReferences: [{ ...controllerRefTo(owner) }] } };
  return (await patchOwners(api, resource, obj, body)) as T | undefined;
}

async function release(api: ClusterApi, resource: WorkloadResource, obj: StoredIdentity, owner: StoredIdentity): Promise<void> {
  const ownerReferences = [{ $patch: 'delete', uid: owner.metadata.uid }];
  await patchOwners(api, resource, obj, { metadata: { uid: obj.metadata.uid, ownerReferences } });
}

type OwnersPatch = { metadata: { uid: string; ownerReferences: Record<string, string | boolean>[] } };

/** Undefined when the object is gone or is another by now. */
async function patchOwners(
  api: ClusterApi,
  resource: WorkloadResource,
  obj: StoredIdentity,
  body: OwnersPatch,
): Promise<KubeObject | undefined> {
  try {
    return await api.patch(resource, targetOf(obj), { type: 'strategic', body }, { fieldManager });
  } catch (error) {
    if (isNotFound(error) || isInvalid(error)) return undefined;
    throw error;
  }
}
