import type { ManagementCluster, ProvisioningCluster } from '../kinds/cluster.ts';
import { findRancherCondition, reportConditions, type RancherReport } from './rancher-condition.ts';

export type ProvisioningStatus = NonNullable<ProvisioningCluster['status']>;

/** What a provisioning Cluster says about the management Cluster that it stands for. */
export function provisioningStatus(provisioning: ProvisioningCluster, management: ManagementCluster, now: Date): ProvisioningStatus {
  const condition = (type: string) => findRancherCondition(management, type);
  const mirrored = (type: string): RancherReport => {
    const { status = 'Unknown', reason = '', message = '' } = condition(type) ?? {};
    return { type, status: status === 'True' || status === 'False' ? status : 'Unknown', reason, message };
  };
  const isReady = condition('Ready')?.status === 'True';
  return {
    ...common(provisioning),
    // Whoever reads the id writes into the namespace of that name next.
    ...(condition('BackingNamespaceCreated')?.status === 'True' && { clusterName: management.metadata.name! }),
    // Once ready, the word is never taken back: whoever waits for it has waited long enough.
    ready: provisioning.status?.ready === true || isReady,
    agentDeployed: provisioning.status?.agentDeployed === true || condition('Provisioned')?.status === 'True',
    conditions: reportConditions(
      provisioning.status?.conditions,
      [
        { type: 'Created', status: 'True' },
        { type: 'Reconciling', status: isReady ? 'False' : 'True' },
        { type: 'Stalled', status: 'False' },
        { type: 'Updated', status: 'True' },
        mirrored('Provisioned'),
        mirrored('Connected'),
        mirrored('Ready'),
      ],
      now,
    ),
  };
}

/** What a provisioning Cluster says that cannot become a member as it is. */
export function stalledStatus(provisioning: ProvisioningCluster, { reason, message }: { reason: string; message: string }, now: Date) {
  return {
    ...provisioning.status,
    ...common(provisioning),
    conditions: reportConditions(
      provisioning.status?.conditions,
      [
        { type: 'Created', status: 'False', reason, message },
        { type: 'Reconciling', status: 'False' },
        { type: 'Stalled', status: 'True', reason, message },
        { type: 'Ready', status: 'False', reason, message },
      ],
      now,
    ),
  };
}

function common({ metadata: { namespace = '', generation } }: ProvisioningCluster) {
  return { fleetWorkspaceName: namespace, ...(generation !== undefined && { observedGeneration: generation }) };
}
