import { goPrint } from '../../util/go-print.ts';
import { jsonEqual, type Json } from '../../util/json.ts';
import type { TabWriter } from './tab-writer.ts';
import { decorateTable, insertColumn, type Table, type TableColumn, type TableDecoration } from './table.ts';

export interface TablePrinterOptions extends TableDecoration {
  readonly wide?: boolean;
  readonly noHeaders?: boolean;
}

/** Prints tables one after the other. Headers appear when the columns change, and not before there is a row. */
export class TablePrinter {
  readonly #options: TablePrinterOptions;
  #columns: readonly TableColumn[] = [];
  #hasPrintedHeaders = false;

  constructor(options: TablePrinterOptions) {
    this.#options = options;
  }

  /** Events of a watch come without columns when these have not changed. */
  print(table: Table, writer: TabWriter, event?: string): void {
    const { columnDefinitions, rows } = table;
    if (columnDefinitions.length > 0 && !jsonEqual(columnDefinitions, this.#columns)) {
      this.#columns = columnDefinitions;
      this.#hasPrintedHeaders = false;
    }
    const decorated = decorateTable({ ...table, columnDefinitions: this.#columns }, this.#options);
    const shown = event === undefined ? decorated : insertColumn(decorated, 0, 'Event', () => event.padEnd(8));
    if (rows.length === 0) return;
    if (!this.#hasPrintedHeaders && !this.#options.noHeaders) writer.line(this.#line(shown, shown.columnDefinitions.map(headerText)));
    this.#hasPrintedHeaders = true;
    for (const { cells } of shown.rows) writer.line(this.#line(shown, cells.slice(0, shown.columnDefinitions.length).map(cellText)));
  }

  #line({ columnDefinitions }: Table, texts: readonly string[]): string {
    return texts.filter((_, i) => this.#options.wide || (columnDefinitions[i]!.priority ?? 0) === 0).join('\t');
  }
}

const headerText = ({ name }: TableColumn) => name.toUpperCase();

/** Only the first line of a text, and nothing that a terminal would obey. */
function cellText(cell: Json): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return escapeTerminal(goPrint(cell));
  const end = cell.search(/[\f\n\r]/);
  return end < 0 ? escapeTerminal(cell) : `${escapeTerminal(cell.slice(0, end))}...`;
}

export function escapeTerminal(text: string): string {
  return text.replaceAll('\u001b', '^[').replaceAll('\r', '\\r');
}
