import { at, invalid, required, type FieldError } from '../../api/field-error.ts';
import type { ObjectMeta } from '../../api/object.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { isDns1035Label, isPathSegmentName } from '../../api/names.ts';
import { validateObjectMeta } from '../validation/object-meta.ts';
import { fieldOf, isEmbedded, itemsOf, propertyOf, schemaHas, type SchemaProps } from './schema-props.ts';

const hasEmbedded = new WeakMap<SchemaProps, boolean>();

/** Type and metadata of resources inside the object. The root's own are checked elsewhere. */
export function validateEmbeddedResources(value: Json | undefined, schema: SchemaProps, path = ''): FieldError[] {
  if (typeof value !== 'object' || value === null || !matters(schema)) return [];
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    return items ? value.flatMap((item, i) => validateEmbeddedResources(item, items, at.index(path, i))) : [];
  }
  const below = Object.entries(value).flatMap(([key, member]) => {
    const child = fieldOf(schema, key);
    if (!child) return [];
    return validateEmbeddedResources(member, child, propertyOf(schema, key) ? at.child(path, key) : at.key(path, key));
  });
  return isEmbedded(schema) ? [...validateResource(value, path), ...below] : below;
}

function matters(schema: SchemaProps): boolean {
  let known = hasEmbedded.get(schema);
  if (known === undefined) hasEmbedded.set(schema, (known = schemaHas(schema, isEmbedded)));
  return known;
}

export function validateResource(value: JsonObject, path: string): FieldError[] {
  const { apiVersion, kind, metadata } = value;
  const errors: FieldError[] = [];
  if (apiVersion === undefined) errors.push(required(at.child(path, 'apiVersion')));
  else errors.push(...validateApiVersion(apiVersion, at.child(path, 'apiVersion')));
  if (kind === undefined) errors.push(required(at.child(path, 'kind')));
  else errors.push(...validateKind(kind, at.child(path, 'kind')));
  if (isJsonObject(metadata)) {
    const meta = { name: 'fakename', ...metadata } as ObjectMeta;
    errors.push(
      ...validateObjectMeta(meta, { namespaced: (meta.namespace ?? '') !== '', nameRule: isPathSegmentName }, at.child(path, 'metadata')),
    );
  }
  return errors;
}

function validateApiVersion(apiVersion: Json, path: string): FieldError[] {
  if (typeof apiVersion !== 'string') return [invalid(path, apiVersion, 'must be a string')];
  if (apiVersion === '') return [invalid(path, apiVersion, 'must not be empty')];
  return apiVersion.split('/').length > 2 ? [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)] : [];
}

function validateKind(kind: Json, path: string): FieldError[] {
  if (typeof kind !== 'string') return [invalid(path, kind, 'must be a string')];
  if (kind === '') return [invalid(path, kind, 'must not be empty')];
  const problems = isDns1035Label(kind.toLowerCase());
  return problems.length > 0 ? [invalid(path, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`)] : [];
}
