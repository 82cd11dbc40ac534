import { apiVersionOf } from '../../api/object.ts';
import type { JsonObject } from '../../util/json.ts';
import { priorityOfGroup } from '../discovery.ts';
import type { RemoteGroupVersion } from './aggregator.ts';

/** An APIGroupDiscoveryList with the groups of other servers among our own. */
export function mergeAggregatedDiscovery(list: JsonObject, remote: readonly RemoteGroupVersion[]): JsonObject {
  if (remote.length === 0) return list;
  const nameOf = (item: JsonObject) => (item.metadata as { name?: string }).name ?? '';
  const items = mergeGroups(list.items as JsonObject[], nameOf, remote, (name, own, versions) => ({
    metadata: { name },
    ...own,
    versions: [
      ...((own?.versions as JsonObject[] | undefined) ?? []),
      ...versions.map(({ version, resources, freshness }) => ({
        version,
        ...(resources.length > 0 && { resources: [...resources] }),
        freshness,
      })),
    ],
  }));
  return { ...list, items };
}

/** The same for the APIGroupList of old. */
export function mergeGroupList(list: JsonObject, remote: readonly RemoteGroupVersion[]): JsonObject {
  if (remote.length === 0) return list;
  return { ...list, groups: mergeGroups(list.groups as JsonObject[], group => group.name as string, remote, describeGroup) };
}

/** One APIGroup; undefined when neither we nor others serve it. */
export function mergeGroup(own: JsonObject | undefined, name: string, remote: readonly RemoteGroupVersion[]): JsonObject | undefined {
  const versions = remote.filter(({ group }) => group === name);
  if (versions.length === 0) return own;
  return { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(name, own, inOrder(versions)) };
}

type Describe = (name: string, own: JsonObject | undefined, versions: readonly RemoteGroupVersion[]) => JsonObject;

const describeGroup: Describe = (name, own, versions) => {
  const described = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  const all = [...((own?.versions as JsonObject[] | undefined) ?? []), ...described];
  return { name, ...own, versions: all, preferredVersion: { ...all[0] } };
};

function mergeGroups(
  local: readonly JsonObject[],
  nameOf: (group: JsonObject) => string,
  remote: readonly RemoteGroupVersion[],
  describe: Describe,
): JsonObject[] {
  const served = new Map(local.map(group => [nameOf(group), group]));
  const names = new Set([...served.keys(), ...remote.map(({ group }) => group)]);
  return [...names]
    .map(name => {
      const versions = inOrder(remote.filter(({ group }) => group === name));
      const own = served.get(name);
      const wanted = versions.map(version => version.groupPriorityMinimum);
      return {
        name,
        priority: Math.max(...wanted, own ? priorityOfGroup(name) : 0),
        group: own && versions.length === 0 ? own : describe(name, own, versions),
      };
    })
    .sort((a, b) => b.priority - a.priority || (a.name < b.name ? -1 : 1))
    .map(({ group }) => group);
}

const inOrder = (versions: readonly RemoteGroupVersion[]): RemoteGroupVersion[] =>
  versions.toSorted((a, b) => b.versionPriority - a.versionPriority || (a.version < b.version ? 1 : -1));
