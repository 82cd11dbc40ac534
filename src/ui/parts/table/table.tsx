import {
  memo,
  useCallback,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { flushSync } from 'react-dom';
import { useSearchParams } from 'wouter';
import { useUrlValue } from '../../app/place.tsx';
import { useKeyDeeds, useShortcut, type KeyDeeds } from '../../app/shortcuts.tsx';
import type { ListState } from '../../data/watched-list.ts';
import { Icon } from '../icon.tsx';
import { Menu } from '../menu.tsx';
import { Loading } from '../notes.tsx';
import { search, type Column } from './columns.ts';
import { rowsInSight, type RowWindow } from './row-window.ts';
import { sortRows, type SortedRows } from './sort-rows.ts';

interface TableProps<T> {
  /** What the rows are, for those who cannot see it: `Clusters`. */
  readonly name: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  keyOf(row: T): string;
  /** Column to sort by when nobody has said: `name`, `-age`. */
  readonly sort?: string;
  readonly state?: ListState;
  onOpen?(row: T): void;
  /** What other keys do with the row that has the focus. */
  readonly keyDeeds?: KeyDeeds<T> | undefined;
  isStale?(row: T): boolean;
  /** Rows can be chosen, to do the same to several: the keys of those that are. */
  readonly choice?: Choice<T> | undefined;
  /** Rows that stand below a row, whatever the sort: what it unfolds to. */
  below?(row: T): readonly T[];
  /** At the end of each row. Rows come and go in the same elements: what keeps a state of its own there has the row's key. */
  rowEnd?(row: T): ReactNode;
  /** Beside the filter. */
  readonly tools?: ReactNode;
  /** Instead of rows when there are none at all. */
  readonly empty?: ReactNode;
  /** Before the names in the address, for screens with two tables. */
  readonly prefix?: string;
}

export interface Choice<T> {
  readonly chosen: ReadonlySet<string>;
  /** Whether it can be chosen; any can when absent. */
  isOpen?(row: T): boolean;
  /** What one row is called. */
  nameOf(row: T): string;
  onChange(chosen: ReadonlySet<string>): void;
}

const rowHeight = 38;
const spareRows = 5;
/** Whoever has not scrolled for so long looks at what is there. */
const settledMs = 150;

/**
 * Rows of any number: only those in sight are drawn. What is sorted, searched and shown is in the address. `/` filters, arrows or `j` `k` move, Enter
 * opens.
 */
export function Table<T>(props: TableProps<T>) {
  const { name, rows, columns, keyOf, state = 'live', onOpen, isStale, below, choice, rowEnd, tools, empty, keyDeeds, prefix = '' } = props;
  const [sortValue, setSort] = useUrlValue(`${prefix}sort`);
  const [filter, setFilter] = useUrlValue(`${prefix}q`);
  const { shown, chooser } = useShownColumns(columns, prefix);
  const sort = sortValue || (props.sort ?? columns[0]?.id ?? '');
  const wanted = useDeferredValue(filter);
  const found = useArranged(rows, columns, { sort, filter: wanted }, keyOf);
  const { arranged, lower } = useMemo(() => unfold(found, below), [found, below]);
  const [focused, setFocused] = useState(0);
  const filterInput = useRef<HTMLInputElement>(null);
  const { scroller, inSight, focusedAt } = useWindow(arranged.length);
  const template = [
    ...(choice ? ['2.5rem'] : []),
    ...shown.map(one => one.width ?? 'minmax(7rem, 1fr)'),
    ...(rowEnd ? ['3.5rem'] : []),
  ].join(' ');
  const at = Math.min(focused, Math.max(0, arranged.length - 1));

  const onRowFocus = useCallback(
    (index: number) => {
      focusedAt.current = index;
      setFocused(index);
    },
    [focusedAt],
  );
  const focusRow = useCallback(
    (index: number) => {
      const to = Math.max(0, Math.min(index, arranged.length - 1));
      setFocused(to);
      const box = scroller.current!;
      const top = to * rowHeight;
      const room = box.clientHeight - rowHeight;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + rowHeight > box.scrollTop + room) box.scrollTop = top + rowHeight - room;
      requestAnimationFrame(() => box.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus({ preventScroll: true }));
    },
    [arranged.length, scroller],
  );
  useShortcut(prefix === '' ? 'filter' : undefined, () => filterInput.current?.focus());
  useShortcut(prefix === '' ? 'nextRow' : undefined, () => focusRow(isInRows() ? at + 1 : at));
  useShortcut(prefix === '' ? 'rowBefore' : undefined, () => focusRow(isInRows() ? at - 1 : at));

  const latest = useRef({ choice, onOpen });
  useEffect(() => {
    latest.current = { choice, onOpen };
  });
  const open = useCallback((row: T) => latest.current.onOpen?.(row), []);
  const flip = useCallback(
    (row: T) => {
      const { chosen, isOpen, onChange } = latest.current.choice!;
      if (isOpen && !isOpen(row)) return;
      const next = new Set(chosen);
      if (!next.delete(keyOf(row))) next.add(keyOf(row));
      onChange(next);
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key of a row does not change
    [],
  );

  const deedOf = useKeyDeeds(keyDeeds);
  useShortcut(prefix === '' && choice ? 'chooseRow' : undefined, () => {
    const row = arranged[at];
    if (isInRows() && row !== undefined) flip(row);
  });

  function isInRows(): boolean {
    return scroller.current?.contains(document.activeElement) ?? false;
  }

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: arranged.length - 1 }[event.key];
    const isRow = (event.target as HTMLElement).getAttribute('role') === 'row';
    if (to !== undefined && isRow) {
      event.preventDefault();
      focusRow(to);
    }
    const row = arranged[at];
    const deed = isRow && row !== undefined ? deedOf(event) : undefined;
    if (deed) {
      event.preventDefault();
      deed(row!);
    }
    if (event.key === 'Enter' && isRow && row !== undefined) onOpen?.(row);
    if (event.key === ' ' && isRow && row !== undefined && choice) {
      event.preventDefault();
      flip(row);
    }
  }

  const isEmpty = rows.length === 0 && state !== 'loading' && state !== 'failed';
  return (
    <div className="table-place">
      <div className="table-tools">
        <div className="filter">
          <Icon name="search" />
          <input
            ref={filterInput}
            className="input"
            type="search"
            placeholder="Filter"
            aria-label={`Filter ${name.toLowerCase()}`}
            title="Words that rows must have; column:word looks in one column, -word leaves out"
            value={filter}
            onChange={event => setFilter(event.target.value)}
            onKeyDown={event => {
              if (event.key === 'ArrowDown' || event.key === 'Enter') focusRow(0);
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
        </div>
        {tools}
        <span className="grow" />
        {chooser}
      </div>
      {isEmpty && empty ? (
        empty
      ) : (
        <div className="table-scroll" ref={scroller}>
          <div className="table" role="table" aria-label={name} aria-rowcount={arranged.length + 1} aria-busy={state === 'loading'}>
            <div role="rowgroup" className="head">
              <div role="row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
                {choice && <ChooseAll choice={choice} rows={arranged} keyOf={keyOf} />}
                {shown.map(column => (
                  <Head key={column.id} column={column} sort={sort} setSort={setSort} />
                ))}
                {rowEnd && (
                  <div role="columnheader">
                    <span className="unseen">Actions</span>
                  </div>
                )}
              </div>
            </div>
            <div
              role="rowgroup"
              className="rows"
              style={{ height: arranged.length * rowHeight }}
              onKeyDown={onKeyDown}
              onPointerOver={showWhole}
              onPointerOut={forgetWhole}
            >
              {inSight.map(({ slot, index }) => {
                const row = arranged[index]!;
                return (
                  <Row
                    key={slot}
                    row={row}
                    index={index}
                    columns={shown}
                    template={template}
                    isFocused={index === at}
                    isStale={isStale?.(row) ?? false}
                    choosing={choice && (choice.isOpen?.(row) === false ? 'closed' : choice.chosen.has(keyOf(row)) ? 'chosen' : 'open')}
                    name={choice?.nameOf(row)}
                    onFlip={flip}
                    isLower={lower.has(row)}
                    rowEnd={rowEnd}
                    onFocus={onRowFocus}
                    onOpen={open}
                  />
                );
              })}
            </div>
          </div>
          {rows.length === 0 && state === 'loading' && <Loading />}
          {rows.length === 0 && state === 'failed' && <p className="empty muted">It could not be read, so nothing is shown.</p>}
          {rows.length > 0 && arranged.length === 0 && <div className="loading">Nothing has all these words.</div>}
        </div>
      )}
      <div className="table-end" role="status">
        {count(found.length, rows.length)}
        {state === 'loading' && rows.length > 0 && ' so far: the rest is on its way, and sorted in as it comes'}
      </div>
    </div>
  );
}

interface RowProps<T> {
  readonly row: T;
  readonly index: number;
  readonly columns: readonly Column<T>[];
  readonly template: string;
  readonly isFocused: boolean;
  readonly isStale: boolean;
  readonly choosing: 'chosen' | 'open' | 'closed' | undefined;
  readonly name: string | undefined;
  onFlip(row: T): void;
  readonly isLower: boolean;
  readonly rowEnd: ((row: T) => ReactNode) | undefined;
  onFocus(index: number): void;
  onOpen(row: T): void;
}

/** Drawn again only when something of it has changed. Whoever scrolls sees other rows in the same elements: to make new ones takes longer. */
const Row = memo(function Row<T>(props: RowProps<T>) {
  const { row, index, columns, template, isFocused, isStale, isLower, choosing, name, onFlip, rowEnd, onFocus, onOpen } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      tabIndex={isFocused ? 0 : -1}
      className={`${isStale ? 'stale' : ''} ${isLower ? 'lower' : ''} ${choosing === 'chosen' ? 'chosen' : ''}`}
      style={{ top: index * rowHeight, gridTemplateColumns: template }}
      onFocus={() => onFocus(index)}
      onDoubleClick={() => onOpen(row)}
    >
      {choosing && (
        <div role="cell" className="choose">
          {choosing !== 'closed' && (
            <input type="checkbox" aria-label={`Choose ${name}`} checked={choosing === 'chosen'} onChange={() => onFlip(row)} />
          )}
        </div>
      )}
      {columns.map(column => (
        <div key={column.id} role="cell" className={column.isNumber ? 'end' : ''}>
          {column.cell ? column.cell(row) : column.value(row)}
        </div>
      ))}
      {rowEnd && (
        <div role="cell" className="row-end">
          {rowEnd(row)}
        </div>
      )}
    </div>
  );
}) as <T>(props: RowProps<T>) => ReactNode;

