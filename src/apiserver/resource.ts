import type { FieldError } from '../api/field-error.ts';
import type { GroupVersionKind, KubeObject } from '../api/object.ts';
import type { UserInfo } from '../auth/user.ts';
import type { ClusterApi } from './cluster-api.ts';
import type { GoStruct } from './schema/go-type.ts';
import type { MergeType } from './schema/merge-type.ts';

/**
 * One resource as one group version serves it: `deployments` in `apps/v1`. Built-in and custom resources differ only in what
 * stands behind `codec` and `strategy`; the verbs know neither.
 */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly isCustom: boolean;
  /** All versions of one resource share one store; this names it (`apps/deployments`). */
  readonly storeKey: string;
  readonly codec: Codec;
  readonly strategy: Strategy;
  readonly mergeType: MergeType;
  /** Field selectors beyond metadata.name and metadata.namespace: how to read each from an object. */
  readonly selectableFields: Readonly<Record<string, (obj: KubeObject) => string>>;
  /** Said with every request to a deprecated version. */
  readonly deprecationWarning?: string;
}

export interface Subresource {
  /** `status`, `scale`, `log`, … */
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** Turns a decoded body into the object the server works with, and objects between versions. */
export interface Codec {
  /**
   * Checks types, drops or reports unknown fields, and gives the object the shape Go would print. `problems` collects
   * `unknown field "spec.foo"` lines; the caller makes warnings or an error of them. Throws StatusError 400 on wrong types.
   */
  shape(body: KubeObject, problems: string[]): KubeObject;
  /** Fills defaults, in place. Runs on every write and on reads of custom resources. */
  setDefaults(obj: KubeObject): void;
  /** Makes of an object in memory what the store gives back of it. In place; tells whether that changed anything. */
  settle?(obj: KubeObject): boolean;
  /**
   * From the stored version to this one, and back. Synchronous unless a webhook converts. What an object shares with `madeFrom`, which was read in this version
   * before, is not looked at again.
   */
  fromStorage(obj: KubeObject, madeFrom?: KubeObject): KubeObject | Promise<KubeObject>;
  toStorage(obj: KubeObject): KubeObject | Promise<KubeObject>;
  /** True when stored objects are byte for byte what this version serves. */
  isStorageVersion(stored: { apiVersion: string }): boolean;
  /** Present for built-in kinds. */
  readonly goType?: GoStruct;
}

/** What is particular about a kind when it is written. All functions may be left out. */
export interface Strategy {
  /** Clears what a creator may not set, fills what the server decides. In place. */
  prepareForCreate?(obj: KubeObject, ctx: WriteContext): void;
  /** Carries over what an updater may not change (status, immutable server fields). In place. */
  prepareForUpdate?(obj: KubeObject, old: KubeObject, ctx: WriteContext): void;
  /** The same for the status subresource: by default everything but status is taken from `old`. */
  prepareForStatusUpdate?(obj: KubeObject, old: KubeObject, ctx: WriteContext): void;
  validate?(obj: KubeObject, ctx: WriteContext): FieldError[];
  validateUpdate?(obj: KubeObject, old: KubeObject, ctx: WriteContext): FieldError[];
  validateStatusUpdate?(obj: KubeObject, old: KubeObject, ctx: WriteContext): FieldError[];
  /** Warnings for the person who wrote this object. */
  warningsOnCreate?(obj: KubeObject, ctx: WriteContext): string[];
  warningsOnUpdate?(obj: KubeObject, old: KubeObject, ctx: WriteContext): string[];
  /** Runs when the write is certain, before it is stored, in the same turn: allocate addresses, ports. Never on dry run unless `ctx.dryRun` is handled. */
  beforeCommit?(obj: KubeObject | undefined, old: KubeObject | undefined, ctx: WriteContext): void;
  /** Runs once the object is gone, before the deleter hears of it. */
  afterDelete?(old: KubeObject, ctx: WriteContext): Promise<void>;
  /** `path` names are checked by the generic code: `subdomain` unless said otherwise. */
  readonly nameRule?: 'subdomain' | 'label' | 'label1035' | 'path' | ((name: string) => string[]);
  /** Whether metadata.generation is kept. */
  readonly hasGeneration?: boolean;
  /** True when an update raises the generation although nothing outside metadata and status changed (Deployment annotations). */
  raisesGeneration?(obj: KubeObject, old: KubeObject): boolean;
  /** Top-level fields that do not count for generation besides metadata and status. */
  readonly hasStatus?: boolean;
  /** What creation stores lacks defaults that reading fills in: the first update is written even when it changes nothing. */
  readonly isCompletedOnRead?: boolean;
  /** PUT without resourceVersion overwrites. Default true for built-in kinds, false for custom resources. */
  readonly allowUnconditionalUpdate?: boolean;
  /** PUT of a missing object creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** DELETE answers with the object instead of a Status. Default false. */
  readonly returnsDeletedObject?: boolean;
  /** Default propagation when the caller names none. */
  readonly defaultDeletePolicy?: 'Orphan' | 'Background' | 'Unsupported';
  /** Field paths that a write to the main resource (key `''`) or to a subresource must not touch nor own, such as `[['status']]`. */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
}

/** What a write knows about its surroundings. */
export interface WriteContext {
  readonly user: UserInfo;
  readonly now: Date;
  readonly dryRun: boolean;
  /** '' for the main resource. */
  readonly subresource: string;
  readonly resource: Resource;
  readonly api: ClusterApi;
  /** Adds a `Warning: 299` header. */
  warn(text: string): void;
}
