import type { KubeObject } from '../../api/object.ts';
import type { Strategy } from '../resource.ts';

/** What the server knows about a built-in kind beyond the table of facts. Keyed `group/Kind` (`/Pod`, `apps/Deployment`). */
export interface BuiltinKind {
  readonly strategy: Strategy;
  /** Fills defaults in place, after the object has Go's shape and before admission. Must be idempotent. */
  setDefaults?(obj: KubeObject): void;
  /** Field selectors beyond metadata.name and metadata.namespace. */
  readonly selectableFields?: Readonly<Record<string, (obj: KubeObject) => string>>;
}

export type BuiltinKinds = Readonly<Record<string, BuiltinKind>>;
