import { anyMap, anyType, boolType, float64Type, int64Type, intType, stringType, type GoType } from './go-type.ts';
import { GoFunction, GoInt, type GoMap, type GoValue } from './go-value.ts';

/** Parameters by their names in Go; integers arrive as numbers. */
interface Params {
  any: GoValue;
  string: string;
  int: number;
  int64: number;
  float64: number;
  bool: boolean;
  map: GoMap;
}

const typesByName: Readonly<Record<keyof Params, GoType>> = {
  any: anyType,
  string: stringType,
  int: intType,
  int64: int64Type,
  float64: float64Type,
  bool: boolType,
  map: anyMap,
};

type ParamName = keyof Params;
const typeNamed = (name: ParamName): GoType => typesByName[name];
type Args<P extends readonly ParamName[]> = { -readonly [I in keyof P]: Params[P[I]] };

const unwrap = (value: GoValue): never => (value instanceof GoInt ? Number(value.value) : value) as never;
const unwraps = (name: ParamName): boolean => name === 'int' || name === 'int64';

/** A function for templates with a fixed number of parameters. */
export function fn<const P extends readonly ParamName[]>(params: P, call: (...args: Args<P>) => GoValue): GoFunction {
  const integers = params.map(unwraps);
  const types = params.map(typeNamed);
  const plain = call as unknown as (...args: GoValue[]) => GoValue;
  if (!integers.includes(true)) return new GoFunction(types, args => plain(...args));
  return new GoFunction(types, args => plain(...args.map((arg, i) => (integers[i] ? unwrap(arg) : arg))));
}

/** A function for templates whose last parameter may come any number of times. */
export function variadic<const P extends readonly ParamName[], R extends ParamName>(
  params: P,
  rest: R,
  call: (...args: [...Args<P>, ...Params[R][]]) => GoValue,
): GoFunction {
  const integers = [...params, rest].map(unwraps);
  const types = [...params, rest].map(typeNamed);
  const plain = call as unknown as (...args: GoValue[]) => GoValue;
  if (!integers.includes(true)) return new GoFunction(types, args => plain(...args), true);
  const unwrapped = (args: GoValue[]): GoValue[] => args.map((arg, i) => (integers[Math.min(i, params.length)] ? unwrap(arg) : arg));
  return new GoFunction(types, args => plain(...unwrapped(args)), true);
}
