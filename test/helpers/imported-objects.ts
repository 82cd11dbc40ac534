import type { TestContext } from 'node:test';
import { importObjects } from '../../src/core/registration/import-manifest.ts';
import { startMemoryServer, type MemoryServer } from './memory-server.ts';

/** What the import manifest of a cluster is made of, in tests. */
export const importOptions = {
  clusterId: 'c-m-ab12cd34',
  token: 'b'.repeat(54),
  server: 'https://hub',
  caChecksum: '00',
  image: 'drover:1',
  version: '1',
};

/** A member in memory on which the import manifest was applied. */
export async function startImportedMember(t: TestContext): Promise<MemoryServer & { readonly clusterId: string }> {
  const member = await startMemoryServer(t);
  for (const obj of importObjects(importOptions)) {
    const resource = member.api.cluster.catalog.all().find(({ kind, group }) => kind === obj.kind && obj.apiVersion.startsWith(group));
    await member.api.cluster.create(resource!, obj);
  }
  return { ...member, clusterId: importOptions.clusterId };
}