function ChooseAll<T>({ choice, rows, keyOf }: { choice: Choice<T>; rows: readonly T[]; keyOf(row: T): string }) {
  const open = rows.filter(row => choice.isOpen?.(row) ?? true);
  const count = open.filter(row => choice.chosen.has(keyOf(row))).length;
  const isAll = open.length > 0 && count === open.length;
  return (
    <div role="columnheader" className="choose">
      <input
        type="checkbox"
        aria-label="Choose all"
        checked={isAll}
        disabled={open.length === 0}
        ref={input => {
          if (input) input.indeterminate = count > 0 && !isAll;
        }}
        onChange={() => choice.onChange(new Set(isAll ? [] : open.map(keyOf)))}
      />
    </div>
  );
}

/** Each row with those that stand below it. */
function unfold<T>(rows: readonly T[], below: ((row: T) => readonly T[]) | undefined): { arranged: readonly T[]; lower: ReadonlySet<T> } {
  if (!below) return { arranged: rows, lower: new Set() };
  const lower = new Set<T>();
  const arranged = rows.flatMap(row => {
    const rest = below(row);
    for (const one of rest) lower.add(one);
    return [row, ...rest];
  });
  return { arranged, lower };
}

const numbers = new Intl.NumberFormat();

const count = (shown: number, all: number) =>
  `${shown === all ? '' : `${numbers.format(shown)} of `}${numbers.format(all)} ${all === 1 ? 'row' : 'rows'}`;

