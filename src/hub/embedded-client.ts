import { withType, type KindRef } from '../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import type { Cluster } from '../apiserver/cluster.ts';
import type { WriteOptions as InternalWriteOptions } from '../apiserver/cluster-api.ts';
import { objectOf } from '../apiserver/representation.ts';
import type { Resource } from '../apiserver/resource.ts';
import { listPage } from '../apiserver/verbs/list.ts';
import { parseSelection, type Selection } from '../apiserver/verbs/selection.ts';
import { ObjectWatcher, type ObjectEvent } from '../apiserver/watch/object-watcher.ts';
import { forbiddenRequest } from '../auth/rbac.ts';
import type { Authorizer, UserInfo } from '../auth/user.ts';
import { underDeadline } from '../client/deadline.ts';
import { httpClient } from '../client/http-client.ts';
import type { KubeClient, ListOptions, ObjectKey, WatchEvent, WatchOptions, WriteOptions } from '../client/kube-client.ts';
import { isMissing } from '../client/missing-object.ts';
import { UnreachableError, type Transport } from '../client/transport.ts';
import { wireCopy } from '../util/wire-copy.ts';

export interface EmbeddedClientOptions {
  readonly cluster: Cluster;
  /** Default: the hub itself, who may do everything. */
  readonly user?: UserInfo;
  /** Asked before everything that `user` does. Nobody is asked when absent. */
  readonly authorizer?: Authorizer;
  /** As the same user; for what is more than objects: discovery, health, subresources other than status, other servers' kinds. */
  readonly transport?: Transport;
}

export const hubUser: UserInfo = { name: 'system:drover:hub', groups: ['system:masters', 'system:authenticated'] };

const defaultManager = 'drover';

