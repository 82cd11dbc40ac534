import type { CustomResourceDefinition } from './builtin-kinds.ts';
import type { DeclaredKind } from './define-kind.ts';
import { getMember, isJsonObject, type Json, type JsonObject } from '../util/json.ts';

/** A document of OpenAPI v3 as API servers serve it. Whoever wrote it may have left out anything. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly allOf?: readonly OpenApiSchema[];
  readonly enum?: readonly Json[];
  readonly default?: Json;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly externalDocs?: { readonly description?: string; readonly url?: string };
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const refPrefix = '#/components/schemas/';

/** What a reference leads to. Undefined when it leads nowhere. */
export const resolveRef = ({ components }: OpenApiDocument, ref: string | undefined): OpenApiSchema | undefined =>
  ref?.startsWith(refPrefix) ? getMember(components?.schemas ?? {}, ref.slice(refPrefix.length)) : undefined;

/** The schema of a kind. */
export function schemaOf({ components }: OpenApiDocument, wanted: GroupVersionKind): OpenApiSchema | undefined {
  const schemas = Object.entries(components?.schemas ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const isWanted = (one: GroupVersionKind) => one.group === wanted.group && one.version === wanted.version && one.kind === wanted.kind;
  return schemas.find(([, schema]) => schema['x-kubernetes-group-version-kind']?.some(isWanted))?.[1];
}

/** The schema of a kind that is declared here. */
export const schemaOfDeclared = (kind: DeclaredKind): OpenApiSchema =>
  (kind.definition() as CustomResourceDefinition).spec!.versions[0]!.schema!.openAPIV3Schema as OpenApiSchema;

/** The schema of the values of a map. */
export const valuesOf = ({ additionalProperties }: OpenApiSchema): OpenApiSchema | undefined =>
  isJsonObject(additionalProperties as Json | undefined) ? (additionalProperties as OpenApiSchema & JsonObject) : undefined;

export const propertyOf = ({ properties = {} }: OpenApiSchema, name: string): OpenApiSchema | undefined => getMember(properties, name);

export const propertiesOf = ({ properties = {} }: OpenApiSchema): [string, OpenApiSchema][] =>
  Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1));
