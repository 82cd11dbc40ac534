import { compareQuantities, parseQuantity, QuantityError } from '../../api/quantity.ts';
import type { Json } from '../../util/json.ts';
import { CommandError } from '../exit-codes.ts';
import { relaxedPath, relaxedTemplate } from './relaxed-path.ts';

/** Sorts by a field of the objects, and those that are equal in it by the next. Those without it come first. */
export function sortBy<T>(items: readonly T[], paths: string | readonly string[], objectOf: (item: T) => Json): T[] {
  const [path = '', ...others] = [paths].flat();
  const all = [path, ...others].map(relaxedPath);
  const found = items.map(item => ({ item, values: all.map(one => one.find(objectOf(item))[0]?.[0]) }));
  if (found.length > 0 && found.every(({ values }) => values[0] === undefined))
    throw new CommandError(`couldn't find any field with path ${JSON.stringify(relaxedTemplate(path))} in the list of objects`, {
      hint: '-o json shows the fields that there are',
    });
  const order = (a: readonly (Json | undefined)[], b: readonly (Json | undefined)[]) =>
    all.reduce((before, _, i) => before || compare(a[i], b[i], path), 0);
  return found.sort((a, b) => order(a.values, b.values)).map(({ item }) => item);
}

function compare(a: Json | undefined, b: Json | undefined, path: string): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b);
  const isNumber = (value: Json) => typeof value === 'number' || typeof value === 'bigint';
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  throw new CommandError(`field ${path} cannot be sorted: it is neither text nor a number`);
}

/** Amounts such as `100m` and `1Gi` are compared as amounts. */
function compareTexts(a: string, b: string): number {
  const [left, right] = [quantityOf(a), quantityOf(b)];
  if (left && right) return compareQuantities(left, right);
  return a < b ? -1 : a > b ? 1 : 0;
}

function quantityOf(text: string) {
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
