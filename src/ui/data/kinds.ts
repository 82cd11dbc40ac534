import type { KubeObject } from '../../api/object.ts';

/** How a kind is asked for. */
export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

/** The hub where clusters are named. */
export const hub = 'local';

export const kinds = {
  cluster: { group: 'drover.io', version: 'v1alpha1', kind: 'Cluster', plural: 'clusters', isNamespaced: false },
  work: { group: 'drover.io', version: 'v1alpha1', kind: 'Work', plural: 'works', isNamespaced: true },
  multiClusterService: {
    group: 'k0rdent.mirantis.com',
    version: 'v1beta1',
    kind: 'MultiClusterService',
    plural: 'multiclusterservices',
    isNamespaced: false,
  },
  namespace: { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', isNamespaced: false },
  node: { group: '', version: 'v1', kind: 'Node', plural: 'nodes', isNamespaced: false },
  pod: { group: '', version: 'v1', kind: 'Pod', plural: 'pods', isNamespaced: true },
  event: { group: '', version: 'v1', kind: 'Event', plural: 'events', isNamespaced: true },
  secret: { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', isNamespaced: true },
  configMap: { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', isNamespaced: true },
  deployment: { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments', isNamespaced: true },
  statefulSet: { group: 'apps', version: 'v1', kind: 'StatefulSet', plural: 'statefulsets', isNamespaced: true },
  daemonSet: { group: 'apps', version: 'v1', kind: 'DaemonSet', plural: 'daemonsets', isNamespaced: true },
} as const satisfies Record<string, Kind>;

export interface Place {
  /** Name or id of the cluster; the hub when absent. */
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** The address of a collection, or of one object when it is named. */
export function pathOf({ group, version, plural }: Kind, { cluster = hub, namespace, name, subresource }: Place = {}): string {
  const api = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const parts = [namespace === undefined || namespace === '' ? '' : `namespaces/${encodeURIComponent(namespace)}`, plural];
  if (name !== undefined) parts.push(encodeURIComponent(name));
  if (subresource !== undefined) parts.push(subresource);
  return `/k8s/clusters/${encodeURIComponent(cluster)}/${api}/${parts.filter(Boolean).join('/')}`;
}

/** `deployments.apps`, `pods`: as kubectl takes it. */
export const resourceOf = ({ group, plural }: Kind): string => (group === '' ? plural : `${plural}.${group}`);

/** `apps/v1/deployments`, `core/v1/pods`: as addresses of this page name kinds. */
export const kindKey = ({ group, version, plural }: Kind): string => [group || 'core', version, plural].join('/');

/** Where this page shows one object. */
export function objectPlace(kind: Kind, { cluster = hub, namespace = '', name = '' }: Place): string {
  return `/explore/${kindKey(kind)}/${[cluster, namespace || '_', name].map(encodeURIComponent).join('/')}`;
}

export type { KubeObject };
