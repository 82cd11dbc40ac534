import { createHash } from 'node:crypto';
import { apiVersionOf, type GroupVersionKind } from '../api/object.ts';
import type { JsonObject } from '../util/json.ts';
import { builtinResources } from './facts/facts.ts';
import { compareKubeVersions } from './kube-version.ts';
import type { Resource, Subresource } from './resource.ts';

/** What discovery needs to know of a resource. */
export type DiscoveredResource = Pick<
  Resource,
  | 'group'
  | 'version'
  | 'resource'
  | 'singular'
  | 'kind'
  | 'namespaced'
  | 'verbs'
  | 'shortNames'
  | 'categories'
  | 'subresources'
  | 'isCustom'
  | 'storeKey'
> & { readonly codec: Pick<Resource['codec'], 'isStorageVersion'> };

/** Priorities of 1.36: of groups with equal names for something, clients take the first. The server's own group leads. */
const groupPriorities: Readonly<Record<string, number>> = {
  'apiregistration.k8s.io': 20000,
  '': 18000,
  apps: 17800,
  'events.k8s.io': 17750,
  'authentication.k8s.io': 17700,
  'authorization.k8s.io': 17600,
  autoscaling: 17500,
  batch: 17400,
  'certificates.k8s.io': 17300,
  'networking.k8s.io': 17200,
  policy: 17100,
  'rbac.authorization.k8s.io': 17000,
  'storage.k8s.io': 16800,
  'admissionregistration.k8s.io': 16700,
  'apiextensions.k8s.io': 16700,
  'scheduling.k8s.io': 16600,
  'coordination.k8s.io': 16500,
  'node.k8s.io': 16300,
  'discovery.k8s.io': 16200,
  'resource.k8s.io': 16200,
  'flowcontrol.apiserver.k8s.io': 16100,
};
const customPriority = 1000;

export const priorityOfGroup = (group: string): number => groupPriorities[group] ?? customPriority;

/** A group with its versions, both in the order of discovery. */
interface Group {
  readonly name: string;
  readonly versions: ReadonlyMap<string, readonly DiscoveredResource[]>;
}

/** The aggregated form (apidiscovery.k8s.io/v2): `api` is the core group, `apis` are the others. */
export function aggregatedDiscovery(resources: readonly DiscoveredResource[], root: 'api' | 'apis'): JsonObject {
  const groups = groupsOf(resources).filter(({ name }) => (name === '') === (root === 'api'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === '' ? {} : { name },
      versions: [...versions].map(([version, served]) => ({
        version,
        ...(served.length > 0 && { resources: served.map(aggregatedResource) }),
        freshness: 'Current',
      })),
    })),
  };
}

function aggregatedResource(resource: DiscoveredResource): JsonObject {
  const { group, version, kind, subresources } = resource;
  return {
    resource: resource.resource,
    responseKind: responseKind(resource, { group, version, kind }),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length > 0 && { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length > 0 && { categories: [...resource.categories] }),
    ...(subresources.length > 0 && {
      subresources: subresources.map(sub => ({
        subresource: sub.name,
        responseKind: responseKind(resource, sub.kind),
        verbs: [...sub.verbs],
      })),
    }),
  };
}

/** Built-in kinds of the same group version are told without repeating it; custom ones are told in full. */
function responseKind({ group, version, isCustom }: DiscoveredResource, gvk: GroupVersionKind): JsonObject {
  const isSame = gvk.group === group && gvk.version === version;
  return isSame && !isCustom ? { group: '', version: '', kind: gvk.kind } : { ...gvk };
}

