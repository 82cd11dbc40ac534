import { StatusError } from '../../../api/status.ts';
import { UnreachableError } from '../../../client/transport.ts';
import type { JsonObject } from '../../../util/json.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import type { SteveApi } from './steve-api.ts';
import type { SteveType } from './steve-type.ts';
import { listVisible } from './steve-visible.ts';

const atATime = 8;

/** How many objects of each type the caller may see. One of each is read: servers say how many they left out. */
export async function steveCounts(api: SteveApi): Promise<JsonObject> {
  const types = api.types.all.filter(({ verbs }) => verbs.includes('list'));
  const counted = await mapBounded(types, atATime, async type => [type.id, await countOf(api, type)] as const);
  const counts = Object.fromEntries(counted.flatMap(([id, count]) => (count ? [[id, count]] : [])));
  return { id: 'counts', type: 'count', links: { self: `${api.root}/counts/counts` }, actions: {}, counts };
}

async function countOf(api: SteveApi, type: SteveType): Promise<JsonObject | undefined> {
  try {
    const { total, resourceVersion, rows } = await listVisible(api, type, { limit: 1 });
    return { summary: { count: total ?? rows.length }, namespaces: {}, revision: resourceVersion };
  } catch (error) {
    // What the caller may not see is not counted, and neither is what the server of a group does not tell.
    if (error instanceof StatusError || (error instanceof UnreachableError && !api.signal.aborted)) return undefined;
    throw error;
  }
}
