import { StatusError } from '../../api/status.ts';
import { apiPath } from '../../client/api-path.ts';
import { underDeadline } from '../../client/deadline.ts';
import { readStatusError } from '../../client/read-answer.ts';
import { readWatch } from '../../client/read-watch.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { usageError } from '../exit-codes.ts';
import { withResources, type ApiSource } from '../resources/api-source.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { resolveRequests, type ResourceArguments } from '../resources/resource-arguments.ts';
import { isTable } from './answers.ts';
import { checkNamed, placed } from './collect.ts';
import { accepts, fetchList, fetchNamed, queryFor, tableQuery, type Query } from './fetch.ts';

/** Servers send bookmarks about every minute; a watch that is silent for longer is dead. */
const silenceMs = 130_000;
const firstAnswerMs = 30_000;

/** What is to be shown of one API: answers as they are now, then as they change. */
export interface Seen {
  readonly resource: ApiResource;
  readonly answer: JsonObject;
  readonly event: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** Part of what was there when the watch began. */
  readonly isInitial: boolean;
  /** Begins all that is there, in one or several answers. */
  readonly isFirst?: boolean;
}

export interface WatchSourceOptions {
  readonly signal: AbortSignal;
  /** Runs what asks the server something. Thousands of watches must not all begin at once. */
  inTurn<R>(work: () => Promise<R>): Promise<R>;
}

/** The objects that are there, then every change, until the signal. Goes on where it was when the server ends a watch. */
export async function* watchSource(
  source: ApiSource,
  wanted: ResourceArguments,
  asked: Query,
  options: WatchSourceOptions,
): AsyncGenerator<Seen> {
  const general = queryFor(source, asked);
  const { signal } = options;
  const ask = <R>(work: (deadline: AbortSignal) => Promise<R>) =>
    options.inTurn(() => underDeadline({ signal, timeoutMs: firstAnswerMs }, work));
  const { resource, name, query } = await ask(deadline =>
    withResources(source, deadline, async resources => onlyRequest(resources, wanted, general)),
  );
  while (!signal.aborted) {
    const { answers, version } = await ask(deadline => present(source, resource, name, query, deadline));
    for (const [i, answer] of answers.entries()) yield { resource, answer, event: 'ADDED', isInitial: true, isFirst: i === 0 };
    yield* changesSince(source, resource, name, query, version, options);
  }
}

interface Present {
  readonly answers: JsonObject[];
  readonly version: string;
}

async function present(
  { client }: ApiSource,
  resource: ApiResource,
  name: string | undefined,
  query: Query,
  signal: AbortSignal,
): Promise<Present> {
  if (name === undefined) {
    const answers = await fetchList(client, resource, query, signal);
    return { answers, version: versionOf(answers.at(-1)!) };
  }
  // The version of an object may be older than what the server remembers; that of a list is not. Listed first, so that no change is missed.
  const pages = await fetchList(client, resource, { ...query, fieldSelector: `metadata.name=${name}` }, signal);
  const answer = await fetchNamed(client, resource, name, query, signal);
  return { answers: [answer], version: versionOf(pages.at(-1)!) };
}

interface OnlyRequest {
  readonly resource: ApiResource;
  readonly name?: string;
  readonly query: Query;
}

function onlyRequest(resources: readonly ApiResource[], wanted: ResourceArguments, query: Query): OnlyRequest {
  if (wanted.by === 'name' && wanted.matches)
    throw usageError('what is watched is one object, or all that a selector finds', 'leave out the files or the selector');
  const requests = resolveRequests(resources, wanted);
  const [first] = requests;
  if (requests.length !== 1 || !first) throw usageError('you may only specify a single resource type', 'watch one type at a time');
  const { resource, names } = first;
  if (!names) return { resource, query };
  if (names.length !== 1)
    throw usageError(`watch is only supported on individual resources and resource collections - ${names.length} resources were found`);
  const [only] = names;
  if (!only!.file) checkNamed(resource, query);
  return { resource, name: only!.name, query: placed({ ...query, allNamespaces: false }, only!) };
}

/** Ends when the server has forgotten the version: what is there must then be read again. */
async function* changesSince(
  source: ApiSource,
  resource: ApiResource,
  name: string | undefined,
  query: Query,
  version: string,
  { signal, inTurn }: WatchSourceOptions,
): AsyncGenerator<Seen> {
  const { allNamespaces, namespace, labelSelector, fieldSelector } = query;
  let resourceVersion = version;
  while (!signal.aborted) {
    const path = apiPath(
      resource,
      { namespace: allNamespaces ? undefined : namespace },
      {
        ...tableQuery(query),
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion,
        labelSelector,
        fieldSelector: name === undefined ? fieldSelector : `metadata.name=${name}`,
      },
    );
    const res = await inTurn(() => source.client.request({ method: 'GET', path, headers: { accept: accepts[query.form] }, signal }));
    if (res.status !== 200) {
      const error = await readStatusError(res);
      if (error instanceof StatusError && error.code === 410) return;
      throw error;
    }
    for await (const event of readWatch(res.body, silenceMs)) {
      if (event.type === 'EXPIRED') return;
      const answer = event.object as unknown as JsonObject;
      resourceVersion = versionOf(answer) || resourceVersion;
      if (event.type !== 'BOOKMARK') yield { resource, answer, event: event.type, isInitial: false };
    }
  }
}

function versionOf(answer: JsonObject): string {
  const own = resourceVersionOf(answer);
  if (own !== '' || !isTable(answer) || !Array.isArray(answer['rows'])) return own;
  const row = answer['rows'].at(-1);
  return isJsonObject(row) ? resourceVersionOf(row['object']) : '';
}

function resourceVersionOf(object: unknown): string {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  const version = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : '';
}
