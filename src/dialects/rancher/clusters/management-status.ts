import type { Cluster } from '../../../api/cluster.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { splitKey, type Key } from '../../../runtime/key.ts';
import { ProvisioningCluster, type ManagementCluster } from '../kinds/cluster.ts';
import { managementConditions, type Belongings, type StrictAgent } from './management-conditions.ts';
import { findRancherCondition, reportConditions } from './rancher-condition.ts';

export type ManagementStatus = NonNullable<ManagementCluster['status']>;

export interface ManagementFacts {
  /** Undefined for the hub itself while it is no member. */
  readonly cluster: Cluster | undefined;
  readonly belongings: Belongings;
  /** The provisioning Cluster, as namespace/name. */
  readonly provisioning: Key | undefined;
  readonly agentImage: string;
  /** What the agent said when it connected; what it said before holds when it has not since the hub started. */
  readonly agent: StrictAgent;
  /** The version of the hub's own API, for the hub itself. */
  readonly hubVersion?: string | undefined;
  readonly now: Date;
}

/** What a management Cluster says about its member: all of it comes from the Cluster that the hub keeps. */
export function managementStatus(management: ManagementCluster, facts: ManagementFacts): ManagementStatus {
  const { cluster, belongings, provisioning, agentImage, now } = facts;
  const seen = cluster?.status;
  const mode = cluster?.spec.connection.mode ?? 'Local';
  const version = seen?.version ?? (mode === 'Local' ? facts.hubVersion : undefined);
  const said = findRancherCondition(management, 'AgentTlsStrictCheck');
  const isStrict = facts.agent.isStrict ?? (said && said.status === 'True');
  const reports = managementConditions(cluster, belongings, { isStrict });
  const wasSeen = reports.some(({ type, status }) => type === 'Provisioned' && status === 'True');
  const nodeCount = seen?.nodes?.total;
  const provider = seen?.provider;
  return {
    conditions: reportConditions(management.status?.conditions, reports, now),
    ...(wasSeen && { driver: driverOf(mode, provider) }),
    ...(provider !== undefined && { provider }),
    ...endpointOf(cluster),
    ...(version !== undefined && { version: versionOf(version, seen?.platform) }),
    ...(seen?.capacity && { capacity: seen.capacity }),
    ...(seen?.allocatable && { allocatable: seen.allocatable }),
    ...(seen?.requested && { requested: seen.requested }),
    ...(seen?.limits && { limits: seen.limits }),
    ...(nodeCount !== undefined && { nodeCount }),
    ...(mode === 'Tunnel' && { agentImage }),
    info: {
      ...(provider !== undefined && { machineProvider: provider }),
      ...(version !== undefined && { kubernetesVersion: version }),
      ...(nodeCount !== undefined && { nodeCount }),
      ...(seen?.platform !== undefined && { arch: seen.platform.split('/').at(-1)! }),
      ...(provisioning !== undefined && { provisioningClusterRef: referenceTo(provisioning) }),
    },
  };
}

const referenceTo = (key: Key) => ({ apiVersion: apiVersionOf(ProvisioningCluster), kind: ProvisioningCluster.kind, ...splitKey(key) });

/** Empty until the agent has connected: programs take that as "still to be imported". */
function driverOf(mode: Cluster['spec']['connection']['mode'], provider: string | undefined): string {
  if (mode === 'Local') return 'local';
  return provider === 'k3s' || provider === 'rke2' ? provider : 'imported';
}

function endpointOf(cluster: Cluster | undefined): { apiEndpoint?: string; caCert?: string } {
  const apiEndpoint = cluster?.spec.connection.server ?? cluster?.status?.server;
  const caCert = cluster?.spec.connection.caBundle;
  return { ...(apiEndpoint !== undefined && { apiEndpoint }), ...(caCert !== undefined && { caCert }) };
}

function versionOf(gitVersion: string, platform: string | undefined) {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? [];
  return {
    ...(major !== undefined && { major }),
    ...(minor !== undefined && { minor }),
    gitVersion,
    ...(platform !== undefined && { platform }),
  };
}