/** What does not fit into its cell is said in full to whoever points at it. */
function showWhole({ target }: PointerEvent): void {
  const cell = (target as HTMLElement).closest<HTMLElement>('[role="cell"]');
  if (cell && cell.scrollWidth > cell.clientWidth && !cell.querySelector('[title]')) cell.title = cell.innerText;
}

const forgetWhole = ({ target }: PointerEvent): void => (target as HTMLElement).closest('[role="cell"]')?.removeAttribute('title');

function Head<T>({ column, sort, setSort }: { column: Column<T>; sort: string; setSort(sort: string): void }) {
  const isUp = sort === column.id;
  const isDown = sort === `-${column.id}`;
  return (
    <div role="columnheader" className={column.isNumber ? 'end' : ''} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}>
      <button type="button" title={column.hint} onClick={() => setSort(isUp ? `-${column.id}` : column.id)}>
        {column.title}
        {isUp && <Icon name="up" size={12} />}
        {isDown && <Icon name="down" size={12} />}
      </button>
    </div>
  );
}

function useArranged<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  { sort, filter }: { sort: string; filter: string },
  keyOf: (row: T) => string,
) {
  const before = useRef<SortedRows<T>>(undefined);
  const sorted = useMemo(
    () => (before.current = sortRows(rows, columns, sort, { before: before.current, keyOf })),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key of a row does not change
    [rows, columns, sort],
  );
  return useMemo(() => search(sorted.rows, columns, filter), [sorted, columns, filter]);
}

