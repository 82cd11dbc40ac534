import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { withType, type KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer, type Informer } from '../../runtime/informer.ts';
import { keyOf, type Key } from '../../runtime/key.ts';
import { retryDelayMs, type RetryPolicy } from '../../runtime/retry-delay.ts';
import type { MemberKinds } from './member-kinds.ts';
import type { ObjectRef } from './object-ref.ts';
import { isDelivered } from './owner.ts';
import { isNoSuchKind } from './retry-refused.ts';

export type ObjectListener = (obj: KubeObject | undefined) => void;

/** The objects of a member that somebody has an eye on. */
export interface MemberWatches {
  /**
   * Tells how the object is as soon as that is known, and every change of it; undefined while there is no such object. Never in the turn
   * of the call. Listeners must be quick and must not throw.
   */
  follow(ref: ObjectRef, listener: ObjectListener): Disposable;
}

export interface MemberWatchesOptions {
  readonly signal: AbortSignal;
  /** Hears why a watch failed, before it is tried again. */
  onError?(error: unknown): void;
  /** How long a watch stays when nobody follows any more: whoever comes next finds it. Default 10 s. */
  readonly lingerMs?: number;
  /** How long to wait before a kind that the member does not have is asked for again. */
  readonly retry?: RetryPolicy;
}

const defaultRetry: RetryPolicy = { firstDelayMs: 1_000, maxDelayMs: 60_000 };
const readTimeoutMs = 30_000;

/** One watch for each kind and namespace, for as long as anybody follows one of its objects. */
export function memberWatches(client: KubeClient, kinds: MemberKinds, options: MemberWatchesOptions): MemberWatches {
  const { signal, onError = () => {}, lingerMs = 10_000, retry = defaultRetry } = options;
  const watches = new Map<string, Watch>();

  return {
    follow(ref, listener) {
      const { group, version, kind, namespace = '', name } = ref;
      const place = `${group}/${version}/${kind}/${namespace}`;
      let watch = watches.get(place);
      if (!watch) {
        watch = new Watch({ client, kinds, ref, signal, onError, lingerMs, retry, onEnd: () => void watches.delete(place) });
        watches.set(place, watch);
      }
      return watch.follow(namespace === '' ? name : `${namespace}/${name}`, listener);
    },
  };
}

interface WatchDeps {
  readonly client: KubeClient;
  readonly kinds: MemberKinds;
  /** Any object of the kind and namespace. */
  readonly ref: ObjectRef;
  readonly signal: AbortSignal;
  readonly lingerMs: number;
  readonly retry: RetryPolicy;
  onError(error: unknown): void;
  onEnd(): void;
}

/** What is known of one followed object. */
interface Followed {
  readonly listeners: Set<ObjectListener>;
  /** Absent: not known yet. */
  state?: { readonly obj: KubeObject | undefined };
}

class Watch {
  readonly #deps: WatchDeps;
  readonly #followed = new Map<Key, Followed>();
  readonly #stubs = new WeakSet<KubeObject>();
  readonly #ended = new AbortController();
  #cache: Informer | undefined;
  #kind: KindRef | undefined;
  /** The member has no such kind, so all its objects are missing. */
  #isKindMissing = false;
  #linger: NodeJS.Timeout | undefined;

  constructor(deps: WatchDeps) {
    this.#deps = deps;
    const end = () => this.#ended.abort();
    if (deps.signal.aborted) end();
    else deps.signal.addEventListener('abort', end, { once: true });
    this.#ended.signal.addEventListener('abort', () => deps.signal.removeEventListener('abort', end), { once: true });
    void this.#run();
  }

