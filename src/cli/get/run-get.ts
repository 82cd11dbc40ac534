import type { Json, JsonObject } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { markCluster } from '../clusters/cluster-mark.ts';
import type { OutputFormat } from '../output/output-format.ts';
import { sortBy } from '../output/sort-by.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { ResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { objectsOf } from './answers.ts';
import { collect, type Collected } from './collect.ts';
import type { Query } from './fetch.ts';
import { printTables, type TableOptions } from './print-tables.ts';
import { failuresOf, reportFailures } from './report-failures.ts';

export interface GetRequest {
  readonly sources: readonly ApiSource[];
  readonly wanted: ResourceArguments;
  readonly query: Query;
  readonly format: OutputFormat;
  readonly table: TableOptions;
  readonly ignoreNotFound: boolean;
  readonly timeoutMs: number;
}

/** How many APIs are asked at a time. */
export const clustersAtOnce = 32;

/** Asks every API, prints what came, and says in one line each what did not. */
export async function runGet(request: GetRequest, terminal: Terminal): Promise<void> {
  const { sources, wanted, query, timeoutMs } = request;
  const { signal } = terminal;
  const collected = await mapBounded(sources, clustersAtOnce, source => collect(source, wanted, query, { signal, timeoutMs }));
  const isOneWanted = wanted.by === 'name' && wanted.pairs.length === 1 && !wanted.isList && sources.length === 1;
  const failures = failuresOf(collected, request);

  const text = printed(collected, request, isOneWanted, failures.length > 0);
  terminal.out(text);
  if (text === '' && failures.length === 0 && !request.ignoreNotFound && request.format.as === 'table')
    terminal.err(nothingFound(collected, query));
  reportFailures(failures, sources.length, terminal);
}

function printed(
  collected: readonly Collected[],
  { format, table, ignoreNotFound }: GetRequest,
  isOneWanted: boolean,
  hasFailed: boolean,
): string {
  if (format.as === 'table') return printTables(collected, table, new Date());
  const objects = collected.flatMap(({ source, parts }) =>
    parts.flatMap(({ answers }) => answers.flatMap(objectsOf).map(object => markCluster(object, source.cluster))),
  );
  if (objects.length === 0 && (ignoreNotFound || (isOneWanted && hasFailed))) return '';
  const isSingle = isOneWanted && objects.length === 1;
  return format.printer.printAll(table.sortBy === undefined ? objects : sorted(objects, table.sortBy), isSingle);
}

const sorted = (objects: readonly JsonObject[], paths: string | readonly string[]) =>
  sortBy<JsonObject>(objects, paths, object => object as Json);

function nothingFound(collected: readonly Collected[], { allNamespaces, namespace }: Query): string {
  const isNamespaced = collected.every(({ parts }) => parts.every(({ resource }) => resource.scope === 'Namespaced'));
  return !allNamespaces && isNamespaced ? `No resources found in ${namespace} namespace.\n` : 'No resources found\n';
}