/** Which rows are in sight, and in which elements. */
function useWindow(count: number) {
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<RowWindow>({ first: 0, slots: 60, turn: 0 });
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    let settling: ReturnType<typeof setTimeout> | undefined;
    const inOrder = (range: RowWindow): RowWindow => ({ ...range, turn: range.first % range.slots });
    // Whoever goes from row to row with the Tab key needs them in their order at once.
    const look = () =>
      setRange(before => {
        const next = windowAt(box, before);
        return next !== before && box.contains(document.activeElement) ? inOrder(next) : next;
      });
    const settle = () => setRange(inOrder);
    // Drawn before the frame is: rows come with the place that was scrolled to, not after it.
    const onScroll = () => {
      flushSync(look);
      clearTimeout(settling);
      settling = setTimeout(settle, settledMs);
    };
    const measure = () => {
      box.toggleAttribute('data-wide', box.scrollWidth > box.clientWidth + 1);
      look();
    };
    measure();
    box.addEventListener('scroll', onScroll, { passive: true });
    const sizes = new ResizeObserver(measure);
    sizes.observe(box);
    if (box.firstElementChild) sizes.observe(box.firstElementChild);
    return () => {
      box.removeEventListener('scroll', onScroll);
      clearTimeout(settling);
      sizes.disconnect();
    };
  }, [count === 0]);
  // The focus belongs to a row: it does not pass to another one that comes into the same element.
  const focusedAt = useRef(-1);
  useLayoutEffect(() => {
    const focused = document.activeElement;
    const row = scroller.current?.contains(focused) ? focused?.closest<HTMLElement>('.rows [role="row"]') : undefined;
    if (row && Number(row.dataset['index']) !== focusedAt.current && focused instanceof HTMLElement) focused.blur();
  }, [range]);
  return { scroller, inSight: rowsInSight(range, count), focusedAt };
}

function windowAt({ scrollTop, clientHeight }: HTMLElement, before: RowWindow): RowWindow {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - spareRows);
  const slots = Math.ceil(clientHeight / rowHeight) + 2 * spareRows + 1;
  if (before.first === first && before.slots === slots) return before;
  return { first, slots, turn: before.slots === slots ? before.turn : first % slots };
}

function useShownColumns<T>(columns: readonly Column<T>[], prefix: string) {
  const [query, setQuery] = useSearchParams();
  const name = `${prefix}cols`;
  const chosen = query.get(name);
  const isShown = (column: Column<T>) => (chosen === null ? !column.isExtra : chosen.split(',').includes(column.id));
  // eslint-disable-next-line react-hooks/exhaustive-deps -- which are shown depends on these two alone
  const shown = useMemo(() => columns.filter(isShown), [columns, chosen]);
  function flip(id: string): void {
    const next = columns.filter(one => (one.id === id ? !isShown(one) : isShown(one))).map(one => one.id);
    const usual = columns.filter(one => !one.isExtra).map(one => one.id);
    setQuery(
      before => {
        const after = new URLSearchParams(before);
        if (next.join() === usual.join()) after.delete(name);
        else after.set(name, next.join(','));
        return after;
      },
      { replace: true },
    );
  }
  const items = columns.slice(1).map(one => ({ id: one.id, title: one.title, isOn: isShown(one), onChoose: () => flip(one.id) }));
  return { shown, chooser: columns.length > 1 ? <Menu label="Columns" icon="columns" items={items} /> : null };
}
