/**
 * The files of facts as they lie on disk: compact, because they are read at every start. scripts/generate-facts.ts writes them.
 *
 * A type is a string in prefix notation: a scalar's name, `#n` for the n-th struct, `[T` for a list, `<T` for a list that protobuf
 * wraps into a message, `{T` for a map, `*T` for a pointer. `@name;T` gives Go's own name where it does not follow from the rest.
 */
export interface StructsFile {
  /** Sorted by name. */
  readonly structs: readonly StructFact[];
  /** `apps/v1/Deployment` to the index of its struct. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** OpenAPI name, Go's name, fields, and what else the server publishes about the struct. */
export type StructFact = readonly [name: string, goType: string, fields: readonly FieldFact[], extra?: StructExtra];

export interface StructExtra {
  readonly mapType?: 'atomic' | 'granular';
  /** Members of the published schema that do not follow from the fields. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Properties whose published schema does not follow from the field. */
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** `proto` is 0 when the field has no protobuf form. */
export type FieldFact = readonly [name: string, type: string, flags: number, proto: number | readonly number[], extra?: FieldExtra];

export const fieldFlags = { omitEmpty: 1, omitZero: 2, required: 4 } as const;

export interface FieldExtra {
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly list?: 'atomic' | 'set' | 'map';
  readonly keys?: readonly string[];
  readonly map?: 'atomic' | 'granular';
  readonly patch?: string;
  readonly mergeKey?: string;
  readonly embedded?: readonly string[];
}

/** Groups, and versions within a group, in the order in which the server lists them. */
export type ResourcesFile = readonly GroupFact[];

export interface GroupFact {
  readonly group: string;
  readonly versions: readonly { readonly version: string; readonly resources: readonly ResourceFact[] }[];
}

export interface ResourceFact {
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  /** Kind is `Kind` of the same group version, or `group/version/Kind`. */
  readonly subresources?: readonly { readonly name: string; readonly kind: string; readonly verbs: readonly string[] }[];
}
