import { randomInt } from 'node:crypto';
import { fn, variadic } from '../go/go-function.ts';
import { intSlice, intType } from '../go/go-type.ts';
import { printValue } from '../go/go-format.ts';
import { takeRoom } from '../go/rendering.ts';
import { GoError, GoInt, int, int64, typed, type GoFunction, type GoSlice, type GoValue } from '../go/go-value.ts';
import { parseInteger, toFloat64, toInt64 } from './convert.ts';
import { decimalSum, decimalProduct, decimalQuotient, decimalDifference } from './decimal.ts';

export const numberFunctions: Readonly<Record<string, GoFunction>> = {
  atoi: fn(['string'], text => new GoInt(/^[+-]?[0-9]+$/.test(text) ? (inRange(BigInt(text)) ?? 0n) : 0n, intType)),
  int64: fn(['any'], value => int64(toInt64(value))),
  int: fn(['any'], value => new GoInt(toInt64(value), intType)),
  float64: fn(['any'], toFloat64),
  toDecimal: fn(['any'], value => int64(parseOctal(printValue(value)))),
  seq: variadic([], 'int', (...params) => sequence(params)),
  until: fn(['int'], count => range(0, count, count < 0 ? -1 : 1)),
  untilStep: fn(['int', 'int', 'int'], range),
  add1: fn(['any'], value => int64(toInt64(value) + 1n)),
  add: variadic([], 'any', (...values) => int64(values.reduce((sum: bigint, value) => BigInt.asIntN(64, sum + toInt64(value)), 0n))),
  sub: fn(['any', 'any'], (a, b) => int64(toInt64(a) - toInt64(b))),
  div: fn(['any', 'any'], (a, b) => int64(toInt64(a) / divisor(b))),
  mod: fn(['any', 'any'], (a, b) => int64(toInt64(a) % divisor(b))),
  mul: variadic(['any'], 'any', (first, ...others) =>
    int64(others.reduce((product: bigint, value) => BigInt.asIntN(64, product * toInt64(value)), toInt64(first))),
  ),
  randInt: fn(['int', 'int'], (min, max) => {
    if (max <= min) throw new GoError('invalid argument to Intn');
    return int(randomInt(min, max));
  }),
  add1f: fn(['any'], value => decimalSum([toFloat64(value), 1])),
  addf: variadic([], 'any', (...values) => decimalSum([0, ...values.map(toFloat64)])),
  subf: variadic(['any'], 'any', (first, ...others) => decimalDifference([first, ...others].map(toFloat64))),
  divf: variadic(['any'], 'any', (first, ...others) => decimalQuotient([first, ...others].map(toFloat64))),
  mulf: variadic(['any'], 'any', (first, ...others) => decimalProduct([first, ...others].map(toFloat64))),
  biggest: variadic(['any'], 'any', largest),
  max: variadic(['any'], 'any', largest),
  min: variadic(['any'], 'any', (...values) => int64(values.map(toInt64).reduce((a, b) => (b < a ? b : a)))),
  maxf: variadic(['any'], 'any', (...values) => Math.max(...values.map(toFloat64))),
  minf: variadic(['any'], 'any', (...values) => Math.min(...values.map(toFloat64))),
  ceil: fn(['any'], value => Math.ceil(toFloat64(value))),
  floor: fn(['any'], value => Math.floor(toFloat64(value))),
  round: variadic(['any', 'int'], 'float64', (value, places, on = 0.5) => round(toFloat64(value), places, on)),
};

const inRange = (value: bigint): bigint | undefined => (BigInt.asIntN(64, value) === value ? value : undefined);

function divisor(value: GoValue): bigint {
  const by = toInt64(value);
  if (by === 0n) throw new GoError('runtime error: integer divide by zero');
  return by;
}

function largest(...values: GoValue[]): GoInt {
  return int64(values.map(toInt64).reduce((a, b) => (b > a ? b : a)));
}

function parseOctal(text: string): bigint {
  return /^[+-]?[0-7]+$/.test(text) ? (parseInteger(text.replace(/^([+-]?)/, '$10')) ?? 0n) : 0n;
}

/** A number takes about as much room as so many characters. */
const roomOfNumber = 32;

function steps(start: number, stop: number, step: number): number[] {
  if (stop < start ? step >= 0 : step <= 0) return [];
  const count = Math.ceil((stop - start) / step);
  takeRoom(count * roomOfNumber);
  return Array.from({ length: count }, (_, i) => start + i * step);
}

function range(start: number, stop: number, step: number): GoSlice {
  return typed<GoSlice>(steps(start, stop, step).map(int), intSlice);
}

function sequence(params: readonly number[]): string {
  if (params.length === 0 || params.length > 3) return '';
  const start = params.length === 1 ? 1 : params[0]!;
  const end = params.at(-1)!;
  const direction = end < start ? -1 : 1;
  const step = params.length === 3 ? params[1]! : direction;
  if (params.length === 3 && end < start && step > 0) return '';
  return steps(start, end + direction, step).join(' ');
}

function round(value: number, places: number, on: number): number {
  const power = 10 ** places;
  const digits = power * value;
  const part = digits - Math.trunc(digits);
  return (part >= on ? Math.ceil(digits) : Math.floor(digits)) / power;
}
