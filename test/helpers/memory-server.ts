import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { createApiServer, type ApiServer, type ApiServerOptions } from '../../src/apiserver/api-server.ts';
import { inProcessTransport } from '../../src/apiserver/http/in-process-transport.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import type { Transport } from '../../src/client/transport.ts';
import { embeddedClient, hubUser } from '../../src/hub/embedded-client.ts';
import { createPki, type Pki } from '../../src/pki/ensure-pki.ts';
import { makeBase } from '../../src/sandbox/shared-base.ts';
import { memoryJournal } from '../../src/store/journal.ts';
import type { StoreBase } from '../../src/store/store-base.ts';
import { Store } from '../../src/store/store.ts';
import { timestamp } from '../../src/util/timestamp.ts';

export interface MemoryServer {
  readonly pki: Pki;
  readonly api: ApiServer;
  /** As the hub itself, straight onto the objects. */
  readonly client: KubeClient;
  /** As the hub itself, by HTTP. */
  readonly transport: Transport;
}

/** What every server begins with is made by the first one of a process: it takes longer than most tests. */
let firstObjects: Promise<{ objects: StoreBase; rootCa: string }> | undefined;

const makeFirstObjects = async (pki: Pki) => ({ objects: await makeBase(pki), rootCa: pki.authority.certificate });

/** Our whole API server over a store in memory, without a network: users, admission and controllers are there. */
export async function startMemoryServer(t: TestContext, options: Pick<ApiServerOptions, 'bearerTokens'> = {}): Promise<MemoryServer> {
  const pki = createPki();
  const { objects, rootCa } = await (firstObjects ??= makeFirstObjects(pki));
  const birth = { seed: randomBytes(16), bornAt: timestamp(new Date()) };
  const store = await Store.open(memoryJournal(), { base: { objects, birth } });
  const api = await createApiServer({ store, pki, rootCa, isBootstrapped: true, ...options });
  const transport = inProcessTransport(api.handlerAs(hubUser));
  t.after(async () => {
    await transport[Symbol.asyncDispose]();
    await api.close();
    await store.close();
  });
  return { api, pki, transport, client: embeddedClient({ cluster: api.cluster, transport }) };
}
