import type { TestContext } from 'node:test';
import { createApiServer, type ApiServer, type ApiServerOptions } from '../../src/apiserver/api-server.ts';
import { inProcessTransport } from '../../src/apiserver/http/in-process-transport.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import type { Transport } from '../../src/client/transport.ts';
import { embeddedClient, hubUser } from '../../src/hub/embedded-client.ts';
import { ensurePki, type Pki } from '../../src/pki/ensure-pki.ts';
import { memoryJournal } from '../../src/store/journal.ts';
import { Store } from '../../src/store/store.ts';
import { tempDir } from './temp-dir.ts';

export interface MemoryServer {
  readonly pki: Pki;
  readonly api: ApiServer;
  /** As the hub itself, straight onto the objects. */
  readonly client: KubeClient;
  /** As the hub itself, by HTTP. */
  readonly transport: Transport;
}

/** Our whole API server over a store in memory, without a network: users, admission and controllers are there. */
export async function startMemoryServer(t: TestContext, options: Pick<ApiServerOptions, 'bearerTokens'> = {}): Promise<MemoryServer> {
  const scratch = tempDir('memory-server');
  const pki = ensurePki(scratch.dir, { hosts: [] });
  const api = await createApiServer({ store: await Store.open(memoryJournal()), pki, ...options });
  const transport = inProcessTransport(api.handlerAs(hubUser));
  t.after(async () => {
    await transport[Symbol.asyncDispose]();
    await api.close();
    await api.cluster.store.close();
    scratch[Symbol.dispose]();
  });
  return { api, pki, transport, client: embeddedClient({ cluster: api.cluster, transport }) };
}
