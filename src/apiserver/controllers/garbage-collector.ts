import { parseApiVersion, type GroupResource, type KubeObject, type OwnerReference } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { workQueue } from '../../runtime/work-queue.ts';
import { jsonEqual, type Json } from '../../util/json.ts';
import type { Change, ClusterApi, DeleteOptions } from '../cluster-api.ts';
import type { Resource } from '../resource.ts';
import { hasFinalizer, isDeleting, OwnerGraph, type Identity } from './owner-graph.ts';
import { preferredResources } from './preferred-resource.ts';
import { recordEvent } from './record-event.ts';
import { type ControllerOptions, type RunningController } from './running-controller.ts';

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

const fieldManager = 'kube-controller-manager';

interface OwnersByState {
  solid: OwnerReference[];
  dangling: OwnerReference[];
  waiting: OwnerReference[];
}

/**
 * Deletes what lost its owners, and carries out foreground and orphan deletion. Learns ownership from changes; whether an owner
 * is there is asked of the store itself, which always knows, so no cache of absent owners is needed.
 */
export function garbageCollector(api: ClusterApi, options: ControllerOptions = {}): RunningController {
  const now = options.now ?? (() => new Date());
  const graph = new OwnerGraph();
  const targets = new Map<string, Identity>();
  /** Owners whose deletion waits for their dependents. */
  const deletingOwners = new Map<string, Identity>();
  /** Objects with references that were not looked at yet: only these can turn out to point into another namespace. */
  const fresh = new Set<string>();
  const seenStores = new Set<string>();
  const preferred = preferredResources(api.catalog);
  let catalogGeneration = -1;
  const queue = workQueue({
    reconcile: collect,
    concurrency: 32,
    maxDelayMs: 30_000,
    ...(options.onError && { onError: options.onError }),
  });

  const subscription = api.subscribe(observe);
  readNewStores();

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function observe(change: Change): void {
    if (catalogGeneration !== api.catalog.generation) readNewStores();
    if (change.resource.resource === 'events') return;
    if (change.type === 'DELETED') forget(change.obj.metadata.uid ?? '');
    else remember(change.resource, change.obj);
  }

  // Objects of a kind that was not served before may have been stored by an earlier process.
  function readNewStores(): void {
    catalogGeneration = api.catalog.generation;
    for (const resource of preferred.all()) {
      if (resource.resource === 'events' || seenStores.has(resource.storeKey)) continue;
      seenStores.add(resource.storeKey);
      const concerned = api.peekHaving?.(resource, ['ownerReferences', 'deletionTimestamp']) ?? api.peekAll(resource);
      for (const obj of concerned) remember(resource, obj);
    }
  }

  function remember(gr: GroupResource, obj: KubeObject): void {
    const { ownerReferences = [], finalizers = [], uid = '' } = obj.metadata;
    const identity = identityOf(gr, obj);
    const before = graph.set(identity, ownerReferences);
    noteUnblocked(before, ownerReferences);
    if (ownerReferences.some(ref => !before.some(old => old.uid === ref.uid))) {
      fresh.add(uid);
      enqueue(identity);
    }
    if (isDeleting(obj) && finalizers.length > 0) guard(identity, finalizers);
  }

  function guard(identity: Identity, finalizers: readonly string[]): void {
    const isOrphaning = finalizers.includes(orphanFinalizer);
    if (!isOrphaning && !finalizers.includes(foregroundFinalizer)) return void deletingOwners.delete(identity.uid);
    if (!isOrphaning && deletingOwners.has(identity.uid)) return;
    deletingOwners.set(identity.uid, identity);
    enqueue(identity);
    if (!isOrphaning) for (const dependent of graph.dependentsOf(identity.uid)) enqueue(dependent.identity);
  }

  function forget(uid: string): void {
    deletingOwners.delete(uid);
    fresh.delete(uid);
    for (const owner of graph.remove(uid)) {
      const waiting = deletingOwners.get(owner.uid);
      if (waiting) enqueue(waiting);
    }
    for (const dependent of graph.dependentsOf(uid)) enqueue(dependent.identity);
  }

  function noteUnblocked(before: readonly OwnerReference[], after: readonly OwnerReference[]): void {
    for (const ref of before) {
      const waiting = ref.blockOwnerDeletion === true ? deletingOwners.get(ref.uid) : undefined;
      if (waiting && !after.some(r => r.uid === ref.uid && r.blockOwnerDeletion === true)) enqueue(waiting);
    }
  }

  function enqueue(identity: Identity): void {
    targets.set(identity.uid, identity);
    queue.add(identity.uid);
  }

  async function collect(uid: string): Promise<void> {
    const identity = targets.get(uid);
    if (!identity) return;
    targets.delete(uid);
    const obj = api.peek(identity, identity.namespace, identity.name);
    const resource = preferred.find(identity);
    try {
      if (obj?.metadata.uid === uid && resource) await collectObject(resource, identity, obj);
      fresh.delete(uid);
    } catch (error) {
      targets.set(uid, identity);
      throw error;
    }
  }

  async function collectObject(resource: Resource, identity: Identity, obj: KubeObject): Promise<void> {
    if (isDeleting(obj)) {
      if (hasFinalizer(obj, orphanFinalizer)) return orphanDependents(resource, obj);
      if (hasFinalizer(obj, foregroundFinalizer)) return awaitDependents(resource, obj);
      return;
    }
    const refs = obj.metadata.ownerReferences ?? [];
    if (refs.length === 0) return;

    const owners = classify(refs, identity, obj);
    if (!owners) return;
    const { solid, dangling, waiting } = owners;
    if (solid.length > 0) return dropReferences(resource, obj, [...dangling, ...waiting]);
    if (waiting.length > 0 && graph.hasDependents(identity.uid)) {
      if (hasDependentInForegroundDeletion(identity.uid)) await unblockOwners(resource, obj);
      return remove(resource, api.peek(identity, identity.namespace, identity.name) ?? obj, 'Foreground');
    }
    return remove(resource, obj, policyByFinalizer(obj));
  }

  function classify(refs: readonly OwnerReference[], identity: Identity, obj: KubeObject): OwnersByState | undefined {
    const result: OwnersByState = { solid: [], dangling: [], waiting: [] };
    for (const ref of refs) {
      const ownerResource = api.catalog.findKind({ ...parseApiVersion(ref.apiVersion), kind: ref.kind });
      if (!ownerResource) throw new Error(`unable to get REST mapping for ${ref.apiVersion}/${ref.kind}.`);
      if (ownerResource.namespaced && identity.namespace === '') {
        // Trying again would not help: a cluster-scoped object cannot have a namespaced owner.
        reportWrongScope(identity, obj, ref, ownerResource);
        return undefined;
      }
      const owner = api.peek(ownerResource, ownerResource.namespaced ? identity.namespace : '', ref.name);
      if (owner?.metadata.uid !== ref.uid) {
        result.dangling.push(ref);
        reportWrongScope(identity, obj, ref, ownerResource);
      } else if (isDeleting(owner) && hasFinalizer(owner, foregroundFinalizer)) result.waiting.push(ref);
      else result.solid.push(ref);
    }
    return result;
  }

  function reportWrongScope(identity: Identity, obj: KubeObject, ref: OwnerReference, ownerResource: Resource): void {
    if (!ownerResource.namespaced || !fresh.has(identity.uid)) return;
    const owner = api.peekAll(ownerResource).find(o => o.metadata.uid === ref.uid);
    if (!owner || owner.metadata.namespace === identity.namespace) return;
    const message = `ownerRef [${ref.apiVersion}/${ref.kind}, namespace: ${identity.namespace}, name: ${ref.name}, uid: ${ref.uid}] does not exist in namespace ${JSON.stringify(identity.namespace)}`;
    void recordEvent(
      api,
      now(),
      { apiVersion: obj.apiVersion, kind: obj.kind, namespace: identity.namespace, name: identity.name, uid: identity.uid },
      { type: 'Warning', reason: 'OwnerRefInvalidNamespace', message, component: 'garbage-collector-controller' },
    );
  }

  function hasDependentInForegroundDeletion(uid: string): boolean {
    for (const { identity } of graph.dependentsOf(uid)) {
      const dependent = api.peek(identity, identity.namespace, identity.name);
      if (dependent && isDeleting(dependent) && hasFinalizer(dependent, foregroundFinalizer)) return true;
    }
    return false;
  }

  async function awaitDependents(resource: Resource, obj: KubeObject): Promise<void> {
    const blocking = graph.blockingDependentsOf(obj.metadata.uid ?? '');
    if (blocking.length === 0) return removeFinalizer(resource, obj, foregroundFinalizer);
    for (const { identity } of blocking) {
      const dependent = api.peek(identity, identity.namespace, identity.name);
      if (dependent && !isDeleting(dependent)) enqueue(identity);
    }
  }

  async function orphanDependents(resource: Resource, owner: KubeObject): Promise<void> {
    const gone = [{ uid: owner.metadata.uid ?? '' }];
    await Promise.all(
      [...graph.dependentsOf(owner.metadata.uid ?? '')].map(async ({ identity }) => {
        const dependentResource = preferred.find(identity);
        const dependent = api.peek(identity, identity.namespace, identity.name);
        if (dependentResource && dependent?.metadata.uid === identity.uid) await dropReferences(dependentResource, dependent, gone);
      }),
    );
    return removeFinalizer(resource, owner, orphanFinalizer);
  }

  async function dropReferences(resource: Resource, obj: KubeObject, gone: readonly { uid: string }[]): Promise<void> {
    if (gone.length === 0) return;
    const kept = (obj.metadata.ownerReferences ?? []).filter(ref => !gone.some(g => g.uid === ref.uid));
    await patchMeta(resource, obj, { ownerReferences: kept.length === 0 ? null : (kept as unknown as Json) });
  }

  // A cycle of owners in foreground deletion would wait for itself.
  async function unblockOwners(resource: Resource, obj: KubeObject): Promise<void> {
    const refs = (obj.metadata.ownerReferences ?? []).map(ref => (ref.blockOwnerDeletion ? { ...ref, blockOwnerDeletion: false } : ref));
    await patchMeta(resource, obj, { ownerReferences: refs as unknown as Json });
  }

  async function removeFinalizer(resource: Resource, obj: KubeObject, finalizer: string): Promise<void> {
    const kept = (obj.metadata.finalizers ?? []).filter(f => f !== finalizer);
    await patchMeta(resource, obj, { finalizers: kept.length === 0 ? null : kept });
  }

  async function patchMeta(resource: Resource, obj: KubeObject, fields: Record<string, Json>): Promise<void> {
    const { namespace = '', name = '', resourceVersion = '' } = obj.metadata;
    const body: Json = { metadata: { resourceVersion, ...fields } };
    await unlessGone(api.patch(resource, { namespace, name }, { type: 'merge', body }, { fieldManager }));
  }

  async function remove(resource: Resource, obj: KubeObject, propagationPolicy: Policy): Promise<void> {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = obj.metadata;
    const target = { namespace, name };
    try {
      await unlessGone(api.delete(resource, target, { propagationPolicy, preconditions: { uid, resourceVersion } }));
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 409) throw error;
      // Quick changes of other fields must not keep an object alive.
      const live = api.peek(resource, namespace, name);
      if (live?.metadata.uid !== uid || !jsonEqual(live.metadata.ownerReferences, obj.metadata.ownerReferences)) throw error;
      await unlessGone(api.delete(resource, target, { propagationPolicy, preconditions: { uid } }));
    }
  }
}

type Policy = NonNullable<DeleteOptions['propagationPolicy']>;

function policyByFinalizer(obj: KubeObject): Policy {
  if (hasFinalizer(obj, orphanFinalizer)) return 'Orphan';
  return hasFinalizer(obj, foregroundFinalizer) ? 'Foreground' : 'Background';
}

function identityOf(gr: GroupResource, obj: KubeObject): Identity {
  const { namespace = '', name = '', uid = '' } = obj.metadata;
  return { group: gr.group, resource: gr.resource, namespace, name, uid };
}

async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
  }
}
