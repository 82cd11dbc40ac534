/** A static CEL type, as the checker sees it. Objects know their fields; opaque types are known by name only. */
export type CelType =
  | { readonly kind: 'dyn' }
  | { readonly kind: 'error' }
  | { readonly kind: 'simple'; readonly name: SimpleTypeName }
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'list'; readonly element: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly value: CelType }
  | { readonly kind: 'type'; readonly of?: CelType }
  | { readonly kind: 'param'; readonly name: string }
  | ObjectType;

export type SimpleTypeName = 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'null_type' | 'timestamp' | 'duration';

export interface ObjectType {
  readonly kind: 'object';
  readonly name: string;
  /** By the name an expression uses, which is the escaped one. Undefined when the field is not declared. */
  field(name: string): ObjectField | undefined;
}

export interface ObjectField {
  /** The name in JSON. */
  readonly jsonName: string;
  readonly type: CelType;
}

const simple = (name: SimpleTypeName): CelType => ({ kind: 'simple', name });

export const celTypes = {
  dyn: { kind: 'dyn' } as CelType,
  error: { kind: 'error' } as CelType,
  bool: simple('bool'),
  int: simple('int'),
  uint: simple('uint'),
  double: simple('double'),
  string: simple('string'),
  bytes: simple('bytes'),
  null: simple('null_type'),
  timestamp: simple('timestamp'),
  duration: simple('duration'),
  type: { kind: 'type' } as CelType,
  list: (element: CelType): CelType => ({ kind: 'list', element }),
  map: (key: CelType, value: CelType): CelType => ({ kind: 'map', key, value }),
  optional: (value: CelType): CelType => ({ kind: 'optional', value }),
  opaque: (name: string): CelType => ({ kind: 'opaque', name }),
  param: (name: string): CelType => ({ kind: 'param', name }),
  /** An object whose fields are all declared: `{ name: celTypes.string }`. */
  object: (name: string, fields: Readonly<Record<string, CelType>>): CelType => {
    const declared = new Map(Object.entries(fields).map(([field, type]) => [field, { jsonName: field, type }]));
    return { kind: 'object', name, field: field => declared.get(field) };
  },
};

export function printType(type: CelType): string {
  switch (type.kind) {
    case 'dyn':
      return 'dyn';
    case 'error':
      return '*error*';
    case 'simple':
      if (type.name === 'null_type') return 'null';
      if (type.name === 'timestamp') return 'google.protobuf.Timestamp';
      return type.name === 'duration' ? 'google.protobuf.Duration' : type.name;
    case 'opaque':
    case 'object':
    case 'param':
      return type.name;
    case 'list':
      return `list(${printType(type.element)})`;
    case 'map':
      return `map(${printType(type.key)}, ${printType(type.value)})`;
    case 'optional':
      return `optional_type(${printType(type.value)})`;
    case 'type':
      return type.of ? `type(${printType(type.of)})` : 'type';
  }
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const expansions: Record<string, string> = { __: '__underscores__', '.': '__dot__', '-': '__dash__', '/': '__slash__' };

/** The name of a JSON field inside an expression, or undefined when it cannot be named there. */
export function escapeFieldName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reserved.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, found => expansions[found]!);
}

/** The opposite of `escapeFieldName`. */
export function unescapeFieldName(escaped: string): string {
  return escaped.replace(/__([a-z]+)__/g, (whole, word: string) => {
    if (word === 'underscores') return '__';
    if (word === 'dot') return '.';
    if (word === 'dash') return '-';
    if (word === 'slash') return '/';
    return reserved.has(word) ? word : whole;
  });
}
