import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { badRequest, methodNotAllowed, notFoundError, unauthorized } from '../../../api/status.ts';
import type { HubAccess } from '../../../auth/hub-access.ts';
import { forbiddenRequest } from '../../../auth/rbac.ts';
import { anonymous, type ResourceAttributes } from '../../../auth/user.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { isTerminal, WorkflowRun } from '../kinds/workflow-run.ts';
import { decodeEscapes } from '../../../util/decode-escapes.ts';
import { printEntry } from '../logs/print-entry.ts';
import type { LogEntry, LogQuery, RunLogReader } from '../logs/run-logs.ts';

export interface RunLogRouteDeps {
  readonly access: HubAccess;
  readonly runs: Informer<WorkflowRun>;
  readonly logs: RunLogReader;
  /** How often the right to an open stream is looked at again. Default 2.5 s. */
  readonly recheckMs?: number;
}

const path = /^\/delivery\/v1\/namespaces\/([^/]+)\/workflowruns\/([^/]+)\/logs$/;
/** What is written last may come after the run is said to be over. */
const lingerMs = 500;

export const isRunLogPath = (one: string): boolean => path.test(one);

/** The log of a run, for those whom the hub's RBAC lets `get` the subresource `log` of it. */
export function runLogRoute({ access, runs, logs, recheckMs = 2500 }: RunLogRouteDeps) {
  return handle;

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== 'GET') throw methodNotAllowed();
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://hub');
    const [, namespace = '', name = ''] = (path.exec(pathname) ?? []).map(part => decodeEscapes(part));
    const wanted = wantedOf(namespace, name);
    await authorize(req, wanted);
    const key = `${namespace}/${name}`;
    const run = runs.get(key);
    if (!run) throw notFoundError(WorkflowRun, name);
    const query = queryOf(searchParams, run);
    const isJson = /\bjson\b/.test(req.headers.accept ?? '');
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    const isFollowing = searchParams.get('follow') === 'true';
    using _watched = isFollowing ? recheck(req, res, wanted) : undefined;
    res.writeHead(200, {
      'Content-Type': isJson ? 'application/x-ndjson' : 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    res.flushHeaders();
    const entries = isFollowing ? logs.follow(run.metadata.uid!, query, untilOver(key, gone.signal)) : logs.read(run.metadata.uid!, query);
    const print = isJson ? jsonLine(run) : textLine;
    await pipeline(Readable.from(printed(entries, print)), res).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
  }

  async function authorize(req: IncomingMessage, wanted: ResourceAttributes): Promise<void> {
    const user = await access.identify(req, wanted);
    const { allowed, reason } = await access.authorize(user, wanted);
    if (allowed) return;
    throw user.name === anonymous.name ? unauthorized() : forbiddenRequest(user, wanted, reason);
  }

  /** Who follows a log loses it with the right to it. */
  function recheck(req: IncomingMessage, res: ServerResponse, wanted: ResourceAttributes): Disposable {
    const look = setInterval(() => void authorize(req, wanted).catch(() => res.destroy()), recheckMs).unref();
    return { [Symbol.dispose]: () => clearInterval(look) };
  }

  /** Fires a moment after the run is over. */
  function untilOver(key: string, gone: AbortSignal): AbortSignal {
    const over = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      const run = runs.get(key);
      if (!run || isTerminal(run.status?.phase)) {
        timer ??= setTimeout(() => over.abort(), lingerMs);
      } else {
        clearTimeout(timer);
        timer = undefined;
      }
    };
    const subscription = runs.subscribe(({ object }) => {
      if (`${object.metadata.namespace}/${object.metadata.name}` === key) look();
    });
    look();
    const end = () => {
      subscription[Symbol.dispose]();
      clearTimeout(timer);
    };
    over.signal.addEventListener('abort', end, { once: true });
    gone.addEventListener('abort', end, { once: true });
    return AbortSignal.any([over.signal, gone]);
  }
}

const wantedOf = (namespace: string, name: string): ResourceAttributes => ({
  isResource: true,
  verb: 'get',
  group: WorkflowRun.group,
  version: WorkflowRun.version,
  resource: WorkflowRun.resource,
  subresource: 'log',
  namespace,
  name,
});

/** Clusters go by name or id; `run` is what the run itself said. */
function queryOf(query: URLSearchParams, { status }: WorkflowRun): LogQuery {
  const [cluster, step, unit, since] = ['cluster', 'step', 'unit', 'since'].map(name => query.get(name) ?? undefined);
  const at = since === undefined ? undefined : new Date(since);
  if (at && Number.isNaN(at.getTime())) throw badRequest(`since: ${JSON.stringify(since)} is no time such as 2026-01-31T12:00:00Z`);
  const ids = (name: string) => (status?.resolvedClusters ?? []).filter(one => one.name === name || one.id === name).map(one => one.id);
  const clusters = cluster === undefined ? undefined : cluster.split(',').flatMap(name => (name === 'run' ? [''] : ids(name)));
  if (clusters?.length === 0) throw badRequest(`cluster: the run has no cluster ${JSON.stringify(cluster)}`);
  return { clusters, step, unit, since: at };
}

const textLine = (entry: LogEntry): string => printEntry(entry);

/** As in the specification: the name of the cluster, which people know. */
function jsonLine({ status }: WorkflowRun): (entry: LogEntry) => string {
  const names = new Map((status?.resolvedClusters ?? []).map(one => [one.id, one.name]));
  return ({ ts, level, cluster, step, unit, seq, msg }) =>
    JSON.stringify({ ts, level, cluster: cluster === undefined ? null : (names.get(cluster) ?? cluster), step, unit, seq, msg });
}

async function* printed(entries: AsyncIterable<LogEntry>, print: (entry: LogEntry) => string): AsyncGenerator<string> {
  for await (const entry of entries) yield `${print(entry)}\n`;
}
