import { setTimeout as sleep } from 'node:timers/promises';
import { StatusError } from '../../api/status.ts';
import { UnreachableError } from '../../client/transport.ts';
import { bounded } from '../../util/map-bounded.ts';
import { markCluster } from '../clusters/cluster-mark.ts';
import { memberLine } from '../clusters/member-line.ts';
import { EndWith, exitCodes } from '../exit-codes.ts';
import { mayRedraw, redrawnLines } from '../output/redrawn-lines.ts';
import { TabWriter } from '../output/tab-writer.ts';
import type { TablePrinter } from '../output/table-printer.ts';
import type { TableColumn } from '../output/table.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { Terminal } from '../terminal.ts';
import { objectsOf, tableOf } from './answers.ts';
import { isNotFound } from './collect.ts';
import { liveTable } from './live-table.ts';
import { printerFor, withCluster } from './print-tables.ts';
import { clustersAtOnce, type GetRequest } from './run-get.ts';
import { watchSource, type Seen } from './watch.ts';

export interface WatchRequest extends GetRequest {
  /** Shows changes only, not what is there. */
  readonly changesOnly: boolean;
  readonly withEvents: boolean;
}

/** How long to wait before a member that was lost is asked again. */
const waitMs = (attempt: number) => Math.min(30_000, 1_000 * 2 ** attempt);

/**
 * Shows changes as they come, of all APIs in one stream, until Ctrl-C. A member that is lost gets a line and is asked again until it answers, when all
 * that it has is shown anew; the others go on meanwhile.
 */
export async function runWatch(request: WatchRequest, terminal: Terminal, retryAfterMs = waitMs): Promise<void> {
  const { sources, wanted, query, ignoreNotFound } = request;
  const { signal } = terminal;
  using view = viewOf(request, terminal);
  const inTurn = bounded(clustersAtOnce);
  const failed: unknown[] = [];
  await Promise.all(
    sources.map(async source => {
      try {
        await follow(source);
      } catch (error) {
        if (signal.aborted || (ignoreNotFound && isNotFound(error, source.cluster))) return;
        failed.push(error);
        if (source.cluster !== undefined) view.tell(memberLine(source.cluster, error));
      }
    }),
  );
  signal.throwIfAborted();
  if (failed.length === 0) return;
  if (sources[0]?.cluster === undefined) throw failed[0];
  throw new EndWith(failed.length < sources.length ? exitCodes.partial : exitCodes.error);

  async function follow(source: ApiSource): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        for await (const seen of watchSource(source, wanted, query, { signal, inTurn })) {
          attempt = 0;
          view.show(source, seen);
        }
        return;
      } catch (error) {
        if (signal.aborted || source.cluster === undefined || !mayPass(error)) throw error;
        if (attempt === 0) view.tell(memberLine(source.cluster, error));
        await sleep(retryAfterMs(attempt), undefined, { signal });
      }
    }
  }
}

/** A member that cannot be reached may be back in a moment; one that refuses will refuse again. */
function mayPass(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof StatusError && [429, 502, 503, 504].includes(error.code));
}

interface View extends Disposable {
  show(source: ApiSource, seen: Seen): void;
  /** Says something on standard error. */
  tell(text: string): void;
}

/** A table that is drawn over itself where a person looks on; otherwise, and where every change is wanted, a line for each. */
function viewOf(request: WatchRequest, terminal: Terminal): View {
  const { format, changesOnly, withEvents } = request;
  const isDrawn = format.as === 'table' && !changesOnly && !withEvents && mayRedraw(terminal);
  return isDrawn ? drawnView(request, terminal) : appendedView(request, terminal);
}

function appendedView(request: WatchRequest, terminal: Terminal): View {
  return { show: showSeen(request, terminal), tell: text => terminal.err(text), [Symbol.dispose]() {} };
}

const redrawMs = 100;
/** Ages go on by themselves. */
const everyMs = 1000;

function drawnView({ table }: WatchRequest, terminal: Terminal): View {
  const columns = new Map<ApiSource, readonly TableColumn[]>();
  const live = liveTable();
  const drawn = redrawnLines(terminal);
  let resource: Seen['resource'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  const ages = setInterval(draw, everyMs);
  return {
    show(source, seen) {
      const now = new Date();
      resource = seen.resource;
      const received = tableOf(seen.answer, now);
      if (received.columnDefinitions.length > 0) columns.set(source, received.columnDefinitions);
      const whole = withCluster({ ...received, columnDefinitions: columns.get(source) ?? [] }, source.cluster);
      live.change(source.cluster ?? '', whole, { isGone: seen.event === 'DELETED', isWhole: seen.isFirst === true, now });
      timer ??= setTimeout(draw, redrawMs);
    },
    tell(text) {
      drawn.clear();
      terminal.err(text);
      draw();
    },
    [Symbol.dispose]() {
      clearInterval(ages);
      clearTimeout(timer);
      draw();
    },
  };

  function draw(): void {
    timer = undefined;
    if (!resource) return;
    const { columns: width = 80, rows = 24 } = process.stdout;
    drawn.draw(live.lines(printerFor(resource, table, false), { columns: width, rows }, new Date()));
  }
}

function showSeen({ format, table, changesOnly, withEvents }: WatchRequest, terminal: Terminal): (source: ApiSource, seen: Seen) => void {
  const writer = new TabWriter();
  const columns = new Map<ApiSource, readonly TableColumn[]>();
  let tables: TablePrinter | undefined;
  return (source, { resource, answer, event, isInitial }) => {
    const { cluster } = source;
    const isHidden = isInitial && changesOnly;
    const shownEvent = withEvents ? event : undefined;
    if (format.as === 'objects') {
      if (!isHidden)
        for (const object of objectsOf(answer)) terminal.out(format.printer.printOne(markCluster(object, cluster), shownEvent));
      return;
    }
    tables ??= printerFor(resource, table, false);
    const received = tableOf(answer, new Date());
    // Columns come with the first event of a watch only.
    if (received.columnDefinitions.length > 0) columns.set(source, received.columnDefinitions);
    const whole = withCluster({ ...received, columnDefinitions: columns.get(source) ?? [] }, cluster);
    tables.print(isHidden ? { ...whole, rows: [] } : whole, writer, shownEvent);
    terminal.out(writer.flush());
  };
}
