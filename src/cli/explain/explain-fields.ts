import { CommandError } from '../exit-codes.ts';
import {
  propertiesOf,
  propertyOf,
  resolveRef,
  schemaOf,
  valuesOf,
  type GroupVersionKind,
  type OpenApiDocument,
  type OpenApiSchema,
} from '../../api/openapi-schema.ts';
import { indented, wrapWords } from './wrap-words.ts';

export interface FieldQuestion {
  readonly document: OpenApiDocument;
  readonly gvk: GroupVersionKind;
  /** Names of fields, from the top. */
  readonly path: readonly string[];
  readonly isRecursive: boolean;
}

/** What a kind, or a field of it, is for: the text of `kubectl explain`, to the byte. */
export function explainFields({ document, gvk, path, isRecursive }: FieldQuestion): string {
  const schema = schemaOf(document, gvk);
  if (!schema)
    throw new CommandError(`the server describes no fields of ${gvk.kind}`, { hint: 'a kind without a schema takes whatever is written' });
  const found = follow(document, schema, path);
  if (!found) throw noSuchField(document, schema, path);
  const head = `${gvk.group === '' ? '' : `GROUP:      ${gvk.group}\n`}KIND:       ${gvk.kind}\nVERSION:    ${gvk.version}\n\n`;
  const field = path.length === 0 ? '' : `FIELD: ${path.at(-1)} <${typeOf(document, found)}>\n${longEnum(found)}\n\n`;
  const resolved = resolveRef(document, found.$ref) ?? found;
  const description = indented(wrapWords(descriptionOf(document, resolved) || '<empty>', 76), 4);
  const fields = fieldList({ document, isRecursive }, resolved, 1, new Set());
  return `${head}${field}DESCRIPTION:\n${description}\n${externalDocs(resolved, { head: 0, body: 4, width: 76 })}${fields === '' ? '' : `FIELDS:\n${fields}`}\n`;
}

/** The schema of the field, through lists, maps and references. */
function follow(
  document: OpenApiDocument,
  schema: OpenApiSchema,
  path: readonly string[],
  seen = new Set<string>(),
): OpenApiSchema | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  if (schema.$ref !== undefined && seen.has(schema.$ref)) return undefined;
  const resolved = resolveRef(document, schema.$ref) ?? schema;
  const passed = schema.$ref === undefined ? seen : new Set([...seen, schema.$ref]);
  const property = propertyOf(resolved, name);
  if (property) return follow(document, property, rest);
  const inner = resolved.items ?? valuesOf(resolved);
  if (inner) return follow(document, inner, path, passed);
  for (const one of resolved.allOf ?? []) {
    const found = follow(document, one, path, passed);
    if (found) return found;
  }
  return undefined;
}

function noSuchField(document: OpenApiDocument, schema: OpenApiSchema, path: readonly string[]): CommandError {
  const at = path.findIndex((_, i) => !follow(document, schema, path.slice(0, i + 1)));
  const above = follow(document, schema, path.slice(0, at))!;
  const names = fieldNames(document, above);
  const where = at === 0 ? 'there are' : `${path.slice(0, at).join('.')} has`;
  return new CommandError(`field "${path[at]}" does not exist`, {
    hint: names.length === 0 ? `${path.slice(0, at).join('.')} has no fields of its own` : `${where}: ${names.join(', ')}`,
  });
}

/** Names of the fields right below, through lists, maps and references. */
export function fieldNames(document: OpenApiDocument, schema: OpenApiSchema, seen = new Set<string>()): string[] {
  if (schema.$ref !== undefined && seen.has(schema.$ref)) return [];
  const passed = schema.$ref === undefined ? seen : new Set([...seen, schema.$ref]);
  const resolved = resolveRef(document, schema.$ref) ?? schema;
  const below = [resolved.items, valuesOf(resolved), ...(resolved.allOf ?? [])].filter(one => one !== undefined);
  return [...propertiesOf(resolved).map(([name]) => name), ...below.flatMap(one => fieldNames(document, one, passed))];
}

