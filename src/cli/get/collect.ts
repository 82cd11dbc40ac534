import { Cluster } from '../../api/cluster.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { underDeadline } from '../../client/deadline.ts';
import type { JsonObject } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { mayBeOutdated, withResources, type ApiSource } from '../resources/api-source.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { resolveRequests, type LabelTest, type ResourceArguments, type ResourceRequest } from '../resources/resource-arguments.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { isTable, tableOf } from './answers.ts';
import { fetchList, fetchNamed, queryFor, type Query } from './fetch.ts';

const requestsAtOnce = 8;

/** The answers of one API about one type. */
export interface CollectedPart {
  readonly resource: ApiResource;
  readonly answers: readonly JsonObject[];
}

export interface Collected {
  readonly source: ApiSource;
  readonly parts: readonly CollectedPart[];
  readonly errors: readonly unknown[];
}

export interface CollectOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/** Asks one API for everything that is wanted. What fails is reported beside what does not. */
export async function collect(source: ApiSource, wanted: ResourceArguments, asked: Query, options: CollectOptions): Promise<Collected> {
  const query = queryFor(source, asked);
  const matches = wanted.by === 'name' ? wanted.matches : undefined;
  try {
    return await underDeadline(options, signal =>
      withResources(source, signal, async (resources, isFresh) => {
        const requests = resolveRequests(resources, wanted);
        for (const { names, resource } of requests) if (names && !names[0]?.file) checkNamed(resource, query);
        const outcomes = await mapBounded(requests, requestsAtOnce, request => ask(source, request, { query, matches }, signal));
        const errors = outcomes.flatMap(outcome => outcome.errors);
        const outdated = isFresh ? undefined : errors.find(mayBeOutdated);
        if (outdated !== undefined) throw outdated;
        return { source, parts: outcomes.map(outcome => outcome.part), errors };
      }),
    );
  } catch (error) {
    if (options.signal.aborted || (error instanceof CommandError && error.exitCode === 2)) throw error;
    return { source, parts: [], errors: [error] };
  }
}

/** Refuses what has no meaning before anything is asked. */
export function checkNamed({ scope }: Pick<ApiResource, 'scope'>, { allNamespaces, labelSelector, fieldSelector }: Query): void {
  if (labelSelector !== undefined || fieldSelector !== undefined)
    throw usageError('name cannot be provided when a selector is specified', 'leave out the name or the selector');
  if (scope === 'Namespaced' && allNamespaces)
    throw usageError('a resource cannot be retrieved by name across all namespaces', 'name its namespace with -n');
}

interface Outcome {
  readonly part: CollectedPart;
  readonly errors: readonly unknown[];
}

interface Asked {
  readonly query: Query;
  readonly matches: LabelTest | undefined;
}

async function ask(
  { client }: ApiSource,
  { resource, names }: ResourceRequest,
  { query, matches }: Asked,
  signal: AbortSignal,
): Promise<Outcome> {
  const answers: JsonObject[][] = [];
  const errors: unknown[] = [];
  const calls = names
    ? names.map(one => async () => [await fetchNamed(client, resource, one.name, placed(query, one), signal)])
    : [() => fetchList(client, resource, query, signal)];
  await mapBounded([...calls.entries()], requestsAtOnce, async ([i, call]) => {
    try {
      answers[i] = await call();
    } catch (error) {
      if (signal.aborted) throw error;
      errors[i] = error;
    }
  });
  const found = answers.flat();
  const chosen = matches ? found.filter(answer => matches(labelsOf(answer))) : found;
  return { part: { resource, answers: chosen }, errors: errors.filter(error => error !== undefined) };
}

/** Of one object, or of the one row of its Table. */
function labelsOf(answer: JsonObject): Readonly<Record<string, string>> | undefined {
  const object = isTable(answer) ? tableOf(answer, new Date()).rows[0]?.object : answer;
  return (object?.metadata as Partial<KubeObject['metadata']> | undefined)?.labels;
}

/** An object of a file is where the file says. */
export const placed = (query: Query, { namespace }: { readonly namespace?: string }): Query =>
  namespace === undefined ? query : { ...query, namespace, allNamespaces: false };

/** The object that was asked for is not there. That the hub has no such member is something else. */
export function isNotFound(error: unknown, cluster?: string): boolean {
  if (!(error instanceof StatusError) || error.code !== 404 || error.details?.name === undefined) return false;
  const { group, kind, name } = error.details;
  return !(group === Cluster.group && kind === Cluster.resource && name === cluster);
}
