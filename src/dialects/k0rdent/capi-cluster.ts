import type { ConditionReport } from '../../api/conditions.ts';
import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import type { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { asObject, statusOf } from './read-hub-object.ts';

export const capiGroup = 'cluster.x-k8s.io';

/** On a ClusterDeployment: the Cluster of Cluster API that its chart makes beside it, as `<apiVersion> <name>`. */
export const capiClusterAnnotation = 'k0rdent.mirantis.com/capi-cluster';

export const capiCondition = 'CAPIClusterSummary';

/** The value of the annotation for what a chart makes; undefined when there is no such Cluster among it. */
export function capiClusterIn(objects: readonly KubeObject[], namespace: string): string | undefined {
  const isCluster = ({ apiVersion, kind, metadata }: KubeObject) =>
    kind === 'Cluster' && parseApiVersion(apiVersion).group === capiGroup && metadata.namespace === namespace;
  const found = objects.find(isCluster);
  return found && `${found.apiVersion} ${found.metadata.name}`;
}

export function capiClusterOf({ metadata }: ClusterDeployment): ObjectRef | undefined {
  const [apiVersion = '', name = ''] = metadata.annotations?.[capiClusterAnnotation]?.split(' ') ?? [];
  const { group, version } = parseApiVersion(apiVersion);
  // Whoever may write the ClusterDeployment may write the annotation, and is to see nothing else by it.
  if (group !== capiGroup || name === '') return undefined;
  return { group, version, kind: 'Cluster', namespace: metadata.namespace!, name };
}

/** Where the contract of Cluster API has the way to a cluster. */
export const kubeconfigOfCapiCluster = ({ namespace = '', name }: ObjectRef): ObjectRef => ({
  group: '',
  version: 'v1',
  kind: 'Secret',
  namespace,
  name: `${name}-kubeconfig`,
});

interface CapiCondition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}

/** What is summed up while the cluster is wanted: of the contract v1beta2, and of those before it. */
const aspects = [
  'InfrastructureReady',
  'ControlPlaneInitialized',
  'ControlPlaneAvailable',
  'ControlPlaneMachinesReady',
  'WorkersAvailable',
  'WorkerMachinesReady',
  'RemoteConnectionProbe',
];
const earlierAspects = ['InfrastructureReady', 'ControlPlaneInitialized', 'ControlPlaneReady'];

export interface CapiView {
  readonly cluster: KubeObject | undefined;
  /** What was said before. */
  readonly before: Pick<ConditionReport, 'status' | 'reason' | 'message'> | undefined;
  /** Whether the ClusterDeployment is on its way out. */
  readonly isLeaving: boolean;
}

/** How the Cluster of Cluster API is, in one condition. Undefined when there is none and never was. */
export function summariseCapi({ cluster, before, isLeaving }: CapiView): ConditionReport | undefined {
  const type = capiCondition;
  if (!cluster) return before && { type, ...afterGone(before) };
  const { isEarlier, conditions } = conditionsOf(cluster);
  if (isLeaving || cluster.metadata.deletionTimestamp !== undefined) {
    const said = conditions.find(one => one.type === 'Deleting')?.message;
    return { type, status: 'False', reason: 'Deleting', message: oneLine(said) || 'Cluster is being deleted' };
  }
  const seen = (isEarlier ? earlierAspects : aspects).map(
    name => conditions.find(one => one.type === name) ?? { type: name, status: 'Unknown', message: 'Condition not yet reported' },
  );
  const of = (status: string) => seen.filter(one => one.status === status);
  const [issues, unknown] = [of('False'), of('Unknown')];
  if (issues.length > 0) return { type, status: 'False', reason: 'IssuesReported', message: listed([...issues, ...unknown]) };
  if (unknown.length > 0) return { type, status: 'Unknown', reason: 'UnknownReported', message: listed(unknown) };
  return { type, status: 'True', reason: 'InfoReported', message: '' };
}

function afterGone(before: NonNullable<CapiView['before']>): Omit<ConditionReport, 'type'> {
  if (before.reason === 'Deleting') return { status: 'True', reason: 'DeletionCompleted', message: 'Cluster was deleted' };
  if (before.reason === 'DeletionCompleted') return { status: before.status, reason: before.reason, message: before.message };
  return { status: 'False', reason: 'CAPIClusterMissing', message: 'Underlying CAPI Cluster object is missing' };
}

const listed = (conditions: readonly CapiCondition[]): string =>
  conditions.map(({ type, message }) => `${type}: ${oneLine(message) || 'no reason given'}`).join('; ');

const oneLine = (text = ''): string => text.replace(/\s*\n\s*/g, ' ').trim();

/** The conditions of the newer contract where they are told, which v1beta1 has in a corner of its own. */
function conditionsOf(cluster: KubeObject): { isEarlier: boolean; conditions: CapiCondition[] } {
  const status = statusOf(cluster);
  const isV1beta1 = parseApiVersion(cluster.apiVersion).version === 'v1beta1';
  const newer = isV1beta1 ? asObject(status['v1beta2'])['conditions'] : status['conditions'];
  const isEarlier = isV1beta1 && !Array.isArray(newer);
  const given = isEarlier ? status['conditions'] : newer;
  const list = Array.isArray(given) ? given.filter(one => isJsonObject(one)) : [];
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : '');
  return {
    isEarlier,
    conditions: list.map(one => ({ type: text(one['type']), status: text(one['status']), message: text(one['message']) })),
  };
}
