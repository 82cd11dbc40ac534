import type { KindRef } from '../api/define-kind.ts';
import type { Json, KubeObject } from '../api/object.ts';
import type { TransportRequest, TransportResponse } from './transport.ts';

export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Default 30 s. Watches have none. */
  readonly timeoutMs?: number;
}

export interface ListOptions extends CallOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WriteOptions extends CallOptions {
  /** Default `drover`. */
  readonly fieldManager?: string;
  readonly subresource?: string;
  readonly dryRun?: boolean;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  /** Takes fields over from other managers. Default true: controllers own what they apply. */
  readonly force?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: T }
  /** The watch must start anew from a list. */
  | { readonly type: 'EXPIRED' };

export interface WatchOptions extends ListOptions {
  readonly resourceVersion?: string;
  /** Begins with the present objects and a bookmark that ends them. */
  readonly sendInitialEvents?: boolean;
}

export interface Listed<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

/**
 * One Kubernetes API: the hub, embedded or real, or a member. Answers that are errors throw StatusError with the server's own words;
 * no answer throws UnreachableError. Objects that come back must be treated as immutable.
 */
export interface KubeClient extends AsyncDisposable {
  /** Undefined when there is no such object. */
  get<T extends KubeObject>(kind: KindRef<T>, key: ObjectKey, options?: CallOptions): Promise<T | undefined>;
  /** All of them: pages are followed. */
  list<T extends KubeObject>(kind: KindRef<T>, options?: ListOptions): Promise<Listed<T>>;
  /** Ends when the signal is aborted or the server ends it; the caller starts it again. Throws UnreachableError when it breaks. */
  watch<T extends KubeObject>(kind: KindRef<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  create<T extends KubeObject>(kind: KindRef<T>, obj: T, options?: WriteOptions): Promise<T>;
  update<T extends KubeObject>(kind: KindRef<T>, obj: T, options?: WriteOptions): Promise<T>;
  /** Server-side apply: what is not named is given up. */
  apply<T extends KubeObject>(kind: KindRef<T>, obj: Partial<T> & Pick<T, 'metadata'>, options?: ApplyOptions): Promise<T>;
  patch<T extends KubeObject>(
    kind: KindRef<T>,
    key: ObjectKey,
    patch: { readonly type: 'json' | 'merge' | 'strategic'; readonly body: Json },
    options?: WriteOptions,
  ): Promise<T>;
  /** True when the object was there. With finalizers it may stay for a while. */
  delete(kind: KindRef, key: ObjectKey, options?: DeleteOptions): Promise<boolean>;
  /** Any other request: discovery, health, logs. The answer streams, errors included. */
  request(req: TransportRequest): Promise<TransportResponse>;
}
