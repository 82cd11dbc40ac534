import { randomUUID } from 'node:crypto';
import { apiVersionOf, type GroupResource, type GroupVersionResource, type JsonObject, type KubeObject } from '../../src/api/object.ts';
import { alreadyExists, conflict, modifiedConflict, noSuchResource, notFoundError } from '../../src/api/status.ts';
import type { Catalog, Change, ClusterApi, DeleteOptions, Patch, WriteOptions } from '../../src/apiserver/cluster-api.ts';
import type { Codec, Resource } from '../../src/apiserver/resource.ts';
import { cloneJson, isJsonObject, jsonEqual } from '../../src/util/json.ts';

const everyVerb = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const identity: Codec = {
  shape: body => body,
  setDefaults: () => undefined,
  fromStorage: obj => obj,
  toStorage: obj => obj,
  isStorageVersion: () => true,
};

/** A resource that stores what it is given: `fakeResource('apps/v1', 'deployments', 'Deployment')`. */
export function fakeResource(apiVersion: string, resource: string, kind: string, overrides: Partial<Resource> = {}): Resource {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['', apiVersion];
  return {
    group,
    version,
    resource,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: true,
    verbs: everyVerb,
    shortNames: [],
    categories: [],
    subresources: [],
    isCustom: false,
    storeKey: `${group}/${resource}`,
    codec: identity,
    strategy: {},
    mergeType: undefined as never,
    selectableFields: {},
    ...overrides,
  };
}

const clusterScoped = { namespaced: false };
const commonResources = [
  fakeResource('v1', 'namespaces', 'Namespace', clusterScoped),
  fakeResource('v1', 'nodes', 'Node', clusterScoped),
  fakeResource('v1', 'configmaps', 'ConfigMap'),
  fakeResource('v1', 'events', 'Event'),
  fakeResource('v1', 'secrets', 'Secret'),
  fakeResource('v1', 'services', 'Service'),
  fakeResource('v1', 'serviceaccounts', 'ServiceAccount'),
  fakeResource('v1', 'pods', 'Pod'),
  fakeResource('v1', 'limitranges', 'LimitRange'),
  fakeResource('v1', 'resourcequotas', 'ResourceQuota'),
  fakeResource('v1', 'persistentvolumeclaims', 'PersistentVolumeClaim'),
  fakeResource('v1', 'persistentvolumes', 'PersistentVolume', clusterScoped),
  fakeResource('apps/v1', 'deployments', 'Deployment'),
  fakeResource('apps/v1', 'replicasets', 'ReplicaSet'),
  fakeResource('storage.k8s.io/v1', 'storageclasses', 'StorageClass', clusterScoped),
  fakeResource('networking.k8s.io/v1', 'ingresses', 'Ingress'),
  fakeResource('networking.k8s.io/v1', 'ingressclasses', 'IngressClass', clusterScoped),
  fakeResource('scheduling.k8s.io/v1', 'priorityclasses', 'PriorityClass', clusterScoped),
  fakeResource('node.k8s.io/v1', 'runtimeclasses', 'RuntimeClass', clusterScoped),
  fakeResource('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice'),
  fakeResource('apiregistration.k8s.io/v1', 'apiservices', 'APIService', clusterScoped),
  fakeResource('apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', clusterScoped),
  ...[
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
    'ValidatingAdmissionPolicyBinding',
    'MutatingAdmissionPolicyBinding',
  ].map(kind => fakeResource('admissionregistration.k8s.io/v1', `${kind.toLowerCase()}s`, kind, clusterScoped)),
  ...['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy'].map(kind =>
    fakeResource('admissionregistration.k8s.io/v1', kind.toLowerCase().replace(/y$/, 'ies'), kind, clusterScoped),
  ),
];

/** The verbs of an API server over a Map: uids, revisions, finalizers, preconditions. No admission, no validation, no managed fields. */
export class FakeClusterApi implements ClusterApi {
  readonly #resources: Resource[];
  readonly #stores = new Map<string, Map<string, KubeObject>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly catalog: Catalog;
  revision = 0;
  catalogGeneration = 1;

