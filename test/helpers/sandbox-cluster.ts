import { createPki } from '../../src/pki/ensure-pki.ts';
import { startSandboxHost } from '../../src/sandbox/sandbox-host.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { memoryKeyspaces } from '../../src/store/keyspaces.ts';
import { tempDir } from './temp-dir.ts';

/** One sandbox cluster in this process, as a hub would have it, served on a port of its own. */
export interface SandboxCluster extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** What went wrong in the background. */
  readonly problems: string[];
}

export async function startSandboxCluster({ nodes = 3 } = {}): Promise<SandboxCluster> {
  const scratch = tempDir('sandbox');
  const problems: string[] = [];
  const onError = (what: string, error: unknown): void => {
    problems.push(`${what}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  };
  const host = await startSandboxHost({ keyspaces: memoryKeyspaces(), dir: scratch.dir, pki: createPki(), onError });
  const { url, kubeconfig } = await host.ensure({ name: 'sandbox', nodes: { count: nodes, capacity: {} } });
  return {
    sandbox: await host.open('sandbox'),
    server: url,
    kubeconfig,
    problems,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      scratch[Symbol.dispose]();
    },
  };
}
