import { setTimeout as sleep } from 'node:timers/promises';
import { StatusError } from '../../api/status.ts';
import { UnreachableError } from '../../client/transport.ts';
import { bounded } from '../../util/map-bounded.ts';
import { markCluster } from '../clusters/cluster-mark.ts';
import { memberLine } from '../clusters/member-line.ts';
import { EndWith, exitCodes } from '../exit-codes.ts';
import { TabWriter } from '../output/tab-writer.ts';
import type { TablePrinter } from '../output/table-printer.ts';
import type { TableColumn } from '../output/table.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { Terminal } from '../terminal.ts';
import { objectsOf, tableOf } from './answers.ts';
import { isNotFound } from './collect.ts';
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
  const show = showSeen(request, terminal);
  const inTurn = bounded(clustersAtOnce);
  const failed: unknown[] = [];
  await Promise.all(
    sources.map(async source => {
      try {
        await follow(source);
      } catch (error) {
        if (signal.aborted || (ignoreNotFound && isNotFound(error, source.cluster))) return;
        failed.push(error);
        if (source.cluster !== undefined) terminal.err(memberLine(source.cluster, error));
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
          show(source, seen);
        }
        return;
      } catch (error) {
        if (signal.aborted || source.cluster === undefined || !mayPass(error)) throw error;
        if (attempt === 0) terminal.err(memberLine(source.cluster, error));
        await sleep(retryAfterMs(attempt), undefined, { signal });
      }
    }
  }
}

/** A member that cannot be reached may be back in a moment; one that refuses will refuse again. */
function mayPass(error: unknown): boolean {
  return error instanceof UnreachableError || (error instanceof StatusError && [429, 502, 503, 504].includes(error.code));
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
