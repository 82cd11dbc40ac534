import type { KubeObject } from '../../../api/object.ts';
import { expired } from '../../../api/status.ts';
import { apiPath } from '../../../client/api-path.ts';
import { readStatusError } from '../../../client/read-answer.ts';
import { readWatch } from '../../../client/read-watch.ts';
import { isJsonObject } from '../../../util/json.ts';
import type { SteveApi } from '../v1/steve-api.ts';
import { rowsOf, type Row } from '../v1/steve-table.ts';
import type { SteveType } from '../v1/steve-type.ts';

export interface TypeEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly row: Row;
}

export interface WatchWish {
  readonly namespace?: string;
  readonly name?: string;
  readonly labelSelector?: string;
  readonly resourceVersion?: string;
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const answerTimeoutMs = 30_000;
/** Servers send bookmarks about every minute. */
const silenceMs = 130_000;
const watchSeconds = 1800;

/** The changes of a type, with the columns of each object. Ends when the server ends it; throws when the past that was asked for is gone. */
export async function* watchType(api: SteveApi, type: SteveType, wish: WatchWish, signal: AbortSignal): AsyncGenerator<TypeEvent> {
  const { namespace, name, labelSelector, resourceVersion } = wish;
  const query = {
    watch: true,
    allowWatchBookmarks: true,
    includeObject: 'Object',
    timeoutSeconds: watchSeconds,
    labelSelector,
    resourceVersion,
    ...(name !== undefined && { fieldSelector: `metadata.name=${name}` }),
  };
  const path = apiPath(type, { namespace }, query);
  const answer = await api.client.request({ method: 'GET', path, headers: { accept }, answerTimeoutMs, signal });
  if (answer.status !== 200) throw await readStatusError(answer);
  for await (const event of readWatch<KubeObject>(answer.body, silenceMs)) {
    if (event.type === 'EXPIRED') throw expired('too old resource version');
    if (event.type === 'BOOKMARK' || !isJsonObject(event.object)) continue;
    for (const row of rowsOf(event.object, type)) yield { type: event.type, row };
  }
}
