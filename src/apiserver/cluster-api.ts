import type { GroupResource, GroupVersionResource, Json, KubeObject } from '../api/object.ts';
import type { UserInfo } from '../auth/user.ts';
import type { Resource } from './resource.ts';

/**
 * One API server seen from inside its process: what HTTP clients can do, without HTTP. Controllers, admission and authorization
 * read through it from memory, at once, and write through the same verbs (admission, validation, managed fields) as everybody.
 */
export interface ClusterApi {
  readonly catalog: Catalog;
  /** The newest committed object in its stored version, or undefined. Immutable. */
  peek(gr: GroupResource, namespace: string, name: string): KubeObject | undefined;
  /** All committed objects of a resource (in one namespace), sorted by namespace and name. Immutable. */
  peekAll(gr: GroupResource, namespace?: string): KubeObject[];
  /** At least those objects that have a field of one of these names somewhere. The others need not be parsed to be left out. */
  peekHaving?(gr: GroupResource, fields: readonly string[]): KubeObject[];
  /** Number of objects, without reading them. */
  count(gr: GroupResource, namespace?: string): number;
  /** Hears every committed change in order, in the turn it becomes visible. Listeners must not throw and must be quick. */
  subscribe(listener: (change: Change) => void): Disposable;
  create(gvr: GroupVersionResource, obj: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** PUT. With `subresource`, to that subresource. */
  update(gvr: GroupVersionResource, obj: KubeObject, options?: WriteOptions): Promise<KubeObject>;
  /** The body must not be changed afterwards: what is stored may share parts of it. */
  patch(gvr: GroupVersionResource, target: { namespace: string; name: string }, patch: Patch, options?: WriteOptions): Promise<KubeObject>;
  delete(gvr: GroupVersionResource, target: { namespace: string; name: string }, options?: DeleteOptions): Promise<void>;
}

/** A committed change. `old` is absent on create, `obj` is the last state on delete. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: GroupResource;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Parsed on first use. */
  readonly obj: KubeObject;
  readonly old: KubeObject | undefined;
}

export interface Patch {
  readonly type: 'json' | 'merge' | 'strategic' | 'apply';
  readonly body: Json;
}

export interface WriteOptions {
  /** Default: the server itself. */
  user?: UserInfo;
  fieldManager?: string;
  subresource?: string;
  dryRun?: boolean;
  force?: boolean;
  /** What happens to fields that the kind does not know. Default: they are dropped in silence. */
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Ends what a write waits for, such as webhooks. It never waits longer than 30 s. */
  signal?: AbortSignal;
  /** The write follows from one that was admitted: no admission is asked, and nobody comes to own what changes. */
  isAdmitted?: boolean;
}

export interface DeleteOptions extends WriteOptions {
  propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
}

/** All resources served at this moment. */
export interface Catalog {
  find(gvr: GroupVersionResource): Resource | undefined;
  findKind(gvk: { group: string; version: string; kind: string }): Resource | undefined;
  /** Every served version; the first of each group and resource is the preferred one. */
  all(): readonly Resource[];
  /** Grows whenever the set of resources changes: caches of discovery and OpenAPI compare it. */
  readonly generation: number;
}
