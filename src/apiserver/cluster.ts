import type { GroupResource, GroupVersionResource, KubeObject } from '../api/object.ts';
import { noSuchResource } from '../api/status.ts';
import { loopback } from '../auth/user.ts';
import type { StoreEvent } from '../store/history.ts';
import type { Store } from '../store/store.ts';
import { cloneJson } from '../util/json.ts';
import type { AdmissionPlugin } from './admission/admission.ts';
import { allBuiltinResources } from './builtin-resources.ts';
import { ResourceCatalog } from './catalog.ts';
import type { Change, ClusterApi, DeleteOptions, Patch, WriteOptions } from './cluster-api.ts';
import type { WriteRequest } from './request.ts';
import type { Resource } from './resource.ts';
import { createObject } from './verbs/create.ts';
import { decodeObject } from './verbs/decode-object.ts';
import { deleteObject } from './verbs/delete.ts';
import { patchObject } from './verbs/patch.ts';
import { updateObject, writeUpdate } from './verbs/update.ts';
import type { VerbDeps } from './verbs/verbs.ts';
import { WatchHub } from './watch/watch-hub.ts';

const internalTimeoutMs = 30_000;

/** One Kubernetes API: objects, the kinds it serves, and the rules for writing them. What stands before it (HTTP, users) is elsewhere. */
export class Cluster implements ClusterApi, VerbDeps {
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly watches: WatchHub;
  /** Filled once the plugins, which need the cluster, exist. */
  plugins: readonly AdmissionPlugin[] = [];
  readonly #now: () => Date;
  readonly #listeners = new Set<(change: Change) => void>();

  constructor(store: Store, options: { now?: () => Date; onError?: (what: string, error: unknown) => void } = {}) {
    this.store = store;
    this.catalog = new ResourceCatalog(allBuiltinResources());
    this.watches = new WatchHub(store, error => options.onError?.('watch', error));
    store.subscribe(events => {
      for (const event of events) {
        const change = new StoreChange(event);
        for (const listener of this.#listeners) listener(change);
      }
    });
    this.#now = options.now ?? (() => new Date());
  }

  get api(): ClusterApi {
    return this;
  }

  peek(gr: GroupResource, namespace: string, name: string): KubeObject | undefined {
    return this.store.get({ resource: storeKeyOf(gr), namespace, name })?.obj;
  }

  peekAll(gr: GroupResource, namespace?: string): KubeObject[] {
    const objects: KubeObject[] = [];
    this.store.forEach(storeKeyOf(gr), namespace, '', entry => void objects.push(entry.obj));
    return objects;
  }

  peekHaving(gr: GroupResource, fields: readonly string[]): KubeObject[] {
    const keys = fields.map(field => `"${field}":`);
    const objects: KubeObject[] = [];
    this.store.forEachIncluding(storeKeyOf(gr), keys, entry => void objects.push(entry.obj));
    return objects;
  }

  count(gr: GroupResource, namespace?: string): number {
    return this.store.count(storeKeyOf(gr), namespace);
  }

  subscribe(listener: (change: Change) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  async create(gvr: GroupVersionResource, obj: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    const resource = this.#find(gvr);
    const request = this.#request(options);
    const body = decodeObject(resource, { value: cloneJson(obj) as never, problems: [] }, request);
    return (await createObject(this, resource, resource.namespaced ? (obj.metadata.namespace ?? '') : '', body, request)).obj;
  }

  async update(gvr: GroupVersionResource, obj: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    const resource = this.#find(gvr);
    const request = this.#request(options);
    const body = decodeObject(resource, { value: cloneJson(obj) as never, problems: [] }, request);
    const target = { namespace: resource.namespaced ? (obj.metadata.namespace ?? '') : '', name: obj.metadata.name ?? '' };
    const subresource = options.subresource ?? '';
    if (!options.isAdmitted) return (await updateObject(this, resource, target, subresource, body, request)).obj;
    const transform = () => cloneJson(body);
    return (await writeUpdate(this.#unguarded(), { resource, target, subresource, transform }, request)).obj;
  }

  async patch(
    gvr: GroupVersionResource,
    target: { namespace: string; name: string },
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<KubeObject> {
    const input = {
      resource: this.#find(gvr),
      target,
      subresource: options.subresource ?? '',
      type: patch.type,
      decode: () => ({ value: patch.body, problems: [] }),
    };
    return (await patchObject(this, input, this.#request(options))).obj;
  }

  async delete(gvr: GroupVersionResource, target: { namespace: string; name: string }, options: DeleteOptions = {}): Promise<void> {
    const deps = options.isAdmitted ? this.#unguarded() : this;
    await deleteObject(deps, { resource: this.#find(gvr), target, policy: options }, this.#request(options));
  }

  #unguarded(): VerbDeps {
    return { api: this, store: this.store, plugins: [] };
  }

  #find(gvr: GroupVersionResource): Resource {
    const resource = this.catalog.find(gvr);
    if (!resource) throw noSuchResource();
    return resource;
  }

  #request(options: WriteOptions): WriteRequest {
    return {
      user: options.user ?? loopback,
      userAgent: 'drover',
      now: this.#now(),
      signal: options.signal ?? AbortSignal.timeout(internalTimeoutMs),
      dryRun: options.dryRun ?? false,
      fieldManager: options.fieldManager ?? '',
      fieldValidation: options.fieldValidation ?? 'Ignore',
      force: options.force ?? false,
      warn: () => {},
      auditAnnotation: () => {},
    };
  }
}

function storeKeyOf({ group, resource }: GroupResource): string {
  return group === 'events.k8s.io' && resource === 'events' ? '/events' : `${group}/${resource}`;
}

const groupResources = new Map<string, GroupResource>();

function groupResourceOf(storeKey: string): GroupResource {
  let known = groupResources.get(storeKey);
  if (!known) {
    const slash = storeKey.lastIndexOf('/');
    known = { group: storeKey.slice(0, slash), resource: storeKey.slice(slash + 1) };
    groupResources.set(storeKey, known);
  }
  return known;
}

/** One change, the same for all who listen; objects are parsed only for those who look. */
class StoreChange implements Change {
  readonly #event: StoreEvent;

  constructor(event: StoreEvent) {
    this.#event = event;
  }

  get type() {
    return this.#event.type;
  }

  get resource() {
    return groupResourceOf(this.#event.entry.resource);
  }

  get namespace() {
    return this.#event.entry.namespace;
  }

  get name() {
    return this.#event.entry.name;
  }

  get revision() {
    return this.#event.entry.revision;
  }

  get obj() {
    return this.#event.entry.obj;
  }

  get old() {
    return this.#event.previous?.obj;
  }
}
