import type { AgentIdentity } from '../../src/agent/agent-identity.ts';
import type { IdentityStore } from '../../src/agent/identity-store.ts';
import { runAgent } from '../../src/agent/run-agent.ts';
import { fakeMember } from './fake-member.ts';

/** What the parent says first. */
export interface ManyAgentsTask {
  readonly server: string;
  readonly caChecksum: string;
  readonly tokens: readonly string[];
}

/** What the child says whenever it changes. */
export interface ManyAgentsReport {
  readonly connected: number;
}

/** Clusters are not imported all at once. */
const startEveryMs = 100;

// Whole agents, many in one process: `node many-agents.ts`, started by fork.
process.once('message', ({ server, caChecksum, tokens }: ManyAgentsTask) => {
  let connected = 0;
  let isReporting = false;
  const report = () => {
    isReporting = false;
    process.send?.({ connected } satisfies ManyAgentsReport);
  };
  const onChange = (isConnected: boolean) => {
    connected += isConnected ? 1 : -1;
    if (isReporting) return;
    isReporting = true;
    setTimeout(report, 20);
  };
  for (const [index, token] of tokens.entries()) {
    const clusterUid = `bench-member-${index}`;
    const agent = { server, caChecksum, token, clusterUid, target: fakeMember(clusterUid), identities: memoryStore(), onChange };
    const run = () => runAgent({ ...agent, env: {}, agentVersion: '0.0.0', firstContactMs: Infinity }, new AbortController().signal);
    setTimeout(() => void run(), index * startEveryMs);
  }
});
process.once('disconnect', () => process.exit(0));

function memoryStore(): IdentityStore {
  let kept: AgentIdentity | undefined;
  return {
    load: async () => kept,
    save: async identity => void (kept = identity),
  };
}
