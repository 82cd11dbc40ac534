import { createInterface } from 'node:readline';
import { readStatusError } from '../../client/read-answer.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { CommandError } from '../exit-codes.ts';
import type { Query } from '../get/fetch.ts';
import { reportFailures, type Failure } from '../get/report-failures.ts';
import { clustersAtOnce } from '../get/run-get.ts';
import { visibleText } from '../output/visible-text.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { ResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { findPods, isAbsent } from './find-pods.ts';

export interface PodLogsRequest {
  readonly sources: readonly ApiSource[];
  /** Undefined: what the selector of the query finds. */
  readonly wanted: ResourceArguments | undefined;
  readonly query: Query;
  readonly container: string | undefined;
  readonly allContainers: boolean;
  readonly hasPrefix: boolean;
  readonly follow: boolean;
  readonly sinceMs: number | undefined;
  readonly tail: number | undefined;
  readonly timestamps: boolean;
  readonly previous: boolean;
}

interface LogStream {
  readonly source: ApiSource;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** More would be more than anybody can read, and each holds a connection. */
const maxFollowed = 200;

/** Shows what containers on members say, one after the other, or all at once while it is followed. */
export async function runPodLogs(request: PodLogsRequest, terminal: Terminal): Promise<void> {
  const { sources, wanted, query, follow } = request;
  const { signal } = terminal;
  const failures: Failure[] = [];
  const absences: Failure[] = [];
  const perSource = await mapBounded(sources, clustersAtOnce, async source => {
    try {
      const pods = await findPods(source, wanted, query, signal);
      return pods.flatMap(pod => streamsOf(source, pod, request));
    } catch (error) {
      signal.throwIfAborted();
      (isAbsent(error) ? absences : failures).push({ cluster: source.cluster, error });
      return [];
    }
  });
  const streams = perSource.flat();
  // That one member has no such object is an answer as long as another has it.
  if (streams.length === 0) failures.push(...absences);
  if (streams.length === 0 && failures.length === 0)
    throw new CommandError('no pods are found', { hint: '-n looks in another namespace; "drover get pods" takes the same -C, -n and -l' });
  if (follow && streams.length > maxFollowed)
    throw new CommandError(`${streams.length} containers are too many to follow`, {
      hint: `choose at most ${maxFollowed} with -C, -l or -c`,
    });
  const hasPrefix = request.hasPrefix || streams.length > 1;
  await mapBounded(streams, follow ? maxFollowed : 1, async stream => {
    try {
      await show(stream, request, hasPrefix, terminal);
    } catch (error) {
      if (!signal.aborted) failures.push({ cluster: stream.source.cluster, error });
    }
  });
  reportFailures(failures, sources.length, terminal);
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function streamsOf(source: ApiSource, { metadata, spec }: JsonObject, { container, allContainers }: PodLogsRequest): LogStream[] {
  const { name, namespace, annotations } = isJsonObject(metadata) ? metadata : {};
  const listed = isJsonObject(spec) && Array.isArray(spec['containers']) ? spec['containers'] : [];
  const names = listed.flatMap(one => (isJsonObject(one) ? [textOf(one['name'])] : []));
  const preferred = isJsonObject(annotations) ? textOf(annotations['kubectl.kubernetes.io/default-container']) : '';
  const one = container ?? (names.includes(preferred) ? preferred : names[0]);
  const chosen = allContainers ? names : one === undefined ? [] : [one];
  return chosen.map(each => ({ source, namespace: textOf(namespace), pod: textOf(name), container: each }));
}

async function show(stream: LogStream, request: PodLogsRequest, hasPrefix: boolean, terminal: Terminal): Promise<void> {
  const { source, namespace, pod, container } = stream;
  const { signal } = terminal;
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/log?${queryOf(container, request).toString()}`;
  const res = await source.client.request({ method: 'GET', path, signal, ...(request.follow && { answerTimeoutMs: Infinity }) });
  if (res.status !== 200) throw await readStatusError(res);
  const place = [source.cluster, 'pod', pod, container].filter(Boolean).join('/');
  const prefix = hasPrefix ? `[${place}] ` : '';
  for await (const line of createInterface({ input: res.body, crlfDelay: Infinity }))
    terminal.out(`${prefix}${terminal.isOutputTty ? harmless(line) : line}\n`);
}

/** A terminal gets the colours of a line and nothing else that would do something to it; a file gets the line as it is. */
function harmless(line: string): string {
  const parts = line.split(/(\u001b\[[0-9;]*m)/);
  return parts.map((part, i) => (i % 2 === 1 ? part : visibleText(part))).join('') + (parts.length > 1 ? '\u001b[0m' : '');
}

function queryOf(container: string, { follow, sinceMs, tail, timestamps, previous }: PodLogsRequest): URLSearchParams {
  const query = new URLSearchParams({ container });
  if (follow) query.set('follow', 'true');
  if (sinceMs !== undefined) query.set('sinceSeconds', String(Math.max(1, Math.ceil(sinceMs / 1000))));
  if (tail !== undefined) query.set('tailLines', String(tail));
  if (timestamps) query.set('timestamps', 'true');
  if (previous) query.set('previous', 'true');
  return query;
}
