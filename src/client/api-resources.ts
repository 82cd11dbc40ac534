import { parseApiVersion } from '../api/object.ts';
import { StatusError } from '../api/status.ts';
import type { KubeClient } from './kube-client.ts';
import { readJson } from './read-answer.ts';
import { isJsonObject, type Json, type JsonObject } from '../util/json.ts';

/** A kind of object that an API serves, with the names people call it. */
export interface ApiResource {
  readonly group: string;
  readonly version: string;
  /** The plural, as in the path. */
  readonly resource: string;
  readonly singular: string;
  readonly kind: string;
  readonly scope: 'Namespaced' | 'Cluster';
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

const aggregated =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

/** Everything an API serves, its groups in the server's order, the preferred version of a group first. */
export async function fetchApiResources(client: KubeClient, signal: AbortSignal): Promise<ApiResource[]> {
  const [core, named] = await Promise.all(['/api', '/apis'].map(path => fetchJson(client, path, signal)));
  const lists = [core, named].map(answer =>
    answer!['kind'] === 'APIGroupDiscoveryList' ? resourcesOfDiscovery(answer!) : fetchGroups(client, answer!, signal),
  );
  return (await Promise.all(lists)).flat();
}

async function fetchJson(client: KubeClient, path: string, signal: AbortSignal): Promise<JsonObject> {
  const value = await readJson(await client.request({ method: 'GET', path, headers: { accept: aggregated }, signal }));
  if (!isJsonObject(value)) throw new Error(`${path} did not answer with an object`);
  return value;
}

function resourcesOfDiscovery(list: JsonObject): ApiResource[] {
  return objects(list['items']).flatMap(item => {
    const group = text(at(item['metadata'], 'name'));
    return objects(item['versions']).flatMap(version =>
      objects(version['resources']).map(one => ({
        group,
        version: text(version['version']),
        resource: text(one['resource']),
        singular: text(one['singularResource']),
        kind: text(at(one['responseKind'], 'kind')),
        scope: one['scope'] === 'Namespaced' ? ('Namespaced' as const) : ('Cluster' as const),
        verbs: texts(one['verbs']),
        shortNames: texts(one['shortNames']),
        categories: texts(one['categories']),
      })),
    );
  });
}

/** Servers that do not answer for all groups at once are asked for each. A group that does not answer is left out, as kubectl does. */
async function fetchGroups(client: KubeClient, answer: JsonObject, signal: AbortSignal): Promise<ApiResource[]> {
  const paths =
    answer['kind'] === 'APIVersions'
      ? texts(answer['versions']).map(version => `/api/${version}`)
      : objects(answer['groups']).flatMap(group => {
          const preferred = text(at(group['preferredVersion'], 'groupVersion'));
          const all = objects(group['versions']).map(version => text(version['groupVersion']));
          return [preferred, ...all.filter(one => one !== preferred)].filter(one => one !== '').map(one => `/apis/${one}`);
        });
  const lists = await Promise.all(
    paths.map(path =>
      fetchJson(client, path, signal).catch((error: unknown) => {
        if (error instanceof StatusError) return {} as JsonObject;
        throw error;
      }),
    ),
  );
  return lists.flatMap(resourcesOfVersion);
}

function resourcesOfVersion(list: JsonObject): ApiResource[] {
  const { group, version } = parseApiVersion(text(list['groupVersion']));
  return objects(list['resources'])
    .filter(one => !text(one['name']).includes('/'))
    .map(one => ({
      group,
      version,
      resource: text(one['name']),
      singular: text(one['singularName']) || text(one['kind']).toLowerCase(),
      kind: text(one['kind']),
      scope: one['namespaced'] === true ? 'Namespaced' : 'Cluster',
      verbs: texts(one['verbs']),
      shortNames: texts(one['shortNames']),
      categories: texts(one['categories']),
    }));
}

const at = (value: Json | undefined, key: string) => (isJsonObject(value) ? value[key] : undefined);
const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
const texts = (value: Json | undefined) => (Array.isArray(value) ? value.filter(one => typeof one === 'string') : []);
const objects = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isJsonObject) : []);
