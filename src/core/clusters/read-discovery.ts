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

/** One kind of objects that a member serves. */
export interface ServedResource {
  readonly name: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Kinds of its subresources, such as Scale and Eviction. */
  readonly subresourceKinds: readonly string[];
}

export interface ServedVersion {
  readonly groupVersion: string;
  readonly resources: readonly ServedResource[];
}

export interface Served {
  readonly versions: readonly ServedVersion[];
  readonly tags: Discovery['tags'];
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
  const served = await readServed(client, known?.tags, signal);
  if (!served && known) return known;
  const { versions, tags } = served!;
  const apiResources = versions.map(({ groupVersion, resources }) => ({
    groupVersion,
    resources: resources.map(({ name, kind }) => ({ name, kind })),
  }));
  return { apiResources: shareApiResources(apiResources), tags };
}

/** What a member serves, in the order of names. Undefined when nothing has changed since the tags. */
export async function readServed(
  client: KubeClient,
  knownTags: Discovery['tags'] | undefined,
  signal: AbortSignal,
): Promise<Served | undefined> {
  const documents: Document[] = [];
  for (const [i, root] of roots.entries()) documents.push(await readDocument(client, root, signal, knownTags?.[i]));
  if (knownTags && documents.every(({ body }) => body === undefined)) return undefined;

  const versions: ServedVersion[] = [];
  const tags: (string | undefined)[] = [];
  for (const [i, document] of documents.entries()) {
    // When only one of the two has changed, the other is needed as well.
    const { body = null, tag } = document.body === undefined ? await readDocument(client, roots[i]!, signal) : document;
    versions.push(...(await readGroups(client, body, signal)));
    tags.push(tag);
  }
  return { versions: versions.sort((a, b) => (a.groupVersion < b.groupVersion ? -1 : 1)), tags };
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

interface AggregatedResource {
  resource: string;
  responseKind?: { kind?: string };
  scope?: string;
  subresources?: { responseKind?: { kind?: string } }[];
}

interface AggregatedList {
  kind: 'APIGroupDiscoveryList';
  items?: { metadata?: { name?: string }; versions?: { version: string; resources?: AggregatedResource[] }[] }[];
}

async function readGroups(client: KubeClient, body: Json, signal: AbortSignal): Promise<ServedVersion[]> {
  const list = body as unknown as AggregatedList;
  return list?.kind === 'APIGroupDiscoveryList' ? fromAggregated(list) : readOneByOne(client, versionsOf(body), signal);
}

function fromAggregated({ items = [] }: AggregatedList): ServedVersion[] {
  return items.flatMap(({ metadata, versions = [] }) =>
    versions.map(({ version, resources = [] }) => ({
      groupVersion: metadata?.name ? `${metadata.name}/${version}` : version,
      resources: resources
        .map(({ resource, responseKind, scope, subresources = [] }) => ({
          name: resource,
          kind: responseKind?.kind ?? '',
          isNamespaced: scope === 'Namespaced',
          subresourceKinds: subresources.map(one => one.responseKind?.kind ?? '').filter(kind => kind !== ''),
        }))
        .sort(byName),
    })),
  );
}

/** The versions that a server before 1.26 names; the kinds of each are in a document of its own. */
function versionsOf(body: Json): string[] {
  const { versions, groups } = body as { versions?: string[]; groups?: { versions?: { groupVersion: string }[] }[] };
  return [...(versions ?? []), ...(groups ?? []).flatMap(group => (group.versions ?? []).map(({ groupVersion }) => groupVersion))];
}

async function readOneByOne(client: KubeClient, versions: readonly string[], signal: AbortSignal): Promise<ServedVersion[]> {
  const found: ServedVersion[] = [];
  for (const groupVersion of versions) {
    const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`;
    const resources = await readVersion(client, path, signal);
    if (resources) found.push({ groupVersion, resources });
  }
  return found;
}

interface PlainResource {
  name: string;
  kind: string;
  namespaced?: boolean;
}

/** A group whose own server is down is left out instead of hiding all the others. */
async function readVersion(client: KubeClient, path: string, signal: AbortSignal): Promise<ServedResource[] | undefined> {
  try {
    const res = await client.request({ method: 'GET', path, headers: { accept: 'application/json' }, signal });
    const { resources = [] } = (await readJson(res)) as unknown as { resources?: PlainResource[] };
    return resources
      .filter(({ name }) => !name.includes('/'))
      .map(({ name, kind, namespaced = false }) => ({
        name,
        kind,
        isNamespaced: namespaced,
        subresourceKinds: subresourceKindsOf(name, resources),
      }))
      .sort(byName);
  } catch (error) {
    if (error instanceof StatusError) return undefined;
    throw error;
  }
}

function subresourceKindsOf(resource: string, all: readonly PlainResource[]): string[] {
  return all.filter(({ name }) => name.startsWith(`${resource}/`)).map(({ kind }) => kind);
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}
