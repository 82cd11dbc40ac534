import type { TestContext } from 'node:test';
import type { DeclaredKind } from '../../src/api/define-kind.ts';
import type { KubeObject } from '../../src/api/object.ts';
import { seedDefinitions } from '../../src/apiserver/crd/seed-definitions.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

/** Our whole API server in memory, serving the given kinds of ours. */
export async function startMemoryHub(
  t: TestContext,
  kinds: readonly DeclaredKind[],
  options: Parameters<typeof startMemoryServer>[1] = {},
): Promise<MemoryServer> {
  const server = await startMemoryServer(t, options);
  await seedDefinitions(
    server.api.cluster,
    kinds.map(kind => kind.definition() as KubeObject),
    'test',
  );
  return server;
}
