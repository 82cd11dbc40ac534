import { fn, variadic } from '../go/go-function.ts';
import { anyMap, anySlice, stringSlice } from '../go/go-type.ts';
import { GoError, isMap, isSlice, typed, typeOf, type GoFunction, type GoMap, type GoSlice, type GoValue } from '../go/go-value.ts';
import { isEmptyValue, textOf } from './convert.ts';

const newMap = (entries: Iterable<[string, GoValue]> = []): GoMap => new Map(entries);

const merge = variadic(['map'], 'map', (target, ...sources) => {
  for (const source of sources) mergeInto(target, source, false);
  return target;
});
const mergeOverwrite = variadic(['map'], 'map', (target, ...sources) => {
  for (const source of sources) mergeInto(target, source, true);
  return target;
});
const copy = fn(['any'], value => {
  if (value === null || value === undefined) throw new GoError('reflect: call of reflect.Value.Type on zero Value');
  return deepCopy(value);
});

export const dictFunctions: Readonly<Record<string, GoFunction>> = {
  dict: variadic([], 'any', (...values) => {
    const made = newMap();
    for (let i = 0; i < values.length; i += 2) made.set(textOf(values[i]), i + 1 < values.length ? (values[i + 1] ?? null) : '');
    return made;
  }),
  get: fn(['map', 'string'], (map, key) => (map.has(key) ? map.get(key) : '')),
  set: fn(['map', 'string', 'any'], (map, key, value) => {
    if (map.isNil) throw new GoError('assignment to entry in nil map');
    return map.set(key, value ?? null) as GoMap;
  }),
  unset: fn(['map', 'string'], (map, key) => {
    map.delete(key);
    return map;
  }),
  hasKey: fn(['map', 'string'], (map, key) => map.has(key)),
  pluck: variadic(['string'], 'map', (key, ...maps) => maps.filter(map => map.has(key)).map(map => map.get(key)) as GoSlice),
  // The order is not defined; ours is that of insertion.
  keys: variadic([], 'map', (...maps) =>
    typed<GoSlice>(
      maps.flatMap(map => [...map.keys()]),
      stringSlice,
    ),
  ),
  values: fn(['map'], map => [...map.values()]),
  pick: variadic(['map'], 'string', (map, ...keys) =>
    newMap(keys.filter(key => map.has(key)).map((key): [string, GoValue] => [key, map.get(key)])),
  ),
  omit: variadic(['map'], 'string', (map, ...keys) => newMap([...map].filter(([key]) => !keys.includes(key)))),
  merge,
  mustMerge: merge,
  mergeOverwrite,
  mustMergeOverwrite: mergeOverwrite,
  deepCopy: copy,
  mustDeepCopy: copy,
  dig: variadic([], 'any', dig),
};

function dig(...values: GoValue[]): GoValue {
  if (values.length < 3) throw new GoError('dig needs at least three arguments');
  const fallback = values.at(-2);
  let at = conversion(values.at(-1), isMap, 'map[string]interface {}') as GoMap;
  const keys = values.slice(0, -2).map(key => conversion(key, (one): one is string => typeof one === 'string', 'string') as string);
  for (const [i, key] of keys.entries()) {
    if (!at.has(key)) return fallback;
    const step = at.get(key);
    if (i === keys.length - 1) return step;
    at = conversion(step, isMap, 'map[string]interface {}') as GoMap;
  }
  return fallback;
}

function conversion(value: GoValue, is: (value: GoValue) => boolean, wanted: string): GoValue {
  if (value !== null && value !== undefined && is(value) && (wanted === 'string' || typeOf(value) === anyMap)) return value;
  const name = value === null || value === undefined ? 'nil' : typeOf(value).name;
  throw new GoError(`interface conversion: interface {} is ${name}, not ${wanted}`);
}

/** Merges as mergo does: what is there and not empty stays, unless it is to be overwritten; maps are merged deeply. */
export function mergeInto(target: GoMap, source: GoMap, overwrites: boolean): void {
  if (target === source) return;
  const wasEmpty = target.size === 0;
  for (const [key, value] of [...source]) {
    const present = target.get(key);
    if (value === null || value === undefined) {
      if (overwrites) target.set(key, null);
      continue;
    }
    const isFilled = target.has(key) && !isEmptyValue(present);
    if (isMap(value) && isMap(present) && isFilled) {
      mergeInto(present, value, overwrites);
      continue;
    }
    if (isSlice(value)) {
      if (!target.has(key) || present === null || present === undefined) target.set(key, overwrites || wasEmpty ? value : []);
      else if (overwrites || wasEmpty) target.set(key, value);
      if (isFilled) continue;
    }
    if (overwrites || !isFilled) target.set(key, value);
  }
}

export function deepCopy(value: GoValue): GoValue {
  if (isSlice(value)) return typed<GoSlice>(value.map(deepCopy), value.goType ?? anySlice);
  if (!isMap(value)) return value;
  const copied = newMap([...value].map(([key, item]): [string, GoValue] => [key, deepCopy(item)]));
  return value.goType ? typed(copied, value.goType) : copied;
}
