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

interface KindDeclaration<Spec, Status> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  readonly spec: Schema<Spec>;
  readonly status?: Schema<Status>;
  readonly columns?: readonly Column[];
  /** Rules over the whole object. */
  readonly rules?: readonly { rule: string; message: string }[];
}

/** A kind of our own or of a dialect, declared once: its type, its definition and its documentation come from here. */
export interface Kind<Spec = unknown, Status = unknown> extends KindRef<KubeObject & { spec: Spec; status?: Status }> {
  readonly description: string;
  /** The CustomResourceDefinition that makes an API server serve it. */
  definition(): KubeObject;
}

export type ObjectFor<K> = K extends Kind<infer Spec, infer Status> ? KubeObject & { spec: Spec; status?: Status } : never;

export function defineKind<Spec, Status = Record<never, never>>(declaration: KindDeclaration<Spec, Status>): Kind<Spec, Status> {
  const { group, version, kind, plural, scope, description } = declaration;
  return { group, version, kind, resource: plural, scope, description, definition: () => definitionOf(declaration) };
}

function definitionOf(declaration: KindDeclaration<unknown, unknown>): KubeObject {
  const { group, version, kind, plural, scope, shortNames, categories, description, spec, status, columns, rules } = declaration;
  const schema: JsonObject = {
    type: 'object',
    description,
    required: ['spec'],
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: spec.json,
      ...(status && { status: status.json }),
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
          ...(status && { subresources: { status: {} } }),
          ...(columns && { additionalPrinterColumns: columns.map(({ path, ...column }) => ({ ...column, jsonPath: path })) }),
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
