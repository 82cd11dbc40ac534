import type { JsonObject } from '../util/json.ts';
import { apiVersionOf, type GroupVersionKind, type GroupVersionResource, type KubeObject } from './object.ts';
import type { Schema, TypeOf } from './schema.ts';

/** What a client must know of a kind to ask for its objects. */
export interface KindRef<T extends KubeObject = KubeObject> extends GroupVersionKind, GroupVersionResource {
  readonly scope: 'Namespaced' | 'Cluster';
  readonly objectType?: T;
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date' | 'boolean' | 'number';
  readonly path: string;
  readonly description?: string;
  /** Greater than 0: shown by `-o wide` only. */
  readonly priority?: number;
}

interface Naming {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  readonly columns?: readonly Column[];
  /** Paths of fields by which objects can be selected (`fieldSelector`), besides name and namespace. */
  readonly selectable?: readonly string[];
  /** Rules over the whole object. */
  readonly rules?: readonly { rule: string; message: string }[];
}

interface KindDeclaration<Spec, Status> extends Naming {
  readonly spec: Schema<Spec>;
  readonly status?: Schema<Status>;
}

interface FlatKindDeclaration<Fields> extends Naming {
  /** What an object has besides its metadata. */
  readonly fields: Schema<Fields>;
  /** Whether `status` is written by itself, through its subresource. */
  readonly hasStatus?: boolean;
}

/** A kind of our own or of a dialect, declared once: its type, its definition and its documentation come from here. */
export interface DeclaredKind<T extends KubeObject = KubeObject> extends KindRef<T> {
  readonly description: string;
  /** The CustomResourceDefinition that makes an API server serve it. */
  definition(): KubeObject;
}

export type Kind<Spec = unknown, Status = unknown> = DeclaredKind<KubeObject & { spec: Spec; status?: Status }>;

export type ObjectFor<K> = K extends DeclaredKind<infer T> ? T : never;

export function defineKind<Spec, Status = Record<never, never>>(declaration: KindDeclaration<Spec, Status>): Kind<Spec, Status> {
  const { group, version, kind, plural, scope, description } = declaration;
  return { group, version, kind, resource: plural, scope, description, definition: () => definitionOf(declaration) };
}

/** A kind whose fields stand beside `metadata`, without a spec. */
export function defineFlatKind<Fields>(declaration: FlatKindDeclaration<Fields>): DeclaredKind<KubeObject & Fields> {
  const { group, version, kind, plural, scope, description, fields, hasStatus = false } = declaration;
  return {
    group,
    version,
    kind,
    resource: plural,
    scope,
    description,
    definition: () => definitionFor(declaration, fields.json, hasStatus),
  };
}

function definitionOf(declaration: KindDeclaration<unknown, unknown>): KubeObject {
  const { spec, status } = declaration;
  const fields = { required: ['spec'], properties: { spec: spec.json, ...(status && { status: status.json }) } };
  return definitionFor(declaration, fields, status !== undefined);
}

function definitionFor(declaration: Naming, fields: JsonObject, hasStatus: boolean): KubeObject {
  const { group, version, kind, plural, scope, shortNames, categories, description, columns, selectable, rules } = declaration;
  const schema: JsonObject = {
    ...fields,
    type: 'object',
    description,
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      ...(fields['properties'] as JsonObject),
    },
    ...(rules && { 'x-kubernetes-validations': rules as never }),
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, labels: { 'app.kubernetes.io/managed-by': 'drover' } },
    spec: {
      group,
      scope,
      names: {
        kind,
        plural,
        singular: kind.toLowerCase(),
        listKind: `${kind}List`,
        ...(shortNames && { shortNames }),
        ...(categories && { categories }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...(hasStatus && { subresources: { status: {} } }),
          ...(columns && { additionalPrinterColumns: columns.map(({ path, ...column }) => ({ ...column, jsonPath: path })) }),
          ...(selectable && { selectableFields: selectable.map(jsonPath => ({ jsonPath })) }),
        },
      ],
    },
  };
}

/** An object of a kind with what every object must have. */
export function newObject<Spec, Status>(
  kind: Kind<Spec, Status>,
  metadata: KubeObject['metadata'],
  spec: Spec,
): KubeObject & { spec: Spec; status?: Status } {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata, spec };
}

/** Items of lists leave their type out, and so may those who write. */
export function withType<T extends object>(kind: KindRef, obj: T): T & { apiVersion: string; kind: string } {
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, ...obj };
}

export type SpecOf<K> = K extends Kind<infer Spec, unknown> ? Spec : never;
export type StatusOf<K> = K extends Kind<unknown, infer Status> ? Status : never;
export type { TypeOf };
