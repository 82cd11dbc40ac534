import { compareQuantities, parseQuantity, QuantityError, signOfQuantity, wholeValue } from './quantity.ts';

/** How many hundredths of the whole a part is, rounded; undefined when either is missing or cannot be read, or when the whole is nothing. */
export function percentOf(part: unknown, whole: unknown): number | undefined {
  if (part === undefined || part === null || whole === undefined || whole === null) return undefined;
  try {
    const [some, all] = [parseQuantity(String(part)), parseQuantity(String(whole))];
    if (signOfQuantity(all) <= 0) return undefined;
    if (compareQuantities(some, all) === 0) return 100;
    // Thousandths: CPUs are asked for in them.
    return Math.round((Number(wholeValue(some, -3)) / Number(wholeValue(all, -3))) * 100);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
