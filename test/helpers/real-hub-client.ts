import type { TestContext } from 'node:test';
import { CustomResourceDefinition } from '../../src/api/builtin-kinds.ts';
import type { DeclaredKind } from '../../src/api/define-kind.ts';
import { httpClient } from '../../src/client/http-client.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { eventually } from './eventually.ts';
import { startEtcd, startRealApiServer } from './real-cluster.ts';

/** A client of a real API server that serves these kinds, until the test is over. */
export async function startRealHubClient(t: TestContext, kinds: readonly DeclaredKind[]): Promise<KubeClient> {
  const etcd = await startEtcd();
  t.after(() => etcd[Symbol.asyncDispose]());
  const api = await startRealApiServer({ etcd });
  t.after(() => api[Symbol.asyncDispose]());
  const transport = contextTransport(readContext(readKubeconfigs(api.kubeconfig, {}), { env: {} }));
  t.after(() => transport[Symbol.asyncDispose]());
  const client = httpClient(transport);
  for (const kind of kinds) await client.apply(CustomResourceDefinition, kind.definition() as CustomResourceDefinition);
  for (const kind of kinds) await eventually(() => client.list(kind), Boolean, { timeoutMs: 60_000 });
  return client;
}
