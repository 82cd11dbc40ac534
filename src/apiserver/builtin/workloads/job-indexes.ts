interface Interval {
  readonly first: number;
  readonly last: number;
}

/** The number of indexes in a list such as `1,3-5,7`, or what is wrong with it. */
export function indexesProblem(text: string, completions: number): number | string {
  if (text === '') return 0;
  let total = 0;
  let previous: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    if (previous !== undefined && previous >= interval.first) return nonIncreasing(previous, interval.first);
    total += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return total;
}

const nonIncreasing = (previous: number, current: number) => `non-increasing order, previous: ${previous}, current: ${current}`;

function parseInterval(text: string, completions: number): Interval | string {
  const ends = text.split('-');
  if (ends.length > 2)
    return `the fragment ${JSON.stringify(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  const numbers: number[] = [];
  for (const end of ends) {
    if (!/^[-+]?[0-9]+$/.test(end)) return `cannot convert string to integer for index: ${JSON.stringify(end)}`;
    if (Number(end) >= completions) return `too large index: ${JSON.stringify(end)}`;
    numbers.push(Number(end));
  }
  const [first = 0, last = first] = numbers;
  return ends.length === 2 && first >= last ? nonIncreasing(first, last) : { first, last };
}

/** Where completed and failed indexes overlap, if they do. Parts that cannot be read are passed over. */
export function overlapProblem(completed: string, failed: string, completions: number): string | undefined {
  const intervals = (text: string) =>
    (text === '' ? [] : text.split(',')).map(part => parseInterval(part, completions)).filter(part => typeof part !== 'string');
  const left = intervals(completed);
  const right = intervals(failed);
  for (let i = 0, j = 0; i < left.length && j < right.length;) {
    const a = left[i]!;
    const b = right[j]!;
    if (a.first <= b.last && b.first <= a.last) return `failedIndexes and completedIndexes overlap at index: ${Math.max(a.first, b.first)}`;
    if (a.first <= b.first) i++;
    else j++;
  }
  return undefined;
}
