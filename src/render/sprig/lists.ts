import { fn, variadic } from '../go/go-function.ts';
import { anySlice, sliceOf } from '../go/go-type.ts';
import { GoError, isSlice, typed, typeOf, type GoFunction, type GoSlice, type GoValue } from '../go/go-value.ts';
import { deepEqual, isEmptyValue, toInt64 } from './convert.ts';

/** The items of a list, or the error that names what was tried. */
function itemsOf(list: GoValue, refusal: (kind: string) => string): GoSlice {
  if (isSlice(list)) return list;
  if (list === null || list === undefined) throw new GoError('runtime error: invalid memory address or nil pointer dereference');
  throw new GoError(refusal(typeOf(list).kind));
}

const cannot = (verb: string) => (kind: string) => `Cannot ${verb} type ${kind}`;

const push = fn(['any', 'any'], (list, value) => [...itemsOf(list, cannot('push on')), value]);
const prepend = fn(['any', 'any'], (list, value) => [value, ...itemsOf(list, cannot('prepend on'))]);
const first = fn(['any'], list => itemsOf(list, cannot('find first on'))[0] ?? null);
const last = fn(['any'], list => itemsOf(list, cannot('find last on')).at(-1) ?? null);
const rest = fn(['any'], list => itemsOf(list, cannot('find rest on')).slice(1));
const initial = fn(['any'], list => itemsOf(list, cannot('find initial on')).slice(0, -1));
const reverse = fn(['any'], list => [...itemsOf(list, cannot('find reverse on'))].reverse());
const compact = fn(['any'], list => itemsOf(list, cannot('compact on')).filter(item => !isEmptyValue(item)));
const uniq = fn(['any'], list => {
  const unique: GoSlice = [];
  for (const item of itemsOf(list, cannot('find uniq on'))) if (!unique.some(one => deepEqual(one, item))) unique.push(item);
  return unique;
});
const without = variadic(['any'], 'any', (list, ...omitted) =>
  itemsOf(list, cannot('find without on')).filter(item => !omitted.some(one => deepEqual(one, item))),
);
const has = fn(['any', 'any'], (needle, list) =>
  list === null || list === undefined ? false : itemsOf(list, cannot('find has on')).some(item => deepEqual(needle, item)),
);
const slice = variadic(['any'], 'any', (list, ...ends) => {
  const items = itemsOf(list, kind => `list should be type of slice or array but ${kind}`);
  if (items.length === 0) return null;
  const from = ends.length > 0 ? Number(toInt64(ends[0])) : 0;
  const to = ends.length > 1 ? Number(toInt64(ends[1])) : items.length;
  if (from < 0 || to < from || to > items.length) throw new GoError('reflect.Value.Slice: slice index out of bounds');
  const part = items.slice(from, to);
  return items.goType ? typed(part, items.goType) : part;
});
const chunk = fn(['int', 'any'], (size, list) => {
  const items = itemsOf(list, cannot('chunk'));
  const chunks: GoSlice = typed<GoSlice>([], sliceOf(anySlice));
  if (size <= 0) throw new GoError('runtime error: makeslice: len out of range');
  for (let at = 0; at < items.length; at += size) chunks.push(items.slice(at, at + size));
  return chunks;
});
const list = variadic([], 'any', (...values) => values as GoSlice);

export const listFunctions: Readonly<Record<string, GoFunction>> = {
  list,
  tuple: list,
  append: push,
  push,
  mustAppend: push,
  mustPush: push,
  prepend,
  mustPrepend: prepend,
  first,
  mustFirst: first,
  last,
  mustLast: last,
  rest,
  mustRest: rest,
  initial,
  mustInitial: initial,
  reverse,
  mustReverse: reverse,
  compact,
  mustCompact: compact,
  uniq,
  mustUniq: uniq,
  without,
  mustWithout: without,
  has,
  mustHas: has,
  slice,
  mustSlice: slice,
  chunk,
  mustChunk: chunk,
  concat: variadic([], 'any', (...lists) => lists.map(one => itemsOf(one, kind => `Cannot concat type ${kind} as list`)).flat()),
};
