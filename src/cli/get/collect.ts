import { Cluster } from '../../api/cluster.ts';
import { StatusError } from '../../api/status.ts';
import { underDeadline } from '../../client/deadline.ts';
import type { JsonObject } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { mayBeOutdated, withResources, type ApiSource } from '../resources/api-source.ts';
import type { ApiResource } from '../../client/api-resources.ts';
import { resolveRequests, type ResourceArguments, type ResourceRequest } from '../resources/resource-arguments.ts';
import { CommandError, usageError } from '../exit-codes.ts';
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
  try {
    return await underDeadline(options, signal =>
      withResources(source, signal, async (resources, isFresh) => {
        const requests = resolveRequests(resources, wanted);
        for (const { names, resource } of requests) if (names && !names[0]?.file) checkNamed(resource, query);
        const outcomes = await mapBounded(requests, requestsAtOnce, request => ask(source, request, query, signal));
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

async function ask({ client }: ApiSource, { resource, names }: ResourceRequest, query: Query, signal: AbortSignal): Promise<Outcome> {
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
  return { part: { resource, answers: answers.flat() }, errors: errors.filter(error => error !== undefined) };
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
