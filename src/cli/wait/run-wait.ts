import { setTimeout as sleep } from 'node:timers/promises';
import { parseApiVersion, qualifiedKind } from '../../api/object.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { objectsOf } from '../get/answers.ts';
import { collect, isNotFound, type Collected } from '../get/collect.ts';
import type { Query } from '../get/fetch.ts';
import { failuresOf, reportFailures } from '../get/report-failures.ts';
import { clustersAtOnce } from '../get/run-get.ts';
import { showProgress, type ProgressItem } from '../output/progress.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { ResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import type { Awaited } from './awaited.ts';

export interface WaitRequest {
  readonly sources: readonly ApiSource[];
  readonly wanted: ResourceArguments;
  readonly query: Query;
  readonly awaited: Awaited;
  /** For everything together. */
  readonly timeoutMs: number;
  readonly requestTimeoutMs: number;
}

const pollMs = 300;

/** Waits until it is so for every object on every cluster; prints one line for each as it comes true, and on standard error how far the others are. */
export async function runWait(request: WaitRequest, terminal: Terminal): Promise<void> {
  const { sources, awaited, timeoutMs } = request;
  const { signal } = terminal;
  const deadline = performance.now() + timeoutMs;
  const done = new Set<string>();
  const seen = new Set<string>();
  using progress = showProgress(terminal);
  for (;;) {
    const collected = await look(request, terminal);
    const failures = failuresOf(collected, { ignoreNotFound: awaited.absence !== 'failure', sources });
    const items = itemsOf(collected, request, seen);
    for (const { name } of items.filter(one => one.isDone && !done.has(one.name))) {
      done.add(name);
      progress.clear();
      terminal.out(`${name} ${awaited.done}\n`);
    }
    progress.show(items.filter(one => terminal.isErrorTty || !one.isDone));
    if (items.length === 0 && failures.length === 0 && awaited.absence === 'failure')
      throw new CommandError('no matching resources found', { hint: 'wait for --for=create first, or look with "drover get"' });
    const isOver = items.every(one => one.isDone) && (items.length > 0 || awaited.absence !== 'start');
    if (isOver || failures.length > 0) return reportFailures(failures, sources.length, terminal);
    if (performance.now() > deadline) throw timedOut(items, request);
    await sleep(pollMs, undefined, { signal });
  }
}

function look({ sources, wanted, query, requestTimeoutMs }: WaitRequest, { signal }: Terminal): Promise<Collected[]> {
  return mapBounded(sources, clustersAtOnce, source => collect(source, wanted, query, { signal, timeoutMs: requestTimeoutMs }));
}

/** Everything that was ever seen: what is waited for to go is done when it is gone. */
function itemsOf(collected: readonly Collected[], { awaited, wanted, sources }: WaitRequest, seen: Set<string>): ProgressItem[] {
  const items = new Map<string, ProgressItem>();
  for (const { source, parts } of collected)
    for (const object of parts.flatMap(({ answers }) => answers.flatMap(objectsOf))) {
      const name = titleOf(object, source.cluster);
      seen.add(name);
      items.set(name, { name, ...awaited.judge(object) });
    }
  if (awaited.absence === 'goal') for (const name of seen) if (!items.has(name)) items.set(name, { name, state: 'is gone', isDone: true });
  if (awaited.absence === 'start') for (const item of missingNames(collected, wanted, sources)) items.set(item.name, item);
  return [...items.values()];
}

/** What was asked for by name and is not there yet. */
function missingNames(collected: readonly Collected[], wanted: ResourceArguments, sources: readonly ApiSource[]): ProgressItem[] {
  if (wanted.by !== 'name') return [];
  return collected.flatMap(({ source: { cluster }, errors }) =>
    errors
      .filter(error => isNotFound(error, cluster))
      .map(error => {
        const { name = '', kind = '' } = (error as { details?: { name?: string; kind?: string } }).details ?? {};
        return { name: `${sources.length > 1 ? `${cluster}/` : ''}${kind}/${name}`, state: 'is not there yet', isDone: false };
      }),
  );
}

function titleOf(object: JsonObject, cluster: string | undefined): string {
  const { group } = parseApiVersion(String(object['apiVersion']));
  const name = isJsonObject(object['metadata']) ? String(object['metadata']['name']) : '';
  return `${cluster === undefined ? '' : `${cluster}/`}${qualifiedKind({ group, kind: String(object['kind']).toLowerCase() })}/${name}`;
}

function timedOut(items: readonly ProgressItem[], { timeoutMs }: WaitRequest): CommandError {
  const late = items.filter(one => !one.isDone);
  const shown = late.slice(0, 3).map(({ name, state }) => `${name} (${state})`);
  const more = late.length > 3 ? ` and ${late.length - 3} more` : '';
  return new CommandError(`timed out after ${timeoutMs / 1000} s waiting for ${shown.join(', ') || 'objects to be created'}${more}`, {
    exitCode: exitCodes.timedOut,
    hint: '--timeout gives it longer; "drover describe" shows what happened',
  });
}
