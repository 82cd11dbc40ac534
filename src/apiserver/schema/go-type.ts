import type { GroupVersionKind } from '../../api/object.ts';

/**
 * The shape of a built-in kind as Go declares it: enough to decode strictly, to print what Go would print, to read protobuf,
 * to merge, and to publish OpenAPI. Loaded from the table of facts (src/apiserver/facts), which a script generates from a real server.
 */
export type GoType = GoScalar | GoStruct | GoList | GoMap;

/**
 * `raw` is any JSON (RawExtension, apiextensions JSON); `quantity`, `time`, … are the special messages of Kubernetes;
 * `schemaOr…` are the places where JSONSchemaProps may stand beside something else.
 */
export type ScalarName =
  | 'string'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'bytes'
  | 'quantity'
  | 'time'
  | 'microtime'
  | 'duration'
  | 'intOrString'
  | 'raw'
  | 'fieldsV1'
  | 'schemaOrArray'
  | 'schemaOrBool'
  | 'schemaOrStrings';

export interface GoScalar {
  readonly type: 'scalar';
  readonly scalar: ScalarName;
  /** Go's own name for messages such as `cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`. */
  readonly goName: string;
}

export interface GoList {
  readonly type: 'list';
  readonly element: GoType;
  /** Go's own name: `[]v1.Container`, or that of a named list. */
  readonly goName?: string;
  /** Protobuf wraps the list into a message whose field 1 repeats (`ExtraValue`, `Verbs`). */
  readonly isMessage?: boolean;
}

export interface GoMap {
  readonly type: 'map';
  readonly element: GoType;
  /** Go's own name: `map[string]string`, `v1.ResourceList`. */
  readonly goName?: string;
}

export interface GoStruct {
  readonly type: 'struct';
  /** OpenAPI name: `io.k8s.api.apps.v1.Deployment`. */
  readonly name: string;
  /** Go's short name: `Deployment`. */
  readonly goName: string;
  /** Go's name with its package: `v1.Deployment`. */
  readonly goType?: string;
  /** In the order Go declares them, embedded structs flattened. */
  readonly fields: readonly GoField[];
  readonly fieldsByName: ReadonlyMap<string, GoField>;
  readonly mapType?: 'atomic' | 'granular';
  /** The kinds this struct is, when it is one. */
  readonly gvks?: readonly GroupVersionKind[];
}

export interface GoField {
  readonly name: string;
  readonly type: GoType;
  readonly isPointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero?: boolean;
  readonly isRequired: boolean;
  readonly enumValues?: readonly string[];
  readonly defaultValue?: unknown;
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: readonly ('merge' | 'replace' | 'retainKeys')[];
  readonly patchMergeKey?: string;
  /** Protobuf field number; flattened fields name the path of numbers that leads to them. */
  readonly proto: readonly number[];
  /** Names of the embedded structs the field comes from, as Go's type errors show them. */
  readonly embedded?: readonly string[];
}
