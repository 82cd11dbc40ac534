import type { AgentIdentity } from '../../src/agent/agent-identity.ts';
import type { IdentityStore } from '../../src/agent/identity-store.ts';
import { runAgent } from '../../src/agent/run-agent.ts';
import { busyPod } from '../rest/busy-pod.ts';
import { fakeMember } from './fake-member.ts';

/** What the parent says first. */
export interface ManyAgentsTask {
  readonly server: string;
  readonly caChecksum: string;
  readonly tokens: readonly string[];
  /** How many pods each member has. Default none. */
  readonly pods?: number;
  /** Between the starts of two agents. Clusters are not imported all at once: 100 ms when absent. */
  readonly startEveryMs?: number;
}

/** What the child says whenever it changes. */
export interface ManyAgentsReport {
  readonly connected: number;
}

// Whole agents, many in one process: `node many-agents.ts`, started by fork.
process.once('message', ({ server, caChecksum, tokens, pods = 0, startEveryMs = 100 }: ManyAgentsTask) => {
  const items = Array.from({ length: pods }, (_, i) => busyPod(i));
  const podList = Buffer.from(JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items }));
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
    const agent = {
      server,
      caChecksum,
      token,
      clusterUid,
      target: fakeMember(clusterUid, { podList }),
      identities: memoryStore(),
      onChange,
    };
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
