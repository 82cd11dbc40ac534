const letter = /^\p{L}$/u;
const digit = /^\p{Nd}$/u;

/** The order in which keys are written: numbers inside them count as numbers, and letters come after everything else. */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  return isBefore([...left], [...right]) ? -1 : 1;
}

function isBefore(a: readonly string[], b: readonly string[]): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    if (x === y) continue;
    const [isLetterX, isLetterY] = [letter.test(x), letter.test(y)];
    if (isLetterX && isLetterY) return codeOf(x) < codeOf(y);
    if (isLetterX || isLetterY) return isLetterY;
    // A zero in the middle of a number has digits before it that count.
    const start = (x === '0' || y === '0') && followsNonZeroDigits(a, i) ? 1 : 0;
    const [numberX, endX] = numberAt(a, i, start);
    const [numberY, endY] = numberAt(b, i, start);
    if (numberX !== numberY) return numberX < numberY;
    if (endX !== endY) return endX < endY;
    return codeOf(x) < codeOf(y);
  }
  return a.length < b.length;
}

const codeOf = (char: string) => char.codePointAt(0)!;

function followsNonZeroDigits(chars: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && digit.test(chars[i]!); i--) if (chars[i] !== '0') return true;
  return false;
}

/** Go's int64 arithmetic, with its overflow. */
function numberAt(chars: readonly string[], from: number, start: number): [value: bigint, end: number] {
  let value = BigInt(start);
  let at = from;
  for (; at < chars.length && digit.test(chars[at]!); at++) value = BigInt.asIntN(64, value * 10n + BigInt(codeOf(chars[at]!) - 48));
  return [value, at];
}
