import {
  anyMap,
  anySlice,
  anyType,
  boolType,
  canBeNil,
  float64Type,
  int64Type,
  intType,
  isSigned,
  isUnsigned,
  stringType,
  type GoType,
} from './go-type.ts';

/**
 * A value as Go's templates see it.
 * - `undefined` is no value at all (a missing key after a pipeline), `null` a nil inside an interface (a missing key, or a YAML null);
 * - a `number` is a float64, other numbers are GoInt; a `string` holds text whose broken bytes, if any, are lone surrogates U+DC80 to U+DCFF;
 * - lists are []interface {} and maps map[string]interface {} unless they carry another type.
 */
export type GoValue = undefined | null | boolean | string | number | GoInt | GoSlice | GoMap | GoObject | GoFunction;

export interface GoSlice extends Array<GoValue> {
  goType?: GoType;
  /** Methods of a named slice type, by name. */
  goMethods?: ReadonlyMap<string, GoFunction>;
}

export interface GoMap extends Map<string, GoValue> {
  goType?: GoType;
  /** A map that was never made: empty, but JSON's null. */
  isNil?: boolean;
  /** Stands for a struct: JSON has its fields in this order. */
  isOrdered?: boolean;
  /** Methods of a named map type, by name. */
  goMethods?: ReadonlyMap<string, GoFunction>;
}

/** An integer of one of Go's types, always within its range. */
export class GoInt {
  readonly value: bigint;
  readonly type: GoType;

  constructor(value: bigint, type: GoType) {
    this.value = value;
    this.type = type;
  }
}

/** A struct or another type with methods. */
export abstract class GoObject {
  abstract readonly goType: GoType;

  /** Whether `if` takes it for false. */
  get isZero(): boolean {
    return false;
  }

  /** A field that templates may read; undefined when there is none of the name. */
  field(_name: string): { value: GoValue } | undefined {
    return undefined;
  }

  method(_name: string): GoFunction | undefined {
    return undefined;
  }

  /** What JSON and YAML make of it; undefined: its text. */
  toJson(): GoValue {
    return undefined;
  }

  /** How `%v` and actions print it. */
  abstract print(): string;
}

/** A function that templates may call. Types of parameters decide what is let in and what the errors say. */
export class GoFunction {
  readonly params: readonly GoType[];
  readonly isVariadic: boolean;
  readonly call: (args: GoValue[]) => GoValue;

  constructor(params: readonly GoType[], call: (args: GoValue[]) => GoValue, isVariadic = false) {
    this.params = params;
    this.isVariadic = isVariadic;
    this.call = call;
  }
}

/** An error that a function returned, or what it panicked with. */
export class GoError extends Error {
  override name = 'GoError';
}

export const int = (value: number): GoInt => new GoInt(BigInt(value), intType);
export const int64 = (value: bigint): GoInt => new GoInt(BigInt.asIntN(64, value), int64Type);

export function typed<T extends GoSlice | GoMap>(value: T, goType: GoType): T {
  value.goType = goType;
  return value;
}

/** The type of a value; a nil inside an interface has the type of the interface. No value has none. */
export function typeOf(value: Exclude<GoValue, undefined>): GoType {
  if (value === null) return anyType;
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'number':
      return float64Type;
    case 'boolean':
      return boolType;
  }
  if (value instanceof GoInt) return value.type;
  if (Array.isArray(value)) return value.goType ?? anySlice;
  if (value instanceof Map) return value.goType ?? anyMap;
  if (value instanceof GoObject) return value.goType;
  return { name: functionTypeName(value), kind: 'func' };
}

function functionTypeName({ params, isVariadic }: GoFunction): string {
  const names = params.map((type, i) => (isVariadic && i === params.length - 1 ? `...${type.name}` : type.name));
  return `func(${names.join(', ')}) interface {}`;
}

/** The zero value of a type. */
export function zeroOf(type: GoType): GoValue {
  if (type.kind === 'string') return '';
  if (type.kind === 'bool') return false;
  if (type.kind === 'float64') return 0;
  if (isSigned(type) || isUnsigned(type)) return new GoInt(0n, type);
  if (type.kind === 'slice') return typed([], type);
  if (type.kind === 'map') {
    const none = typed<GoMap>(new Map<string, GoValue>(), type);
    none.isNil = true;
    return none;
  }
  return canBeNil(type) && type.kind !== 'reflect' ? null : undefined;
}

/** What `if`, `and`, `or`, `not` and `with` go by. */
export function isTrue(value: GoValue): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value.length > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof Map) return value.size > 0;
  if (value instanceof GoInt) return value.value !== 0n;
  return !(value instanceof GoObject && value.isZero);
}

export const isInt = (value: GoValue): value is GoInt => value instanceof GoInt;
export const isMap = (value: GoValue): value is GoMap => value instanceof Map;
export const isSlice = (value: GoValue): value is GoSlice => Array.isArray(value);
