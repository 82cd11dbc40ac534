import type { CallOptions } from '../../client/kube-client.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { CommandError } from '../exit-codes.ts';
import { objectsOf } from '../get/answers.ts';
import { collect } from '../get/collect.ts';
import { fetchList, type Query } from '../get/fetch.ts';
import { failuresOf, reportFailures } from '../get/report-failures.ts';
import { clustersAtOnce } from '../get/run-get.ts';
import type { ApiSource } from '../resources/api-source.ts';
import type { ResourceArguments } from '../resources/resource-arguments.ts';
import type { Terminal } from '../terminal.ts';
import { describeObject, type Described } from './describe-object.ts';

export interface DescribeRequest {
  readonly sources: readonly ApiSource[];
  readonly wanted: ResourceArguments;
  readonly query: Query;
  readonly showEvents: boolean;
  readonly timeoutMs: number;
}

/** Describes what every API has of it, and says in one line each what did not answer. */
export async function runDescribe(request: DescribeRequest, terminal: Terminal): Promise<void> {
  const { sources, wanted, query, timeoutMs } = request;
  const { signal } = terminal;
  const collected = await mapBounded(sources, clustersAtOnce, source => collect(source, wanted, query, { signal, timeoutMs }));
  const found = collected.flatMap(({ source, parts }) =>
    parts.flatMap(({ answers }) => answers.flatMap(objectsOf).map(object => ({ source, object }))),
  );
  const described = await mapBounded(found, clustersAtOnce, async ({ source, object }): Promise<Described> => {
    const events = request.showEvents ? await eventsOf(source, object, { signal, timeoutMs }) : [];
    return { object, cluster: source.cluster, events };
  });
  const now = new Date();
  terminal.out(described.map(one => describeObject(one, now)).join('\n\n'));
  const failures = failuresOf(collected, { ignoreNotFound: false, sources });
  if (found.length === 0 && failures.length === 0)
    throw new CommandError('no resources found', { hint: '-A looks in all namespaces, -n in another one' });
  reportFailures(failures, sources.length, terminal);
}

const eventsResource = {
  group: '',
  version: 'v1',
  resource: 'events',
  kind: 'Event',
  singular: 'event',
  shortNames: [],
  categories: [],
  verbs: ['list'],
  scope: 'Namespaced',
} as const;

/** Who may not see them, or does not get them in time, sees the rest. */
async function eventsOf({ client }: ApiSource, object: JsonObject, { signal, timeoutMs }: Required<CallOptions>): Promise<JsonObject[]> {
  const { name, namespace, uid } = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const fieldSelector = `involvedObject.kind=${String(object['kind'])},involvedObject.name=${String(name)},involvedObject.uid=${String(uid)}`;
  const place = typeof namespace === 'string' ? namespace : 'default';
  const query: Query = { namespace: place, allNamespaces: false, fieldSelector, form: 'objects', chunkSize: 500 };
  try {
    const pages = await fetchList(client, eventsResource, query, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    return pages.flatMap(objectsOf);
  } catch {
    signal.throwIfAborted();
    return [];
  }
}
