import { addFinalizer, removeFinalizer } from '../../../client/finalizers.ts';
import { createMissing } from '../../../client/create-missing.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import { jsonEqual } from '../../../util/json.ts';
import { ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { localId, provisioningClusterFinalizer, rancherNamespaces } from '../names.ts';
import { agentWishes, idOfProvisioning, managementOfProvisioning, provisioningKeyOf } from './compile-clusters.ts';
import { fieldManager } from './field-manager.ts';
import { provisioningStatus, stalledStatus, type ProvisioningStatus } from './provisioning-status.ts';

export interface ProvisioningDeps {
  readonly hub: KubeClient;
  readonly provisioningClusters: Informer<ProvisioningCluster>;
  readonly managementClusters: Informer<ManagementCluster>;
  readonly signal: AbortSignal;
}

const leavingPollMs = 1_000;

/** Makes a management Cluster of every provisioning Cluster, tells it how that one is, and takes both away together. */
export function runProvisioningClusters({ hub, provisioningClusters, managementClusters, signal }: ProvisioningDeps): RunningController {
  const ofManagement = (management: ManagementCluster) => {
    const key = provisioningKeyOf(management);
    return key === undefined ? [] : [key];
  };
  return runController(
    { name: 'rancher-provisioning-cluster', reconcile },
    { triggers: [changesOf(provisioningClusters), changesOf(managementClusters, ofManagement)], signal, concurrency: 8 },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const provisioning = provisioningClusters.get(key);
    if (!provisioning) return settled;
    if (provisioning.metadata.deletionTimestamp !== undefined) return await depart(provisioning, ctx);
    const id = idOfProvisioning(provisioning);
    const fault = faultOf(provisioning, id);
    if (fault || id === undefined) return await stall(provisioning, fault!, ctx);

    await addFinalizer(hub, ProvisioningCluster, provisioning, provisioningClusterFinalizer, { signal: ctx.signal });
    const management =
      managementClusters.get(id) ??
      (await createMissing(hub, ManagementCluster, managementOfProvisioning(provisioning, id), { signal: ctx.signal }));
    if (provisioningKeyOf(management) !== key)
      return await stall(provisioning, { reason: 'IdTaken', message: `The id "${id}" belongs to another cluster` }, ctx);
    // One goes, all go; and its successor must not find this one.
    if (management.metadata.deletionTimestamp !== undefined) return settled;
    await passWishes(provisioning, management, ctx);
    await report(provisioning, provisioningStatus(provisioning, management, ctx.now), ctx);
    return settled;
  }

  async function stall(provisioning: ProvisioningCluster, fault: Fault, ctx: Context): Promise<Outcome> {
    await report(provisioning, stalledStatus(provisioning, fault, ctx.now), ctx);
    return settled;
  }

  /** After its creation the management Cluster may differ, until somebody says something new here. */
  async function passWishes(provisioning: ProvisioningCluster, management: ManagementCluster, { signal }: Context): Promise<void> {
    const { generation } = provisioning.metadata;
    const { observedGeneration } = provisioning.status ?? {};
    if (observedGeneration === undefined || observedGeneration === generation) return;
    const wishes = agentWishes(provisioning);
    const isSame = Object.entries(wishes).every(([name, value]) => jsonEqual(management.spec[name], value));
    if (isSame) return;
    const { name = '' } = management.metadata;
    await hub.patch(ManagementCluster, { name }, { type: 'merge', body: { spec: wishes as never } }, { signal, fieldManager });
  }

  async function depart(provisioning: ProvisioningCluster, { signal }: Context): Promise<Outcome> {
    if (!provisioning.metadata.finalizers?.includes(provisioningClusterFinalizer)) return settled;
    const name = idOfProvisioning(provisioning);
    const management = name === undefined ? undefined : await hub.get(ManagementCluster, { name }, { signal });
    const isPaired = management && provisioningKeyOf(management) === keyOf(provisioning) && name !== localId;
    if (isPaired) {
      const { uid = '', deletionTimestamp } = management.metadata;
      if (deletionTimestamp === undefined) await hub.delete(ManagementCluster, { name: name! }, { signal, preconditions: { uid } });
      return requeue(leavingPollMs);
    }
    await removeFinalizer(hub, ProvisioningCluster, provisioning, provisioningClusterFinalizer, { signal });
    return settled;
  }

  async function report(provisioning: ProvisioningCluster, status: ProvisioningStatus, { signal }: Context): Promise<void> {
    if (jsonEqual(provisioning.status, status)) return;
    const { namespace = '', name = '', uid = '' } = provisioning.metadata;
    await hub.apply(ProvisioningCluster, { metadata: { namespace, name, uid }, status }, { signal, fieldManager, subresource: 'status' });
  }
}

interface Fault {
  readonly reason: string;
  readonly message: string;
}

/** What keeps a provisioning Cluster from becoming a member, whatever there is besides it. */
function faultOf(provisioning: ProvisioningCluster, id: string | undefined): Fault | undefined {
  if (provisioning.spec.rkeConfig)
    return { reason: 'NotSupported', message: 'Clusters are imported here, not made: spec.rkeConfig must be absent' };
  if (id === undefined)
    return { reason: 'InvalidId', message: 'The annotation "provisioning.cattle.io/management-cluster-name" is not the id of a cluster' };
  if (id === localId && keyOf(provisioning) !== `${rancherNamespaces.fleetLocal}/${localId}`)
    return { reason: 'IdTaken', message: `The id "${localId}" belongs to the hub itself` };
  return undefined;
}
