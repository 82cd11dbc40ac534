import type { CellValue, Column } from './columns.ts';

/** Rows in the order of a column, and what is needed to sort them again at little cost when few have changed. */
export interface SortedRows<T> {
  readonly sort: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly known: ReadonlySet<T>;
}

/** `sort` is `name`, or `-name` from the end. Equal rows are in the order of the first column, and then as they were. */
export function sortRows<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  sort: string,
  again?: { readonly before: SortedRows<T> | undefined; keyOf(row: T): string },
): SortedRows<T> {
  const order = orderOf(columns, sort);
  const known = new Set(rows);
  const { before } = again ?? {};
  const isSame = before?.sort === sort && before.columns === columns;
  const sorted = isSame ? sortAgain(rows, known, order, { before, keyOf: again!.keyOf }) : sortAll(rows, order);
  return { sort, columns, rows: sorted, known };
}

interface SortKey {
  readonly value: CellValue;
  /** What decides among equals. */
  readonly first: CellValue;
}

interface Order<T> {
  keyOf(row: T): SortKey;
  compare(a: SortKey, b: SortKey): number;
}

function orderOf<T>(columns: readonly Column<T>[], sort: string): Order<T> | undefined {
  const isReverse = sort.startsWith('-');
  const column = columns.find(one => one.id === (isReverse ? sort.slice(1) : sort));
  if (!column) return undefined;
  const first = columns[0] === column ? undefined : columns[0];
  const sign = isReverse ? -1 : 1;
  return {
    keyOf: row => ({ value: column.value(row), first: first?.value(row) }),
    compare: (a, b) => sign * compareValues(a.value, b.value) || compareValues(a.first, b.first),
  };
}

function sortAll<T>(rows: readonly T[], order: Order<T> | undefined): readonly T[] {
  if (!order) return rows;
  const keyed = rows.map(row => ({ row, key: order.keyOf(row) }));
  return keyed.sort((a, b) => order.compare(a.key, b.key)).map(({ row }) => row);
}

/** When more than one in so many is new, all are sorted. */
const fewOf = 8;

function sortAgain<T>(
  rows: readonly T[],
  known: ReadonlySet<T>,
  order: Order<T> | undefined,
  { before, keyOf }: { before: SortedRows<T>; keyOf(row: T): string },
): readonly T[] {
  const added = rows.filter(row => !before.known.has(row));
  if (!order || added.length > rows.length / fewOf) return sortAll(rows, order);
  const gone = before.rows.filter(row => !known.has(row));
  if (added.length === 0 && gone.length === 0) return before.rows;

  // What has changed and sorts as it did stays in its place, also among equal ones.
  const goneByKey = new Map(gone.map(row => [keyOf(row), row]));
  const instead = new Map<T, T>();
  const others: T[] = [];
  for (const row of added) {
    const old = goneByKey.get(keyOf(row));
    if (old !== undefined && order.compare(order.keyOf(old), order.keyOf(row)) === 0) instead.set(old, row);
    else others.push(row);
  }
  const stayed = before.rows.flatMap(row => (known.has(row) ? [row] : instead.has(row) ? [instead.get(row)!] : []));
  return insert(stayed, sortAll(others, order), order);
}

/** Sorted rows among others that are sorted, behind their equals. */
function insert<T>(rows: readonly T[], added: readonly T[], order: Order<T>): readonly T[] {
  const merged: T[] = [];
  let from = 0;
  for (const row of added) {
    const to = placeFor(order.keyOf(row), rows, from, order);
    while (from < to) merged.push(rows[from++]!);
    merged.push(row);
  }
  return added.length === 0 ? rows : merged.concat(rows.slice(from));
}

function placeFor<T>(key: SortKey, rows: readonly T[], from: number, { keyOf, compare }: Order<T>): number {
  let [low, high] = [from, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(keyOf(rows[middle]!), key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** What has no value comes last. */
function compareValues(a: CellValue, b: CellValue): number {
  if (a === b) return 0;
  if (a === undefined || a === '') return 1;
  if (b === undefined || b === '') return -1;
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b));
}
