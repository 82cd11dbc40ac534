import type { Cluster } from '../../api/cluster.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { UnreachableError } from '../../client/transport.ts';
import { errorText } from '../../util/error-text.ts';
import { clusterId } from './cluster-id.ts';
import { probeMember } from './probe-member.ts';
import type { Probe } from './standing.ts';

/** What an agent says of itself. */
export interface AgentFacts {
  readonly version: string;
  /** Whether the hub has proved itself to it by its published authorities alone. */
  readonly isStrict?: boolean;
}

/** The agents of clusters that are reached through a tunnel. */
export interface Agents {
  /** Undefined when no agent of the cluster has connected since the hub started. */
  state(clusterId: string): { readonly isConnected: boolean; readonly agent: AgentFacts; readonly hasDuplicate?: boolean } | undefined;
  /** Hears the ids of clusters whose agent came or went. */
  subscribe(listener: (clusterId: string) => void): Disposable;
}

export interface AskOptions {
  readonly cluster: Cluster;
  /** Throws where there is no way to the member. */
  client(): KubeClient;
  readonly agents: Agents | undefined;
  /** When the hub began to look after the member. */
  readonly since: number;
  readonly signal: AbortSignal;
}

/** Agents come back within this time after the hub was restarted. */
const agentsReturnMs = 20_000;

/** Asks a member how it is, by whichever way it is reached. Undefined when it is too early to tell. */
export async function askMember({ cluster, client, agents, since, signal }: AskOptions): Promise<Probe | undefined> {
  const { connection } = cluster.spec;
  if (connection.mode === 'Tunnel') {
    const agent = agents?.state(clusterId(cluster));
    const isExpected = !agent && cluster.status?.lastSeen !== undefined && Date.now() - since < agentsReturnMs;
    if (isExpected) return undefined;
    if (!agent?.isConnected) return atOnce({ kind: 'no-agent' });
  }
  // A sandbox is made after its Cluster, and has an address from then on.
  if (connection.mode === 'Sandbox' && cluster.status?.server === undefined) return undefined;
  let way: KubeClient;
  try {
    way = client();
  } catch (error) {
    const why = errorText(error);
    return atOnce(error instanceof UnreachableError ? { kind: 'silent', why } : { kind: 'no-credential', why });
  }
  const probe = await probeMember(way, signal);
  // What lives in the hub has its clock.
  return connection.mode === 'Sandbox' || connection.mode === 'Local' ? { ...probe, memberTime: probe.startedAt - 500 } : probe;
}

function atOnce(answer: Probe['answer']): Probe {
  const now = Date.now();
  return { answer, startedAt: now, endedAt: now };
}
