import * as exact from '../../api/quantity.ts';

/** A quantity as objects hold it. */
export type Quantity = string | number;
export type Quantities = Record<string, Quantity>;

// The same few amounts appear in every pod of a cluster.
const parsed = new Map<string, exact.Quantity>();
const maxParsed = 10_000;

function parse(quantity: Quantity): exact.Quantity {
  const text = String(quantity);
  const known = parsed.get(text);
  if (known) return known;
  const value = exact.parseQuantity(text);
  if (parsed.size >= maxParsed) parsed.clear();
  parsed.set(text, value);
  return value;
}

/** An absent quantity is a zero. */
export const compareQuantities = (a: Quantity = 0, b: Quantity = 0) => (a === b ? 0 : exact.compareQuantities(parse(a), parse(b)));
export const addQuantities = (a: Quantity, b: Quantity) => exact.printQuantity(exact.addQuantities(parse(a), parse(b)));
export const formatQuantity = (quantity: Quantity) => exact.printQuantity(parse(quantity));
/** In nano units, the smallest there are. */
export const nanoUnits = (quantity: Quantity) => exact.wholeValue(parse(quantity), -9);
/** Rounded up to a whole number. */
export const quantityValue = (quantity: Quantity) => exact.wholeValue(parse(quantity));
/** Whether nothing is left after the thousandths are rounded up. */
export const isWholeNumber = (quantity: Quantity) => exact.wholeValue(parse(quantity), -3) % 1000n === 0n;

export function roundUpToMilli(quantity: Quantity): Quantity {
  const text = String(quantity);
  if (plainInteger.test(text)) return quantity;
  const value = parse(text);
  if (value.scale >= -3) return quantity;
  return exact.printQuantity(exact.milliQuantityOf(exact.wholeValue(value, -3), value.format));
}

const plainInteger = /^[0-9]{1,15}([mkMG]|[KMG]i)?$/;
