import { fn, variadic } from '../go/go-function.ts';
import { typeOf, type GoFunction, type GoValue } from '../go/go-value.ts';
import { deepEqual, isEmptyValue } from './convert.ts';

const nameOf = (value: GoValue): string => (value === null || value === undefined ? '<nil>' : typeOf(value).name);
const kindOf = (value: GoValue): string => (value === null || value === undefined ? 'invalid' : typeOf(value).kind);

export const defaultFunctions: Readonly<Record<string, GoFunction>> = {
  default: variadic(['any'], 'any', (fallback, ...given) => (given.length === 0 || isEmptyValue(given[0]) ? fallback : given[0])),
  empty: fn(['any'], isEmptyValue),
  coalesce: variadic([], 'any', (...values) => values.find(value => !isEmptyValue(value)) ?? null),
  all: variadic([], 'any', (...values) => values.every(value => !isEmptyValue(value))),
  any: variadic([], 'any', (...values) => values.some(value => !isEmptyValue(value))),
  ternary: fn(['any', 'any', 'bool'], (yes, no, condition) => (condition ? yes : no)),
  typeOf: fn(['any'], nameOf),
  typeIs: fn(['string', 'any'], (name, value) => name === nameOf(value)),
  typeIsLike: fn(['string', 'any'], (name, value) => name === nameOf(value) || `*${name}` === nameOf(value)),
  kindOf: fn(['any'], kindOf),
  kindIs: fn(['string', 'any'], (kind, value) => kind === kindOf(value)),
  deepEqual: fn(['any', 'any'], deepEqual),
};
