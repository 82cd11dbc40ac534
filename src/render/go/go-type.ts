/** What the rules of Go's templates ask about a type: its name in messages, its kind, and what it holds. */
export interface GoType {
  readonly name: string;
  readonly kind: GoKind;
  /** Elements of slices and maps. */
  readonly elem?: GoType;
  /** Of a named type: the type it was made from. */
  readonly underlying?: GoType;
}

export type GoKind =
  | 'interface'
  | 'reflect'
  | 'bool'
  | 'string'
  | 'int'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float32'
  | 'float64'
  | 'complex128'
  | 'slice'
  | 'map'
  | 'struct'
  | 'ptr'
  | 'func';

const basic = (kind: GoKind): GoType => ({ name: kind, kind });

export const anyType: GoType = { name: 'interface {}', kind: 'interface' };
/** A parameter that takes whatever there is, even nothing. */
export const reflectType: GoType = { name: 'reflect.Value', kind: 'reflect' };
export const boolType = basic('bool');
export const stringType = basic('string');
export const intType = basic('int');
export const int64Type = basic('int64');
export const uint8Type = basic('uint8');
export const uint32Type = basic('uint32');
export const uint64Type = basic('uint64');
export const float64Type = basic('float64');

const slices = new Map<GoType, GoType>();
const maps = new Map<GoType, GoType>();

export function sliceOf(elem: GoType): GoType {
  return remembered(slices, elem, () => ({ name: `[]${elem.name}`, kind: 'slice', elem }));
}

/** Keys are strings: templates meet no other maps. */
export function mapOf(elem: GoType): GoType {
  return remembered(maps, elem, () => ({ name: `map[string]${elem.name}`, kind: 'map', elem }));
}

export const anySlice = sliceOf(anyType);
export const stringSlice = sliceOf(stringType);
export const intSlice = sliceOf(intType);
export const byteSlice = sliceOf(uint8Type);
export const anyMap = mapOf(anyType);
export const stringMap = mapOf(stringType);

export const namedType = (name: string, underlying: GoType): GoType => ({ ...underlying, name, underlying });

const integerKinds = new Set<GoKind>(['int', 'int8', 'int16', 'int32', 'int64']);
const unsignedKinds = new Set<GoKind>(['uint', 'uint8', 'uint16', 'uint32', 'uint64']);

export const isSigned = (type: GoType): boolean => integerKinds.has(type.kind);
export const isUnsigned = (type: GoType): boolean => unsignedKinds.has(type.kind);

/** Whether Go lets a value of one type stand where the other is asked for. Two named types of the same make are not the same. */
export function isAssignable(from: GoType, to: GoType): boolean {
  if (from === to || to.kind === 'interface' || to.kind === 'reflect') return true;
  if (from.name === to.name) return true;
  if (from.underlying && !to.underlying && to.kind !== 'string') return from.underlying.name === to.name;
  return to.underlying !== undefined && !from.underlying && to.kind !== 'string' && to.underlying.name === from.name;
}

export function canBeNil(type: GoType): boolean {
  return ['interface', 'reflect', 'map', 'slice', 'ptr', 'func'].includes(type.kind);
}

function remembered(known: Map<GoType, GoType>, elem: GoType, make: () => GoType): GoType {
  let type = known.get(elem);
  if (!type) {
    type = make();
    known.set(elem, type);
  }
  return type;
}