/** Names of the fields below a path. Undefined when there is no such path. */
export function fieldsBelow({ document, gvk, path }: Omit<FieldQuestion, 'isRecursive'>): string[] | undefined {
  const schema = schemaOf(document, gvk);
  const found = schema && follow(document, schema, path);
  return found && fieldNames(document, found);
}

function descriptionOf(document: OpenApiDocument, schema: OpenApiSchema): string {
  const resolved = resolveRef(document, schema.$ref) ?? schema;
  const below = [...(resolved.allOf ?? []), resolved.items, valuesOf(resolved)].filter(one => one !== undefined);
  const own = resolved.description ? `${resolved.description}\n` : '';
  return own + below.map(one => descriptionOf(document, one)).join('');
}

interface ListOptions {
  readonly document: OpenApiDocument;
  readonly isRecursive: boolean;
}

function fieldList(options: ListOptions, schema: OpenApiSchema, level: number, seen: ReadonlySet<string>): string {
  if (schema.$ref !== undefined && seen.has(schema.$ref)) return '';
  const passed = schema.$ref === undefined ? seen : new Set([...seen, schema.$ref]);
  const resolved = resolveRef(options.document, schema.$ref) ?? schema;
  const own = propertiesOf(resolved).map(
    ([name, property]) =>
      fieldDetail(options, { name, property, isRequired: resolved.required?.includes(name) ?? false, level }) +
      (options.isRecursive ? fieldList(options, property, level + 1, passed) : ''),
  );
  const below = [...(resolved.allOf ?? []), resolved.items, valuesOf(resolved)].filter(one => one !== undefined);
  return own.join('') + below.map(one => fieldList(options, one, level, passed)).join('');
}

interface Field {
  readonly name: string;
  readonly property: OpenApiSchema;
  readonly isRequired: boolean;
  readonly level: number;
}

function fieldDetail({ document, isRecursive }: ListOptions, { name, property, isRequired, level }: Field): string {
  const by = level * 2;
  const line = `${indented(name, by)}\t<${typeOf(document, property)}>${isRequired ? ' -required-' : ''}${shortEnum(property, by)}\n`;
  if (isRecursive) return line;
  const description = indented(wrapWords(property.description || '<no description>', 78 - by), by + 2);
  return `${line}${description}\n${externalDocs(property, { head: by + 2, body: by + 4, width: 76 - by })}\n`;
}

function externalDocs({ externalDocs: docs }: OpenApiSchema, { head, body, width }: { head: number; body: number; width: number }): string {
  if (!docs) return '';
  const description = docs.description ? `${indented(wrapWords(docs.description, width), body)}\n` : '';
  const url = docs.url ? `${indented(`URL: ${docs.url}`, body)}\n` : '';
  return `\n${indented('EXTERNAL DOCS:', head)}\n${description}${url}`;
}

function typeOf(document: OpenApiDocument, schema: OpenApiSchema): string {
  const values = valuesOf(schema);
  if (schema.items) return `[]${typeOf(document, schema.items)}`;
  if (values) return `map[string]${typeOf(document, values)}`;
  if (schema.allOf?.length === 1 && !schema.properties) return typeOf(document, schema.allOf[0]!);
  if (schema.$ref === undefined) return !schema.type || schema.type === 'object' ? 'Object' : schema.type;
  const type = resolveRef(document, schema.$ref)?.type;
  return !type || type === 'object' ? schema.$ref.split('/').at(-1)!.split('.').at(-1) || 'Object' : type;
}

const shownValue = (value: unknown): string => (value === '' ? '""' : typeof value === 'string' ? value : JSON.stringify(value));
const maxShortValues = 4;

function shortEnum({ enum: values }: OpenApiSchema, by: number): string {
  if (!values || values.length === 0) return '';
  const more = values.length > maxShortValues ? ', ....' : '';
  return `\n${' '.repeat(by)}enum: ${values.slice(0, maxShortValues).map(shownValue).join(', ')}${more}`;
}

const longEnum = ({ enum: values }: OpenApiSchema): string =>
  values && values.length > 0 ? `ENUM:${values.map(value => `\n    ${shownValue(value)}`).join('')}` : '';
