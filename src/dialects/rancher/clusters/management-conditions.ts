import { agentConditions, clusterConditions, clusterReasons, type Cluster } from '../../../api/cluster.ts';
import { findCondition } from '../../../api/conditions.ts';
import type { RancherReport } from './rancher-condition.ts';

/** What there is in the namespace of a cluster. */
export interface Belongings {
  readonly hasNamespace: boolean;
  readonly hasDefaultProject: boolean;
  readonly hasSystemProject: boolean;
  /** Undefined when nobody is to own the cluster. */
  readonly isOwned: boolean | undefined;
  /** Why something is missing that only people can mend. */
  readonly trouble?: string;
}

/** What is known of how the hub proves itself to the agent of a cluster. */
export interface StrictAgent {
  /** Whether it does so by its published authorities alone. Undefined when the agent has not said. */
  readonly isStrict?: boolean | undefined;
}

/** The conditions that are not always there. */
export const passingConditions: ReadonlySet<string> = new Set(['AgentDeployed', 'CreatorMadeOwner', 'AgentTlsStrictCheck']);

/**
 * The conditions of a management Cluster in the order that decides about its state: "pending" until its agent has connected for the first time, "waiting"
 * until its API has answered, then "active" or "unavailable". The hub itself is always there, with or without a Cluster of its own.
 */
export function managementConditions(cluster: Cluster | undefined, belongings: Belongings, agent: StrictAgent = {}): RancherReport[] {
  const isLocal = cluster === undefined || cluster.spec.connection.mode === 'Local';
  const connected = isLocal ? true : findCondition(cluster, clusterConditions.connected)?.status === 'True';
  const wasSeen = isLocal || connected || cluster.status?.lastSeen !== undefined;
  const wasAnswering = isLocal || cluster.status?.version !== undefined;
  return [
    pending(cluster, wasSeen),
    report('Provisioned', wasSeen ? 'True' : 'Unknown'),
    waiting({ wasSeen, wasAnswering }),
    ...(isLocal ? [] : agentDeployed(cluster, connected)),
    report('BackingNamespaceCreated', belongings.hasNamespace ? 'True' : 'Unknown', belongings.trouble),
    report('DefaultProjectCreated', belongings.hasDefaultProject ? 'True' : 'Unknown'),
    report('SystemProjectCreated', belongings.hasSystemProject ? 'True' : 'Unknown'),
    report('InitialRolesPopulated', belongings.hasNamespace && belongings.isOwned !== false ? 'True' : 'Unknown'),
    ...(belongings.isOwned === undefined ? [] : [report('CreatorMadeOwner', belongings.isOwned ? 'True' : 'Unknown')]),
    report('Connected', connected ? 'True' : 'False'),
    ready(cluster, { connected, wasSeen }),
    ...strictCheck(cluster, agent),
  ];
}

const report = (type: string, status: RancherReport['status'], message = ''): RancherReport => ({ type, status, message });

function pending(cluster: Cluster | undefined, wasSeen: boolean): RancherReport {
  if (wasSeen) return report('Pending', 'True');
  return report('Pending', 'Unknown', findCondition(cluster, clusterConditions.ready)?.message);
}

function waiting({ wasSeen, wasAnswering }: { wasSeen: boolean; wasAnswering: boolean }): RancherReport {
  if (wasAnswering) return report('Waiting', 'True');
  return report('Waiting', 'Unknown', wasSeen ? 'Waiting for API to be available' : '');
}

/** A successor that cannot start makes nobody worse off while the agent before it serves. */
function agentDeployed(cluster: Cluster, isConnected: boolean): RancherReport[] {
  if (cluster.spec.connection.mode !== 'Tunnel') return [];
  if (isConnected) return [report('AgentDeployed', 'True')];
  const seen = findCondition(cluster, agentConditions.deployed);
  return seen ? [{ type: 'AgentDeployed', status: seen.status, reason: seen.reason, message: seen.message }] : [];
}

/** Whoever has no agent has nobody who must trust the hub. */
function strictCheck(cluster: Cluster | undefined, { isStrict }: StrictAgent): RancherReport[] {
  if (cluster?.spec.connection.mode !== 'Tunnel') return [report('AgentTlsStrictCheck', 'True')];
  if (isStrict === undefined) return [];
  return [
    report('AgentTlsStrictCheck', isStrict ? 'True' : 'False', isStrict ? '' : 'The agent trusts the hub by authorities of its system'),
  ];
}

function ready(cluster: Cluster | undefined, { connected, wasSeen }: { connected: boolean; wasSeen: boolean }): RancherReport {
  if (cluster === undefined) return report('Ready', 'True');
  const seen = findCondition(cluster, clusterConditions.ready);
  if (seen?.status === 'True') return report('Ready', 'True');
  if (!wasSeen || !seen || seen.status === 'Unknown') return report('Ready', 'Unknown');
  if (!connected && seen.reason === clusterReasons.agentDisconnected)
    return { type: 'Ready', status: 'False', reason: 'Disconnected', message: 'Cluster agent is not connected' };
  const reason = connected ? 'ComponentStatusFetchingFailure' : 'Disconnected';
  return { type: 'Ready', status: 'False', reason, message: seen.message };
}
