import type { KindRef } from '../../../api/define-kind.ts';
import type { ApiResource } from '../../../client/api-resources.ts';

/** A kind of object, under the names that Rancher's `/v1` gives it. */
export interface SteveType extends KindRef {
  /** Such as `pod` and `management.cattle.io.cluster`. */
  readonly id: string;
  /** What stands in addresses: `pods`, `management.cattle.io.clusters`. */
  readonly plural: string;
  readonly verbs: readonly string[];
}

export interface SteveTypes {
  readonly all: readonly SteveType[];
  /** By id or plural, in any case. */
  find(name: string): SteveType | undefined;
}

/** What an API serves, as types. Of several versions of a kind the first is shown: that is the one its group prefers. */
export function steveTypes(resources: readonly ApiResource[]): SteveTypes {
  const byName = new Map<string, SteveType>();
  const all: SteveType[] = [];
  for (const one of resources) {
    if (!one.verbs.includes('get') && !one.verbs.includes('list')) continue;
    const type = steveType(one);
    if (byName.has(type.plural)) continue;
    all.push(type);
    for (const name of [type.id, type.plural]) if (!byName.has(name)) byName.set(name, type);
  }
  return { all, find: name => byName.get(name.toLowerCase()) };
}

function steveType({ group, version, kind, resource, scope, verbs }: ApiResource): SteveType {
  const prefix = group === '' ? '' : `${group}.`;
  return {
    id: (prefix + kind).toLowerCase(),
    plural: (prefix + resource).toLowerCase(),
    group,
    version,
    kind,
    resource,
    scope,
    verbs,
  };
}
