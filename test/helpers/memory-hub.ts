import type { TestContext } from 'node:test';
import { CustomResourceDefinition } from '../../src/api/builtin-kinds.ts';
import type { DeclaredKind } from '../../src/api/define-kind.ts';
import { eventually } from './eventually.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

/** Our whole API server in memory, serving the given kinds of ours. */
export async function startMemoryHub(
  t: TestContext,
  kinds: readonly DeclaredKind[],
  options: Parameters<typeof startMemoryServer>[1] = {},
): Promise<MemoryServer> {
  const server = await startMemoryServer(t, options);
  for (const kind of kinds) await server.client.apply(CustomResourceDefinition, kind.definition() as CustomResourceDefinition);
  for (const kind of kinds) await eventually(() => server.client.list(kind), Boolean, { what: `kind "${kind.kind}"` });
  return server;
}
