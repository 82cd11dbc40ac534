import { propertyOf, resolveRef, valuesOf, type OpenApiDocument, type OpenApiSchema } from '../../../api/openapi-schema.ts';

/** The schema of a kind, and where its references lead. */
export interface KindSchema {
  readonly document: OpenApiDocument;
  readonly schema: OpenApiSchema;
}

export interface FieldHelp {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What may stand there, where that is a few words. */
  readonly values: readonly string[];
}

/** The fields that may stand below a path. */
export function fieldsAt({ document, schema }: KindSchema, path: readonly string[]): FieldHelp[] {
  let at: OpenApiSchema | undefined = insideOf(document, schema);
  for (const step of path) {
    const below: OpenApiSchema | undefined = propertyOf(at, step) ?? valuesOf(at);
    if (!below) return [];
    at = insideOf(document, below);
  }
  const { properties = {}, required = [] } = at;
  return Object.entries(properties).map(([name, field]) => {
    const { type = 'object', format, description = '', enum: words = [] } = resolve(document, field);
    return {
      name,
      type: format && type === 'string' ? format : type,
      description: field.description ?? description,
      isRequired: required.includes(name),
      values: type === 'boolean' ? ['true', 'false'] : words.filter(one => typeof one === 'string' && one !== '').map(String),
    };
  });
}

/** Of a list what its items are. */
function insideOf(document: OpenApiDocument, schema: OpenApiSchema): OpenApiSchema {
  const { items, ...resolved } = resolve(document, schema);
  return items ? insideOf(document, items) : resolved;
}

function resolve(document: OpenApiDocument, schema: OpenApiSchema): OpenApiSchema {
  const target = resolveRef(document, schema.$ref ?? schema.allOf?.[0]?.$ref);
  return target ? { ...resolve(document, target), ...(schema.description && { description: schema.description }) } : schema;
}

/** The names that lead to the field on a line of YAML, by its indentation; the last one may not be written yet. */
export function fieldPath(text: string, lineNumber: number): string[] {
  const lines = text.split('\n');
  const path: string[] = [];
  let indent = Infinity;
  for (let i = lineNumber; i >= 0 && indent > 0; i--) {
    const [, lead = '', dashes = '', key = ''] = /^(\s*)((?:- +)*)([\w./-]*)/.exec(lines[i]!) ?? [];
    const column = lead.length + dashes.length;
    const isKey = i === lineNumber || /^\s*(?:- +)*[\w./-]+:/.test(lines[i]!);
    if (!isKey || (i !== lineNumber && column >= indent)) continue;
    path.unshift(key);
    // What stands behind a dash belongs to the list whose name is at the dash or before it.
    indent = dashes === '' ? column : lead.length + 1;
  }
  return path;
}
