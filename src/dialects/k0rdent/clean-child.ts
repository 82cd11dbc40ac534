import { Deployment, Pod, Service } from '../../api/builtin-kinds.ts';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { mapBounded } from '../../util/map-bounded.ts';

const namespaced = (group: string, kind: string, resource: string): KindRef => ({
  group,
  version: 'v1',
  kind,
  resource,
  scope: 'Namespaced',
});

const PersistentVolumeClaim = namespaced('', 'PersistentVolumeClaim', 'persistentvolumeclaims');
/** What makes pods: without it they would come back. */
const makers: readonly KindRef[] = [
  Deployment,
  namespaced('apps', 'StatefulSet', 'statefulsets'),
  namespaced('apps', 'DaemonSet', 'daemonsets'),
  namespaced('apps', 'ReplicaSet', 'replicasets'),
  namespaced('batch', 'Job', 'jobs'),
  namespaced('batch', 'CronJob', 'cronjobs'),
  namespaced('', 'ReplicationController', 'replicationcontrollers'),
];
/** CronJob, Job, pod: nothing is nested deeper. */
const maxDepth = 3;
const callMs = 10_000;
const concurrency = 8;

/**
 * Deletes what a cluster has outside of itself and would leave there: load balancers, and volumes together with what uses them. Answers what is still
 * there; it may be called again until nothing is.
 */
export async function cleanChild(member: KubeClient, signal: AbortSignal): Promise<string[]> {
  const call = { signal, timeoutMs: callMs };
  const [services, claims] = await Promise.all([member.list(Service, call), member.list(PersistentVolumeClaim, call)]);
  const balancers = services.items.filter(({ spec }) => spec?.type === 'LoadBalancer');
  await mapBounded(balancers, concurrency, one => remove(Service, one));
  if (claims.items.length > 0) await removeUsers();
  await mapBounded(claims.items, concurrency, one => remove(PersistentVolumeClaim, one));
  return [
    ...balancers.map(one => `Service ${one.metadata.namespace}/${one.metadata.name}`),
    ...claims.items.map(one => `PersistentVolumeClaim ${one.metadata.namespace}/${one.metadata.name}`),
  ].sort();

  async function removeUsers(): Promise<void> {
    const pods = (await member.list(Pod, call)).items.filter(({ spec }) => spec?.volumes?.some(one => one.persistentVolumeClaim));
    await mapBounded(pods, concurrency, async pod => {
      const { kind, obj } = await rootOf(Pod, pod);
      await remove(kind, obj);
    });
  }

  /** The highest object above a pod that is known to make pods. */
  async function rootOf(kind: KindRef, obj: KubeObject, depth = 0): Promise<{ kind: KindRef; obj: KubeObject }> {
    const owner = obj.metadata.ownerReferences?.find(one => one.controller);
    const above =
      owner && makers.find(one => one.kind === owner.kind && owner.apiVersion === (one.group === '' ? 'v1' : `${one.group}/v1`));
    if (!above || depth >= maxDepth) return { kind, obj };
    const found = await member.get(above, { namespace: obj.metadata.namespace, name: owner.name }, call);
    return found ? rootOf(above, found, depth + 1) : { kind, obj };
  }

  async function remove(kind: KindRef, { metadata }: KubeObject): Promise<void> {
    if (metadata.deletionTimestamp !== undefined) return;
    await member.delete(kind, { namespace: metadata.namespace, name: metadata.name! }, call);
  }
}
