import { Cluster, clusterAnnotations, clusterConditions } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import { removeFinalizer } from '../../../client/finalizers.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { requeue, settled, type Context, type Outcome } from '../../../runtime/controller.ts';
import { splitKey } from '../../../runtime/key.ts';
import { ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { localId, managementClusterFinalizer, pairingAnnotations } from '../names.ts';
import { provisioningKeyOf } from './compile-clusters.ts';

/** So long a member that is not connected is waited for: three tries, three seconds apart. Then it keeps what was put on it. */
const patienceMs = 9_000;
const pollMs = 1_000;

export type Departure = 'done' | 'ask' | 'wait' | 'force';

/** What the removal of a management Cluster needs next from the Cluster that it is the face of. */
export function nextDeparture(management: ManagementCluster, cluster: Cluster | undefined, now: Date): Departure {
  // The hub does not leave itself: its face is made anew.
  if (!cluster || management.metadata.name === localId) return 'done';
  if (cluster.metadata.deletionTimestamp === undefined) return 'ask';
  const { annotations = {} } = cluster.metadata;
  // Whoever removed the Cluster itself gets the patience that it has.
  const mayForce = annotations[pairingAnnotations.removedHere] === 'true' && annotations[clusterAnnotations.forceRemoval] !== 'true';
  const isConnected = findCondition(cluster, clusterConditions.connected)?.status === 'True';
  const waitedMs = now.getTime() - Date.parse(cluster.metadata.deletionTimestamp);
  return mayForce && !isConnected && waitedMs >= patienceMs ? 'force' : 'wait';
}

/** Takes the Cluster and the provisioning Cluster away, and then lets the management Cluster go. */
export async function departManagement(
  hub: KubeClient,
  management: ManagementCluster,
  { findCluster }: { findCluster(): Promise<Cluster | undefined> },
  { now, signal }: Context,
): Promise<Outcome> {
  if (!management.metadata.finalizers?.includes(managementClusterFinalizer)) return settled;
  const cluster = await findCluster();
  const next = nextDeparture(management, cluster, now);
  if (cluster && next !== 'done') {
    const { name = '', uid = '' } = cluster.metadata;
    const annotate = (annotation: string) =>
      hub.patch(Cluster, { name }, { type: 'merge', body: { metadata: { annotations: { [annotation]: 'true' } } } }, { signal });
    if (next === 'ask') {
      await annotate(pairingAnnotations.removedHere);
      await hub.delete(Cluster, { name }, { signal, preconditions: { uid } });
    }
    if (next === 'force') await annotate(clusterAnnotations.forceRemoval);
    return requeue(pollMs);
  }
  const key = provisioningKeyOf(management);
  if (key !== undefined && management.metadata.name !== localId) await hub.delete(ProvisioningCluster, splitKey(key), { signal });
  await removeFinalizer(hub, ManagementCluster, management, managementClusterFinalizer, { signal });
  return settled;
}
