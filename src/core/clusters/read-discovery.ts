import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';
import { StatusError } from '../../api/status.ts';
import type { Json } from '../../util/json.ts';
import { shareApiResources, type ApiResources } from './share-api-resources.ts';

/** What a member serves, and the tags by which its documents can be asked for again at no cost. */
export interface Discovery {
  readonly apiResources: ApiResources;
  readonly tags: readonly (string | undefined)[];
}

interface Document {
  readonly body: Json | undefined;
  readonly tag: string | undefined;
}

const roots = ['/api', '/apis'];
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const olderAggregated = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

/** Reads what a member serves. Answers `known` itself when nothing has changed since. */
export async function readDiscovery(client: KubeClient, known: Discovery | undefined, signal: AbortSignal): Promise<Discovery> {
  const documents: Document[] = [];
  for (const [i, root] of roots.entries()) documents.push(await readDocument(client, root, signal, known?.tags[i]));
  if (known && documents.every(({ body }) => body === undefined)) return known;

  const apiResources: ApiResources = [];
  const tags: (string | undefined)[] = [];
  for (const [i, document] of documents.entries()) {
    // When only one of the two has changed, the other is needed as well.
    const { body = null, tag } = document.body === undefined ? await readDocument(client, roots[i]!, signal) : document;
    apiResources.push(...(await readGroups(client, body, signal)));
    tags.push(tag);
  }
  return { apiResources: shareApiResources(apiResources.sort((a, b) => (a.groupVersion < b.groupVersion ? -1 : 1))), tags };
}

async function readDocument(client: KubeClient, path: string, signal: AbortSignal, knownTag?: string): Promise<Document> {
  const accept = `${aggregated},${olderAggregated},application/json`;
  const res = await client.request({
    method: 'GET',
    path,
    headers: { accept, ...(knownTag !== undefined && { 'if-none-match': knownTag }) },
    signal,
  });
  const tag = typeof res.headers.etag === 'string' ? res.headers.etag : undefined;
  if (res.status === 304) {
    res.body.resume();
    return { body: undefined, tag: tag ?? knownTag };
  }
  return { body: await readJson(res), tag };
}

interface AggregatedList {
  kind: 'APIGroupDiscoveryList';
  items?: {
    metadata?: { name?: string };
    versions?: { version: string; resources?: { resource: string; responseKind?: { kind?: string } }[] }[];
  }[];
}

async function readGroups(client: KubeClient, body: Json, signal: AbortSignal): Promise<ApiResources> {
  const list = body as unknown as AggregatedList;
  return list?.kind === 'APIGroupDiscoveryList' ? fromAggregated(list) : readOneByOne(client, versionsOf(body), signal);
}

function fromAggregated({ items = [] }: AggregatedList): ApiResources {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.map(({ version, resources = [] }) => ({
      groupVersion: metadata?.name ? `${metadata.name}/${version}` : version,
      resources: resources.map(({ resource, responseKind }) => ({ name: resource, kind: responseKind?.kind ?? '' })).sort(byName),
    })),
  );
}

/** The versions that a server before 1.26 names; the kinds of each are in a document of its own. */
function versionsOf(body: Json): string[] {
  const { versions, groups } = body as { versions?: string[]; groups?: { versions?: { groupVersion: string }[] }[] };
  return [...(versions ?? []), ...(groups ?? []).flatMap(group => (group.versions ?? []).map(({ groupVersion }) => groupVersion))];
}

async function readOneByOne(client: KubeClient, versions: readonly string[], signal: AbortSignal): Promise<ApiResources> {
  const found: ApiResources = [];
  for (const groupVersion of versions) {
    const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    const resources = await readVersion(client, path, signal);
    if (resources) found.push({ groupVersion, resources });
  }
  return found;
}

/** A group whose own server is down is left out instead of hiding all the others. */
async function readVersion(client: KubeClient, path: string, signal: AbortSignal) {
  try {
    const res = await client.request({ method: 'GET', path, headers: { accept: 'application/json' }, signal });
    const { resources = [] } = (await readJson(res)) as unknown as { resources?: { name: string; kind: string }[] };
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind }) => ({ name, kind }))
      .sort(byName);
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