/** `GET /api`. */
export function apiVersions(resources: readonly DiscoveredResource[], serverAddress: string): JsonObject {
  const core = groupsOf(resources).find(group => group.name === '');
  return {
    kind: 'APIVersions',
    versions: [...(core?.versions.keys() ?? [])],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `GET /apis`. */
export function apiGroupList(resources: readonly DiscoveredResource[]): JsonObject {
  const groups = groupsOf(resources).filter(group => group.name !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(describeGroup) };
}

/** `GET /apis/<group>`; undefined when nothing serves the group. */
export function apiGroup(resources: readonly DiscoveredResource[], name: string): JsonObject | undefined {
  const group = groupsOf(resources.filter(r => r.group === name))[0];
  return group && { kind: 'APIGroup', apiVersion: 'v1', ...describeGroup(group) };
}

function describeGroup({ name, versions }: Group): JsonObject {
  const described = [...versions.keys()].map(version => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: described, preferredVersion: { ...described[0]! } };
}

/** `GET /api/v1`, `GET /apis/<group>/<version>`; undefined when nothing serves the version. */
export function apiResourceList(resources: readonly DiscoveredResource[], gv: { group: string; version: string }): JsonObject | undefined {
  const served = groupsOf(resources.filter(r => r.group === gv.group))[0]?.versions.get(gv.version);
  if (!served) return undefined;
  return {
    kind: 'APIResourceList',
    // The core group predates the field.
    ...(gv.group !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(gv),
    resources: served.flatMap(resource => [
      describeResource(resource, resources),
      ...resource.subresources.map(sub => describeSubresource(resource, sub)),
    ]),
  };
}

function describeResource(resource: DiscoveredResource, all: readonly DiscoveredResource[]): JsonObject {
  const hash = storageVersionHash(resource, all);
  return {
    name: resource.resource,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length > 0 && { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length > 0 && { categories: [...resource.categories] }),
    ...(hash !== '' && { storageVersionHash: hash }),
  };
}

function describeSubresource({ resource, group, version, namespaced }: DiscoveredResource, { name, kind, verbs }: Subresource): JsonObject {
  const isSame = kind.group === group && kind.version === version;
  return {
    name: `${resource}/${name}`,
    singularName: '',
    namespaced,
    ...(!isSame && { ...(kind.group !== '' && { group: kind.group }), version: kind.version }),
    kind: kind.kind,
    verbs: [...verbs],
  };
}

let builtinHashes: Map<string, string> | undefined;

/** Tells clients when stored objects change their version. Kinds that are not stored, such as reviews, have none. */
function storageVersionHash(resource: DiscoveredResource, all: readonly DiscoveredResource[]): string {
  if (!resource.isCustom) {
    builtinHashes ??= new Map(builtinResources().map(fact => [keyOf(fact), fact.storageVersionHash]));
    return builtinHashes.get(keyOf(resource)) ?? '';
  }
  const versions = all.filter(r => r.storeKey === resource.storeKey);
  const stored = versions.find(r => r.codec.isStorageVersion({ apiVersion: apiVersionOf(r) }));
  if (!stored) return '';
  const gvk = `${stored.group}/${stored.version}/${stored.kind}`;
  return createHash('sha256').update(gvk).digest().subarray(0, 8).toString('base64');
}

const keyOf = (r: { group: string; version: string; resource: string }) => `${r.group}/${r.version}/${r.resource}`;

function groupsOf(resources: readonly DiscoveredResource[]): Group[] {
  const groups = new Map<string, Map<string, DiscoveredResource[]>>();
  for (const resource of resources) {
    let versions = groups.get(resource.group);
    if (!versions) groups.set(resource.group, (versions = new Map()));
    const served = versions.get(resource.version);
    if (served) served.push(resource);
    else versions.set(resource.version, [resource]);
  }
  return [...groups]
    .map(([name, versions]) => ({
      name,
      versions: new Map(
        [...versions]
          .sort(([a], [b]) => compareKubeVersions(a, b))
          .map(([version, served]) => [version, served.sort((a, b) => (a.resource < b.resource ? -1 : 1))]),
      ),
    }))
    .sort((a, b) => priorityOfGroup(b.name) - priorityOfGroup(a.name) || (a.name < b.name ? -1 : 1));
}