  follow(key: Key, listener: ObjectListener): Disposable {
    clearTimeout(this.#linger);
    let followed = this.#followed.get(key);
    const isNew = !followed;
    if (!followed) this.#followed.set(key, (followed = { listeners: new Set() }));
    // Its own function: the same one may follow twice.
    const own: ObjectListener = obj => listener(obj);
    followed.listeners.add(own);
    if (isNew && (this.#cache?.hasSynced || this.#isKindMissing)) void this.#catchUp(key, followed);
    else if (followed.state) queueMicrotask(() => followed.listeners.has(own) && followed.state && own(followed.state.obj));
    return { [Symbol.dispose]: () => this.#unfollow(key, own) };
  }

  #unfollow(key: Key, listener: ObjectListener): void {
    const followed = this.#followed.get(key);
    if (!followed?.listeners.delete(listener)) return;
    if (followed.listeners.size === 0) this.#followed.delete(key);
    if (this.#followed.size > 0) return;
    clearTimeout(this.#linger);
    this.#linger = setTimeout(() => this.#end(), this.#deps.lingerMs).unref();
  }

  #end(): void {
    this.#deps.onEnd();
    this.#ended.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const { client, kinds, ref, onError } = this.#deps;
        const kind = await kinds.find(ref, signal);
        if (kind) {
          attempt = 0;
          this.#isKindMissing = false;
          await this.#watch(client, kind, onError);
          kinds.forget();
        } else {
          this.#isKindMissing = true;
          for (const followed of this.#followed.values()) this.#tell(followed, undefined);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onError(error);
      }
      await sleep(retryDelayMs(attempt, this.#deps.retry), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  /** Returns when the member no longer has the kind, or nobody follows. */
  async #watch(client: KubeClient, kind: KindRef, onError: (error: unknown) => void): Promise<void> {
    const { namespace = '' } = this.#deps.ref;
    const over = new AbortController();
    const end = () => over.abort();
    this.#ended.signal.addEventListener('abort', end, { once: true });
    // Of the many objects of a namespace only those matter that were delivered.
    const matters = (obj: KubeObject): boolean => this.#followed.has(keyOf(obj)) || isDelivered(obj.metadata);
    const cache = informer(client, kind, {
      signal: over.signal,
      ...(kind.scope === 'Namespaced' && namespace !== '' && { namespace }),
      keep: obj => (matters(obj) ? obj : this.#stub(obj)),
      onError(error) {
        onError(error);
        if (isNoSuchKind(error)) end();
      },
    });
    this.#kind = kind;
    this.#cache = cache;
    cache.subscribe(({ type, object }) => {
      const followed = this.#followed.get(keyOf(object));
      if (followed) this.#tell(followed, type === 'DELETED' ? undefined : withType(kind, object));
    });
    cache.synced.then(
      () => {
        for (const [key, followed] of this.#followed) if (!cache.get(key)) this.#tell(followed, undefined);
      },
      () => {},
    );
    if (!over.signal.aborted) await once(over.signal, 'abort');
    this.#ended.signal.removeEventListener('abort', end);
    this.#cache = undefined;
  }

  /** Somebody follows an object that the watch has seen before. */
  async #catchUp(key: Key, followed: Followed): Promise<void> {
    await Promise.resolve();
    const present = this.#cache?.get(key);
    if (followed.state) return;
    if (!present || !this.#kind) return this.#tell(followed, undefined);
    if (!this.#stubs.has(present)) return this.#tell(followed, withType(this.#kind, present));
    const { namespace, name = '' } = present.metadata;
    const { signal } = this.#ended;
    for (let attempt = 0; !signal.aborted && !followed.state && followed.listeners.size > 0; attempt++) {
      try {
        const obj = await this.#deps.client.get(this.#kind, { namespace, name }, { signal, timeoutMs: readTimeoutMs });
        // What the watch has told meanwhile is newer.
        if (!followed.state) this.#tell(followed, obj);
      } catch (error) {
        if (signal.aborted) return;
        this.#deps.onError(error);
        await sleep(retryDelayMs(attempt, this.#deps.retry), undefined, { signal, ref: false }).catch(() => {});
      }
    }
  }

  /** Enough to see which object it is, and that it has changed. */
  #stub({ apiVersion, kind, metadata }: KubeObject): KubeObject {
    const { namespace, name, uid, resourceVersion } = metadata;
    const stub = { apiVersion, kind, metadata: { namespace, name, uid, resourceVersion } } as KubeObject;
    this.#stubs.add(stub);
    return stub;
  }

  #tell(followed: Followed, obj: KubeObject | undefined): void {
    if (followed.state && followed.state.obj === undefined && obj === undefined) return;
    followed.state = { obj };
    for (const listener of [...followed.listeners]) listener(obj);
  }
}
