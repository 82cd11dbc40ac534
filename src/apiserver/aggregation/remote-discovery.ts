import type { APIServiceSpec } from '../../api/kubernetes.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../util/json.ts';
import { fetchRemote, type RemoteDeps } from './remote-server.ts';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const accept = `${aggregatedType},application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json`;
const timeoutMs = 5000;

/** The resources of one group version of an aggregated server, as apidiscovery.k8s.io/v2 lists them. */
export async function fetchDiscovery(deps: RemoteDeps, spec: APIServiceSpec): Promise<JsonObject[]> {
  const { group = '', version = '' } = spec;
  const all = await fetchJson(deps, spec, '/apis');
  if (isJsonObject(all) && all['kind'] === 'APIGroupDiscoveryList') {
    const found = itemsOf(all['items']).find(item => isJsonObject(item['metadata']) && item['metadata']['name'] === group);
    const served = itemsOf(found?.['versions']).find(item => item['version'] === version);
    if (served) return itemsOf(served['resources']);
  }
  const plain = await fetchJson(deps, spec, `/apis/${group}/${version}`);
  return isJsonObject(plain) ? fromPlainList(itemsOf(plain['resources']), { group, version }) : [];
}

/** The paths of OpenAPI v3 documents of one group version, as `/openapi/v3` lists them. */
export async function fetchOpenApiPaths(deps: RemoteDeps, spec: APIServiceSpec): Promise<Record<string, string>> {
  const root = await fetchJson(deps, spec, '/openapi/v3').catch(() => undefined);
  const paths = isJsonObject(root) && isJsonObject(root['paths']) ? root['paths'] : {};
  const wanted = `apis/${spec.group}/${spec.version}`;
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, entry]) =>
      path === wanted && isJsonObject(entry) && typeof entry['serverRelativeURL'] === 'string' ? [[path, entry['serverRelativeURL']]] : [],
    ),
  );
}

/** The OpenAPI v2 document of an aggregated server, or undefined when it has none. */
export async function fetchOpenApiV2(deps: RemoteDeps, spec: APIServiceSpec): Promise<JsonObject | undefined> {
  const document = await fetchJson(deps, spec, '/openapi/v2').catch(() => undefined);
  return isJsonObject(document) && document['swagger'] !== undefined ? document : undefined;
}

async function fetchJson(deps: RemoteDeps, spec: APIServiceSpec, path: string): Promise<Json> {
  const type = path.startsWith('/openapi') ? 'application/json' : accept;
  const { status, body } = await fetchRemote(deps, spec, path, type, timeoutMs);
  if (status < 200 || status > 299) throw new Error(`bad status from ${path}: ${status}`);
  return parseJson(body.toString('utf8'));
}

const itemsOf = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

/** An APIResourceList in the newer form: subresources move under their resource. */
function fromPlainList(resources: readonly JsonObject[], gv: { group: string; version: string }): JsonObject[] {
  const kindOf = (r: JsonObject) => ({ group: r['group'] ?? gv.group, version: r['version'] ?? gv.version, kind: r['kind'] ?? '' });
  const result = new Map<string, JsonObject>();
  for (const r of resources) {
    const [name = '', sub] = String(r['name']).split('/');
    if (sub !== undefined) {
      const parent = result.get(name);
      const listed = parent?.['subresources'];
      const entry: JsonObject = { subresource: sub, responseKind: kindOf(r), verbs: r['verbs'] ?? [] };
      if (parent) parent['subresources'] = [...(Array.isArray(listed) ? listed : []), entry];
      continue;
    }
    result.set(name, {
      resource: name,
      responseKind: kindOf(r),
      scope: r['namespaced'] === true ? 'Namespaced' : 'Cluster',
      singularResource: r['singularName'] ?? '',
      verbs: r['verbs'] ?? [],
      ...(r['shortNames'] !== undefined && { shortNames: r['shortNames'] }),
      ...(r['categories'] !== undefined && { categories: r['categories'] }),
    });
  }
  return [...result.values()];
}