/** The client of an API server in the same process: no HTTP, no JSON, the same rules. */
export function embeddedClient({ cluster, user = hubUser, authorizer, transport = noTransport }: EmbeddedClientOptions): KubeClient {
  const remote = httpClient(transport);
  const closed = new AbortController();

  return {
    async get<T extends KubeObject>(kind: KindRef<T>, key: ObjectKey) {
      const resource = stored(kind);
      if (!resource) return remote.get(kind, key);
      const target = targetOf(resource, key);
      authorize('get', resource, target);
      const entry = cluster.store.get({ resource: resource.storeKey, ...target });
      return entry && ((await objectOf(resource, entry)) as T);
    },

    async list<T extends KubeObject>(kind: KindRef<T>, options: ListOptions = {}) {
      const resource = stored(kind);
      if (!resource) return remote.list(kind, options);
      authorize('list', resource, { namespace: options.namespace ?? '', name: '' });
      const page = await listPage(cluster.store, resource, selectionOf(resource, options), wholeList);
      const items: T[] = [];
      for (const entry of page.entries) items.push((await objectOf(resource, entry)) as T);
      return { items, resourceVersion: String(page.revision) };
    },

    watch,

    async create(kind, obj, options = {}) {
      const resource = stored(kind, options.subresource);
      if (!resource || options.subresource) return remote.create(kind, obj, options);
      authorize('create', resource, { namespace: obj.metadata.namespace ?? '', name: '' });
      return write(options, write => cluster.create(kind, wireCopy(withType(kind, obj)) as KubeObject, write));
    },

    async update(kind, obj, options = {}) {
      const resource = stored(kind, options.subresource);
      if (!resource) return remote.update(kind, obj, options);
      authorize('update', resource, targetOf(resource, obj.metadata), options.subresource);
      return write(options, write => cluster.update(kind, wireCopy(withType(kind, obj)) as KubeObject, write));
    },

    async apply(kind, obj, { force = true, ...options } = {}) {
      const resource = stored(kind, options.subresource);
      if (!resource) return remote.apply(kind, obj, { force, ...options });
      const target = targetOf(resource, obj.metadata);
      authorize('patch', resource, target, options.subresource);
      const body = wireCopy(withType(kind, obj), present(resource, target)) as never;
      return write(options, write => cluster.patch(kind, target, { type: 'apply', body }, { ...write, force }));
    },

    async patch(kind, key, { type, body }, options = {}) {
      const resource = stored(kind, options.subresource);
      if (!resource) return remote.patch(kind, key, { type, body }, options);
      const target = targetOf(resource, key);
      authorize('patch', resource, target, options.subresource);
      return write(options, write => cluster.patch(kind, target, { type, body: wireCopy(body) as never }, write));
    },

    async delete(kind, key, { signal, timeoutMs, ...options } = {}) {
      const resource = stored(kind);
      if (!resource) return remote.delete(kind, key, { ...options, ...callOptions(signal, timeoutMs) });
      const target = targetOf(resource, key);
      authorize('delete', resource, target);
      return underDeadline(callOptions(signal, timeoutMs), async signal => {
        try {
          await cluster.delete(kind, target, { ...options, user, signal });
          return true;
        } catch (error) {
          if (isMissing(error, target)) return false;
          throw error;
        }
      });
    },

    request: req => remote.request(req),

    async [Symbol.asyncDispose]() {
      closed.abort();
      await remote[Symbol.asyncDispose]();
    },
  };

  async function* watch<T extends KubeObject>(kind: KindRef<T>, options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>> {
    const { signal, resourceVersion = '', sendInitialEvents = false } = options;
    const resource = stored(kind);
    if (!resource) return yield* remote.watch(kind, options);
    if (signal?.aborted || closed.signal.aborted) return;
    authorize('watch', resource, { namespace: options.namespace ?? '', name: '' });
    const watcher = new ObjectWatcher(cluster.watches, resource, selectionOf(resource, options));
    const end = () => watcher.end();
    signal?.addEventListener('abort', end, { once: true });
    closed.signal.addEventListener('abort', end, { once: true });
    try {
      const startsFromState = sendInitialEvents || resourceVersion === '' || resourceVersion === '0';
      watcher.start(startsFromState ? undefined : Number(resourceVersion), sendInitialEvents);
      for (let events = await watcher.next(); events; events = await watcher.next()) {
        for (const event of events) {
          if (signal?.aborted) return;
          yield await watchEvent<T>(resource, event);
        }
      }
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 410) throw error;
      yield { type: 'EXPIRED' };
    } finally {
      watcher.end();
      signal?.removeEventListener('abort', end);
      closed.signal.removeEventListener('abort', end);
    }
  }

  /** The resource when its objects are in our own store; otherwise the question goes the way of everybody. */
  function stored(kind: KindRef, subresource = ''): Resource | undefined {
    const resource = cluster.catalog.find(kind);
    return resource?.verbs.includes('list') && (subresource === '' || subresource === 'status') ? resource : undefined;
  }

  /** The object as it was last shown: who reports on a large one mostly repeats parts of that. */
  function present(resource: Resource, target: ObjectKeyParts): unknown {
    const entry = cluster.store.get({ resource: resource.storeKey, ...target });
    return entry && objectOf(resource, entry);
  }

  function authorize(verb: string, resource: Resource, { namespace, name }: { namespace: string; name: string }, subresource = ''): void {
    if (!authorizer) return;
    const { group, version, resource: plural } = resource;
    const wanted = { isResource: true as const, verb, group, version, resource: plural, subresource, namespace, name };
    const decision = authorizer.authorize(user, wanted);
    if (!decision.allowed) throw forbiddenRequest(user, wanted, decision.reason);
  }

  async function write<T extends KubeObject>(
    { signal, timeoutMs, fieldManager = defaultManager, ...options }: WriteOptions,
    run: (options: InternalWriteOptions) => Promise<KubeObject>,
  ): Promise<T> {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return underDeadline(
      callOptions(signal, timeoutMs),
      signal => run({ ...given, fieldManager, user, signal, fieldValidation: options.fieldValidation ?? 'Warn' }) as Promise<T>,
    );
  }
}

const wholeList = { limit: 0, continueToken: '', resourceVersion: '', resourceVersionMatch: '' };

function callOptions(signal: AbortSignal | undefined, timeoutMs: number | undefined) {
  return { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}

function targetOf(resource: Resource, { namespace = '', name = '' }: { namespace?: string | undefined; name?: string }): ObjectKeyParts {
  if (resource.namespaced && namespace === '') throw new Error(`${resource.resource} "${name}" must be named with its namespace`);
  return { namespace: resource.namespaced ? namespace : '', name };
}

interface ObjectKeyParts {
  readonly namespace: string;
  readonly name: string;
}

function selectionOf(resource: Resource, { namespace = '', labelSelector, fieldSelector }: ListOptions): Selection {
  const query = new URLSearchParams();
  if (labelSelector !== undefined) query.set('labelSelector', labelSelector);
  if (fieldSelector !== undefined) query.set('fieldSelector', fieldSelector);
  return parseSelection(resource, namespace, query);
}

async function watchEvent<T extends KubeObject>(resource: Resource, event: ObjectEvent): Promise<WatchEvent<T>> {
  if (event.type !== 'BOOKMARK') return { type: event.type, object: (await objectOf(resource, event.entry)) as T };
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  const metadata = { resourceVersion: String(event.revision), ...(event.endsInitialEvents && { annotations }) };
  return { type: 'BOOKMARK', object: { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata } as unknown as T };
}

const noTransport: Transport = {
  request: () => Promise.reject(new UnreachableError('this client reaches objects only')),
  upgrade: () => Promise.reject(new UnreachableError('this client reaches objects only')),
  async [Symbol.asyncDispose]() {},
};
