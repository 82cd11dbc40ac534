import type { GroupVersionKind, KubeObject } from '../../api/object.ts';
import type { UserInfo } from '../../auth/user.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { Resource } from '../resource.ts';

/** A write on its way to the store, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: Resource;
  /** '' for the main resource. */
  readonly subresource: string;
  /** Kind of `object`; for subresources such as scale or eviction this is not the resource's own kind. */
  readonly kind: GroupVersionKind;
  readonly namespace: string;
  readonly name: string;
  /** Mutating plugins change it in place or replace it. Undefined on DELETE. */
  object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as the client sent them. */
  readonly options: KubeObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly api: ClusterApi;
  readonly signal: AbortSignal;
  warn(text: string): void;
  auditAnnotation(key: string, value: string): void;
}

/** A step of admission. Throws StatusError to refuse. Plugins run in the order of the list that holds them. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Quick test, so that most requests skip most plugins. */
  handles(request: AdmissionRequest): boolean;
  mutate?(request: AdmissionRequest): void | Promise<void>;
  validate?(request: AdmissionRequest): void | Promise<void>;
}
