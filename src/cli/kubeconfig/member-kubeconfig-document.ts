import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { memberPath } from '../clusters/member-transport.ts';
import { CommandError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import { flatEntries } from './flat-entries.ts';

/** A kubeconfig whose one context is a member behind the hub, with the caller's own credential for the hub. */
export async function memberKubeconfig(hub: Pick<HubConnection, 'chosen' | 'server' | 'gateway'>, cluster: string): Promise<JsonObject> {
  const { chosen } = hub;
  const entries = flatEntries(chosen.files, chosen.context.name);
  const { server, authorities } = await hub.gateway();
  // What is said of the hub's API is true of its gateway only when they are one.
  const place = authorities === undefined ? entries.cluster : { 'certificate-authority-data': Buffer.from(authorities).toString('base64') };
  // The same user of another hub has another credential.
  const user = `drover-${chosen.context.userName || 'anonymous'}@${new URL(hub.server).host}`;
  const name = `drover-${cluster}`;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { ...place, server: `${server}${memberPath(cluster)}` } }],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
    preferences: {},
    users: [{ name: user, user: entries.user }],
  };
}

/** Puts the entries of one kubeconfig into another. Entries of the same name are replaced unless they lead elsewhere; everything else stays as it was. */
export function mergeKubeconfig(present: JsonObject, added: JsonObject): JsonObject {
  for (const { name, cluster } of entriesOf(added['clusters'])) {
    const old = entriesOf(present['clusters']).find(entry => entry['name'] === name)?.['cluster'];
    const [oldServer, server] = [old, cluster].map(one => (isJsonObject(one) ? one['server'] : undefined));
    if (oldServer !== undefined && oldServer !== server)
      throw new CommandError(`the kubeconfig has "${String(name)}" already, for ${String(oldServer)}`, {
        hint: 'rename that one, or write this one to a file of its own with -o FILE',
      });
  }
  const merged: JsonObject = { ...added, ...present };
  for (const list of ['clusters', 'contexts', 'users']) merged[list] = mergeEntries(present[list], added[list]);
  if (typeof present['current-context'] !== 'string' || present['current-context'] === '')
    merged['current-context'] = added['current-context']!;
  return merged;
}

function mergeEntries(present: unknown, added: unknown): JsonObject[] {
  const fresh = entriesOf(added);
  const names = new Set(fresh.map(entry => entry['name']));
  return [...entriesOf(present).filter(entry => !names.has(entry['name'])), ...fresh];
}

const entriesOf = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isJsonObject) : []);
