/** As far as it is read here. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  /** Where references lead. */
  readonly root?: Readonly<Record<string, Schema>>;
}

export interface FieldHelp {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** The fields that may stand below a path. */
export function fieldsAt(schema: Schema, path: readonly string[]): FieldHelp[] {
  const root = schema.root ?? {};
  let at: Schema | undefined = resolve(schema, root);
  for (const step of path) {
    at = at && insideOf(at, root);
    const more: Schema | boolean | undefined = at?.additionalProperties;
    at = at && (at.properties?.[step] ?? (typeof more === 'object' ? more : undefined));
    at = at && resolve(at, root);
  }
  at = at && insideOf(at, root);
  return Object.entries(at?.properties ?? {}).map(([name, field]) => {
    const { type = 'object', format, description = field.description ?? '' } = resolve(field, root);
    return {
      name,
      type: format && type === 'string' ? format : type,
      description: field.description ?? description,
      isRequired: at!.required?.includes(name) ?? false,
    };
  });
}

/** Of a list what its items are. */
function insideOf(schema: Schema, root: Readonly<Record<string, Schema>>): Schema {
  return schema.items ? insideOf(resolve(schema.items, root), root) : schema;
}

function resolve(schema: Schema, root: Readonly<Record<string, Schema>>): Schema {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  const target = ref === undefined ? undefined : root[ref.split('/').at(-1)!];
  return target ? { ...resolve(target, root), ...(schema.description && { description: schema.description }) } : schema;
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
