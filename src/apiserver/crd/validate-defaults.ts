import { at, invalid, type FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/object.ts';
import { cloneJson, isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { validateRules } from './cel-rules.ts';
import { validateEmbeddedResources, validateResource } from './embedded-resources.ts';
import { isEmbedded, itemsOf, type SchemaProps } from './schema-props.ts';
import { shapeCustomObject } from './shape-custom-object.ts';
import { valueValidator } from './validate-value.ts';

/** Defaults are values of their own schema: known fields only, valid, and kept by the rules. */
export function validateDefaults(schema: SchemaProps, path: string): FieldError[] {
  return visit(schema, path, { isRoot: true, surround: value => value });
}

interface Place {
  readonly isRoot: boolean;
  /** Set inside metadata: puts a default where it belongs in a resource. */
  readonly inMeta?: boolean;
  readonly surround: (value: Json) => Json;
}

function visit(schema: SchemaProps, path: string, place: Place): FieldError[] {
  const isResource = place.isRoot || isEmbedded(schema);
  const here: Place = isEmbedded(schema) ? { isRoot: false, surround: value => value } : place;
  const errors: FieldError[] = [];
  if (schema.default !== undefined && schema.default !== null)
    errors.push(...defaultErrors(schema, schema.default, at.child(path, 'default'), here));
  const items = itemsOf(schema);
  if (items) errors.push(...visit(items, at.child(path, 'items'), { ...here, isRoot: false, surround: value => here.surround([value]) }));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta = isResource && (name === 'metadata' || name === 'apiVersion' || name === 'kind');
    errors.push(
      ...visit(property, at.key(at.child(path, 'properties'), name), {
        isRoot: false,
        inMeta: isMeta || here.inMeta === true,
        surround: value => here.surround({ [name]: value }),
      }),
    );
  }
  return errors;
}

function defaultErrors(schema: SchemaProps, value: Json, path: string, place: Place): FieldError[] {
  if (place.inMeta === true) {
    const problem = metadataProblem(place.surround(value));
    if (problem !== undefined) return [invalid(path, value, `must result in valid metadata: ${problem}`)];
  } else if (!isPruned(value, schema)) return [invalid(path, value, 'must not have unknown fields')];
  const embedded = validateEmbeddedResources(value, schema, path);
  if (embedded.length > 0) return embedded;
  const errors: FieldError[] = [];
  valueValidator(schema)(value, '', undefined, { prefix: path, errors });
  if (errors.length > 0) return errors;
  const isResourceRoot = isEmbedded(schema);
  const asUnchanged = validateRules(value, schema, { path, old: value, isResourceRoot });
  return asUnchanged.length > 0 ? asUnchanged : validateRules(value, schema, { path, isResourceRoot });
}

/** Pruning works on whole objects, so the default becomes a field of one. */
function isPruned(value: Json, schema: SchemaProps): boolean {
  const problems: string[] = [];
  const holder = { apiVersion: 'validation/v1', kind: 'Validation', metadata: {}, value: cloneJson(value) } as unknown as KubeObject;
  try {
    shapeCustomObject(holder, { type: 'object', properties: { value: { ...schema, nullable: true } } }, problems);
  } catch {
    return true;
  }
  return problems.length === 0;
}

function metadataProblem(surrounded: Json): string | undefined {
  const resource: JsonObject = { apiVersion: 'validation/v1', kind: 'Validation', ...(isJsonObject(surrounded) ? surrounded : {}) };
  try {
    const shaped = shapeCustomObject(resource as unknown as KubeObject, { type: 'object' }, []);
    const errors = validateResource(
      { ...resource, ...(shaped.metadata !== undefined && { metadata: shaped.metadata as unknown as Json }) },
      '',
    );
    if (errors.length === 0) return undefined;
    const lines = errors.map(error => `${error.field}: ${error.message}`);
    return lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
