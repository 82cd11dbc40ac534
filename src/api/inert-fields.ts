import { isJsonObject, type Json } from '../util/json.ts';
import type { KubeObject } from './object.ts';
import { propertyOf, valuesOf, type OpenApiSchema } from './openapi-schema.ts';

const mark = 'Not acted upon here';

/**
 * The description of a field that is kept because its owners have it, and that changes nothing here. Said in the declaration, it is said by `kubectl explain`, in the
 * pages about kinds, by the page and in warnings: whoever serves the schema tells it.
 */
export const inert = (description: string, why = ''): string => `${description} ${mark}${why && `: ${why}`}.`;

/** Why nothing comes of a field; undefined where something does. */
export function whyInert(description: string | undefined): string | undefined {
  const at = description?.indexOf(mark) ?? -1;
  if (at < 0) return undefined;
  return description!
    .slice(at + mark.length)
    .replace(/^: /, '')
    .replace(/\.$/, '');
}

export interface InertField {
  /** `.spec.services[0].helmOptions.waitForJobs`. */
  readonly path: string;
  readonly why: string;
}

/** Fields that an object has and of which nothing comes: those that are declared so, and those that are not declared where anything may be written. */
export function inertFieldsIn(object: KubeObject, schema: OpenApiSchema): InertField[] {
  const own = Object.entries(object).filter(([name]) => !serverFields.has(name));
  return own.flatMap(([name, value]) => below(value as Json, `.${name}`, propertyOf(schema, name), schema));
}

const serverFields = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const unknown = 'the hub does not know it';

function below(value: Json | undefined, path: string, schema: OpenApiSchema | undefined, parent: OpenApiSchema): InertField[] {
  if (!schema) return isOpen(parent) && !isIdle(value, undefined) ? [{ path, why: unknown }] : [];
  const why = whyInert(schema.description);
  if (why !== undefined) return isIdle(value, schema) ? [] : [{ path, why }];
  if (Array.isArray(value)) return value.flatMap((one, i) => (schema.items ? below(one, `${path}[${i}]`, schema.items, schema) : []));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    below(one, `${path}.${name}`, propertyOf(schema, name) ?? valuesOf(schema), schema),
  );
}

/** Whether what is written there asks for nothing: what is off, empty, or what servers fill in. */
function isIdle(value: Json | undefined, schema: OpenApiSchema | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  if (schema?.default !== undefined && JSON.stringify(schema.default) === JSON.stringify(value)) return true;
  return typeof value === 'object' && Object.values(value).every(one => isIdle(one, undefined));
}

/** Of what anything may be written below it, without a word about it or as any object of Kubernetes, everything is meant. */
const isOpen = (schema: OpenApiSchema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true &&
  Object.keys(schema.properties ?? {}).some(name => !['apiVersion', 'kind', 'metadata'].includes(name));

/** Whether objects of a kind can have such fields at all. */
export function canBeInert(schema: OpenApiSchema, isRoot = true): boolean {
  if (whyInert(schema.description) !== undefined || isOpen(schema)) return true;
  const inside = Object.entries(schema.properties ?? {}).filter(([name]) => !(isRoot && serverFields.has(name)));
  const values = valuesOf(schema);
  return [...inside.map(([, one]) => one), ...(schema.items ? [schema.items] : []), ...(values ? [values] : [])].some(one =>
    canBeInert(one, false),
  );
}
