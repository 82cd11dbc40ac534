import { workAnnotations } from '../../../../api/work-annotations.ts';
import type { KubeObject } from '../../../data/kinds.ts';

/** How an object of a dialect is found again in what it was compiled to. */
export interface Trace {
  /** The Cluster that it is, or is about. */
  readonly cluster?: { readonly id?: string | undefined; readonly name?: string; readonly deployment?: string };
  /** The Works that it wants. */
  readonly works?: {
    /** Where they all are; anywhere when absent. */
    readonly namespace?: string | undefined;
    isOne(annotations: Readonly<Record<string, string>>): boolean;
  };
}

const { owner: ownerMark, serviceSet: setMark } = workAnnotations;

type Fields = Readonly<Record<string, string | undefined>>;

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string => (namespace === undefined ? `${name}` : `${namespace}/${name}`);
const ownedBy =
  (...owners: string[]) =>
  (annotations: Readonly<Record<string, string>>) =>
    owners.includes(annotations[ownerMark] ?? '');
/** A gate of a run wants Works for the run. */
const ownedByOrFor = (owner: string) => (annotations: Readonly<Record<string, string>>) =>
  annotations[ownerMark] === owner || (annotations[ownerMark]?.endsWith(` of ${owner}`) ?? false);
const part = (object: KubeObject, name: 'spec' | 'status'): Fields => (object[name] ?? {}) as Fields;

const traces: Readonly<Record<string, (object: KubeObject) => Trace>> = {
  'MultiClusterService.k0rdent.mirantis.com': one => ({ works: { isOne: ownedBy(`MultiClusterService ${keyOf(one)}`) } }),
  'NamespacedMultiClusterService.drover.io': one => ({ works: { isOne: ownedBy(`NamespacedMultiClusterService ${keyOf(one)}`) } }),
  'ServiceSet.k0rdent.mirantis.com': one => ({ works: { isOne: annotations => annotations[setMark] === keyOf(one) } }),
  'ClusterDeployment.k0rdent.mirantis.com': one => ({
    cluster: { deployment: keyOf(one) },
    works: { isOne: ownedBy(`ClusterDeployment ${keyOf(one)}`) },
  }),
  'WorkflowRun.delivery.drover.io': one => ({ works: { isOne: ownedByOrFor(`WorkflowRun ${keyOf(one)}`) } }),
  'Cluster.management.cattle.io': one => ofRancher(one.metadata.name),
  'Cluster.provisioning.cattle.io': one => ofRancher(part(one, 'status')['clusterName']),
  'ClusterRegistrationToken.management.cattle.io': one => ({ cluster: { id: part(one, 'spec')['clusterName'] ?? one.metadata.namespace } }),
  'ClusterRoleTemplateBinding.management.cattle.io': one => ofRancher((one as unknown as Fields)['clusterName']),
  'Project.management.cattle.io': one => ofProject(one.metadata.namespace, one.metadata.name),
  'ProjectRoleTemplateBinding.management.cattle.io': one => {
    const [cluster, project] = ((one as unknown as Fields)['projectName'] ?? '').split(':');
    return ofProject(cluster, project);
  },
  'Cluster.cluster.karmada.io': one => ({ cluster: { name: one.metadata.name ?? '' } }),
};

const ofRancher = (id: string | undefined): Trace => ({ cluster: { id }, works: { namespace: id, isOne: ownedBy('Rancher') } });

const ofProject = (id: string | undefined, project: string | undefined): Trace => ({
  cluster: { id },
  works: { namespace: id, isOne: ownedBy(`Project ${project}`) },
});

/** Undefined for kinds that are compiled to nothing of their own. */
export function traceOf({ kind, group }: { readonly kind: string; readonly group: string }, object: KubeObject): Trace | undefined {
  return traces[`${kind}.${group}`]?.(object);
}

/** The object that a Work was made for, as it says itself: `MultiClusterService web`, `Gate a of WorkflowRun shop/b`. */
export function ownerOf(
  annotations: Readonly<Record<string, string>> | undefined,
): { kind: string; namespace: string | undefined; name: string } | undefined {
  const [, kind, key = ''] = /(?:^| of )([A-Z]\w+) (\S+)$/.exec(annotations?.[ownerMark] ?? '') ?? [];
  if (kind === undefined) return undefined;
  const [name = '', namespace] = key.split('/').reverse();
  return { kind, namespace, name };
}
