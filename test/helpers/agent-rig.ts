import { createServer, type RequestListener } from 'node:http';
import type { TestContext } from 'node:test';
import { fileIdentityStore } from '../../src/agent/identity-store.ts';
import { runAgent, type AgentOptions } from '../../src/agent/run-agent.ts';
import { httpsTransport } from '../../src/client/https-transport.ts';
import { tempDir } from './temp-dir.ts';
import { listen } from './tunnel-rig.ts';

export interface AgentRig {
  readonly options: AgentOptions;
  /** Runs an agent until the test ends or `stop` is called. */
  run(changes?: Partial<AgentOptions>): { readonly ended: Promise<string | undefined>; stop(): Promise<void> };
}

/** A member, as far as an agent sees it, and the means to run agents for it. */
export async function startAgentRig(
  t: TestContext,
  server: string,
  handle: RequestListener = (_req, res) => res.end('member'),
): Promise<AgentRig> {
  const scratch = tempDir('agent');
  const api = createServer(handle);
  const port = await listen(api);
  const target = httpsTransport({ server: `http://127.0.0.1:${port}` });
  const options: AgentOptions = {
    server,
    env: {},
    target,
    identities: fileIdentityStore(`${scratch.dir}/state/identity.json`),
    clusterUid: 'uid-of-the-member',
    agentVersion: '1.2.3',
  };
  t.after(async () => {
    await target[Symbol.asyncDispose]();
    api.closeAllConnections();
    api.close();
    scratch[Symbol.dispose]();
  });
  return {
    options,
    run(changes = {}) {
      const stopper = new AbortController();
      const ended = runAgent({ ...options, ...changes }, stopper.signal);
      ended.catch(() => {});
      const stop = async () => {
        stopper.abort(new Error('stopped'));
        await ended.catch(() => {});
      };
      t.after(stop);
      return { ended, stop };
    },
  };
}