  constructor(...extra: Resource[]) {
    this.#resources = [...commonResources, ...extra];
    const resources = this.#resources;
    const generation = () => this.catalogGeneration;
    this.catalog = {
      all: () => resources,
      find: gvr => resources.find(r => r.group === gvr.group && r.version === gvr.version && r.resource === gvr.resource),
      findKind: gvk => resources.find(r => r.group === gvk.group && r.version === gvk.version && r.kind === gvk.kind),
      get generation() {
        return generation();
      },
    };
  }

  serve(resource: Resource): void {
    this.#resources.push(resource);
    this.catalogGeneration++;
  }

  peek(gr: GroupResource, namespace: string, name: string): KubeObject | undefined {
    return this.#store(gr).get(`${namespace}/${name}`);
  }

  peekAll(gr: GroupResource, namespace?: string): KubeObject[] {
    const all = [...this.#store(gr)].filter(([key]) => namespace === undefined || key.startsWith(`${namespace}/`));
    return all.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, obj]) => obj);
  }

  count(gr: GroupResource, namespace?: string): number {
    return this.peekAll(gr, namespace).length;
  }

  subscribe(listener: (change: Change) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** Creates an object of a kind in the catalog. */
  add(obj: { apiVersion: string; kind: string; metadata: KubeObject['metadata']; [field: string]: unknown }): Promise<KubeObject> {
    const resource = this.#resources.find(r => apiVersionOf(r) === obj.apiVersion && r.kind === obj.kind);
    if (!resource) throw new Error(`no kind "${obj.kind}" in "${obj.apiVersion}"`);
    return this.create(resource, obj);
  }

  async create(gvr: GroupVersionResource, obj: KubeObject, _options?: WriteOptions): Promise<KubeObject> {
    await Promise.resolve();
    this.#resource(gvr);
    const meta = obj.metadata;
    const name = meta.name ?? `${meta.generateName ?? ''}${randomUUID().slice(0, 5)}`;
    if (this.peek(gvr, meta.namespace ?? '', name)) throw alreadyExists(gvr, name);
    const created = cloneJson(obj);
    created.metadata = {
      ...created.metadata,
      name,
      uid: meta.uid ?? randomUUID(),
      creationTimestamp: meta.creationTimestamp ?? new Date().toISOString().replace(/\.\d+/, ''),
    };
    return this.#commit('ADDED', gvr, created, undefined);
  }

  async update(gvr: GroupVersionResource, obj: KubeObject, options?: WriteOptions): Promise<KubeObject> {
    await Promise.resolve();
    const old = this.#existing(gvr, obj.metadata.namespace ?? '', obj.metadata.name ?? '');
    if (obj.metadata.resourceVersion !== undefined && obj.metadata.resourceVersion !== old.metadata.resourceVersion)
      throw modifiedConflict(gvr, obj.metadata.name ?? '');
    const next = cloneJson(options?.subresource === 'status' ? { ...old, status: obj['status'] } : obj);
    return this.#write(gvr, next, old);
  }

  async patch(
    gvr: GroupVersionResource,
    target: { namespace: string; name: string },
    patch: Patch,
    _options?: WriteOptions,
  ): Promise<KubeObject> {
    await Promise.resolve();
    const old = this.#existing(gvr, target.namespace, target.name);
    if (patch.type !== 'merge' || !isJsonObject(patch.body)) throw new Error(`the fake knows no ${patch.type} patch`);
    const next = mergePatch(old as unknown as JsonObject, patch.body) as unknown as KubeObject;
    if (next.metadata.resourceVersion !== old.metadata.resourceVersion) throw modifiedConflict(gvr, target.name);
    return this.#write(gvr, next, old);
  }

  async delete(gvr: GroupVersionResource, target: { namespace: string; name: string }, options: DeleteOptions = {}): Promise<void> {
    await Promise.resolve();
    const old = this.#existing(gvr, target.namespace, target.name);
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid !== undefined && uid !== old.metadata.uid) throw conflict(gvr, target.name, 'Precondition failed: UID');
    if (resourceVersion !== undefined && resourceVersion !== old.metadata.resourceVersion)
      throw conflict(gvr, target.name, 'Precondition failed: ResourceVersion');
    const finalizers = (old.metadata.finalizers ?? []).filter(f => f !== 'orphan' && f !== 'foregroundDeletion');
    if (options.propagationPolicy === 'Foreground') finalizers.push('foregroundDeletion');
    if (options.propagationPolicy === 'Orphan') finalizers.push('orphan');
    const held = finalizers.length > 0 || ((old['spec'] as { finalizers?: string[] })?.finalizers ?? []).length > 0;
    if (!held) return void this.#commit('DELETED', gvr, cloneJson(old), old);
    if (old.metadata.deletionTimestamp !== undefined) return;
    const next = cloneJson(old);
    next.metadata = { ...next.metadata, finalizers, deletionTimestamp: new Date().toISOString().replace(/\.\d+/, '') };
    this.#commit('MODIFIED', gvr, next, old);
  }

  #store(gr: GroupResource): Map<string, KubeObject> {
    const key = `${gr.group}/${gr.resource}`;
    let store = this.#stores.get(key);
    if (!store) this.#stores.set(key, (store = new Map()));
    return store;
  }

  #resource(gvr: GroupVersionResource): Resource {
    const resource = this.catalog.find(gvr);
    if (!resource) throw noSuchResource();
    return resource;
  }

  #existing(gvr: GroupVersionResource, namespace: string, name: string): KubeObject {
    this.#resource(gvr);
    const old = this.peek(gvr, namespace, name);
    if (!old) throw notFoundError(gvr, name);
    return old;
  }

  #write(gvr: GroupVersionResource, next: KubeObject, old: KubeObject): KubeObject {
    next.metadata = { ...next.metadata, uid: old.metadata.uid ?? '', resourceVersion: old.metadata.resourceVersion ?? '' };
    if (jsonEqual(next, old)) return old;
    const spec = next['spec'] as { finalizers?: string[] } | undefined;
    const gone = next.metadata.deletionTimestamp !== undefined && !next.metadata.finalizers?.length && !spec?.finalizers?.length;
    return this.#commit(gone ? 'DELETED' : 'MODIFIED', gvr, next, old);
  }

  #commit(type: Change['type'], gr: GroupResource, obj: KubeObject, old: KubeObject | undefined): KubeObject {
    const revision = ++this.revision;
    obj.metadata.resourceVersion = String(revision);
    const namespace = obj.metadata.namespace ?? '';
    const name = obj.metadata.name ?? '';
    if (type === 'DELETED') this.#store(gr).delete(`${namespace}/${name}`);
    else this.#store(gr).set(`${namespace}/${name}`, obj);
    const change: Change = { type, resource: { group: gr.group, resource: gr.resource }, namespace, name, revision, obj, old };
    for (const listener of [...this.#listeners]) listener(change);
    return obj;
  }
}

function mergePatch(target: JsonObject, patch: JsonObject): JsonObject {
  const result = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isJsonObject(value)) result[key] = mergePatch(isJsonObject(result[key]) ? result[key] : {}, value);
    else result[key] = value;
  }
  return result;
}

/** Waits until `read` gives what `isDone` accepts; fails with the last value after two seconds. */
export async function eventually<T>(read: () => T, isDone: (value: T) => boolean, deadlineMs = 2000): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const value = read();
    if (isDone(value)) return value;
    if (Date.now() > end) throw new Error(`still not as expected: ${JSON.stringify(value)?.slice(0, 1000)}`);
    await new Promise(resolve => setTimeout(resolve, 5));
  }
}
