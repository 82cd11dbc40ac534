import { hubRefuses, isHidden } from './hub-sight.ts';
import { hub, type Kind } from './kinds.ts';
import { request } from './request.ts';

/** A kind as a cluster serves it. */
export interface ServedKind extends Kind {
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

interface AggregatedDiscovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind: { readonly kind: string };
        readonly scope: string;
        readonly verbs: readonly string[];
        readonly shortNames?: readonly string[];
        readonly categories?: readonly string[];
      }[];
    }[];
  }[];
}

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const believedMs = 60_000;
const known = new Map<string, { readonly askedAt: number; readonly kinds: Promise<readonly ServedKind[]> }>();

/** The kinds that a cluster serves, each in its preferred version, those first that come first in discovery. */
export function servedKinds(cluster: string = hub): Promise<readonly ServedKind[]> {
  const present = known.get(cluster);
  if (present && Date.now() - present.askedAt < believedMs) return present.kinds;
  const kinds = ask(cluster);
  known.set(cluster, { askedAt: Date.now(), kinds });
  kinds.catch(() => known.delete(cluster));
  return kinds;
}

async function ask(cluster: string): Promise<ServedKind[]> {
  if (isHidden(cluster)) throw hubRefuses('kinds');
  const answers = await Promise.all(
    ['api', 'apis'].map(root => request<AggregatedDiscovery>(`/k8s/clusters/${encodeURIComponent(cluster)}/${root}`, { accept })),
  );
  const kinds = new Map<string, ServedKind>();
  for (const { metadata, versions } of answers.flatMap(one => one.items)) {
    const group = metadata.name ?? '';
    for (const { version, resources = [] } of versions) {
      for (const { resource: plural, responseKind, scope, verbs, shortNames = [], categories = [] } of resources) {
        const key = `${group}/${plural}`;
        if (kinds.has(key) || !verbs.includes('list')) continue;
        const isNamespaced = scope === 'Namespaced';
        kinds.set(key, { group, version, kind: responseKind.kind, plural, isNamespaced, verbs, shortNames, categories });
      }
    }
  }
  return [...kinds.values()];
}

/** A kind by how addresses name it; a guess where the cluster does not serve it. */
export async function findKind(
  cluster: string | undefined,
  { group, version, plural }: { group: string; version: string; plural: string },
): Promise<ServedKind | undefined> {
  const kinds = await servedKinds(cluster);
  const found = kinds.find(one => one.group === group && one.plural === plural);
  return found && { ...found, version };
}
