/**
 * How a value of the API merges: the view of a schema that strategic merge and server-side apply need.
 * Built-in kinds get theirs from the table of facts, custom resources from their structural schema. Nodes may be
 * recursive, so children are reached through functions; implementations memoise them.
 */
export type MergeType = ScalarMerge | ObjectMerge | ListMerge | UntypedMerge;

export interface ScalarMerge {
  readonly type: 'scalar';
  readonly scalar: 'string' | 'number' | 'boolean' | 'any';
}

/** A struct (known fields) or a map (every key has the same element type). */
export interface ObjectMerge {
  readonly type: 'object';
  /** Atomic objects are replaced and owned as a whole. */
  readonly atomic: boolean;
  /** Undefined when the field is not declared. */
  field(name: string): MergeType | undefined;
  /** True when every key is allowed (a map, or a struct that preserves unknown fields). */
  readonly open: boolean;
  /** For open structs: whether a field is declared, rather than allowed by `open`. Left out, nothing is declared in an open type and everything in a closed one. */
  declares?(name: string): boolean;
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
}

export interface ListMerge {
  readonly type: 'list';
  readonly listType: 'atomic' | 'set' | 'map';
  /** For listType map. */
  readonly keys: readonly string[];
  /** Defaults of key fields that may be left out, such as `protocol: TCP`. */
  readonly keyDefaults: Readonly<Record<string, unknown>>;
  readonly element: MergeType;
  /** Strategic merge: `merge` merges items (by `patchMergeKey`, or as a set of primitives), otherwise the list is replaced. */
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
}

/** Anything at all: under preserve-unknown-fields maps are granular and lists are atomic. */
export interface UntypedMerge {
  readonly type: 'untyped';
}
