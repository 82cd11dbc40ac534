import { Namespace } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { Work } from '../../api/work.ts';
import type { Member } from '../delivery/member.ts';

/** The namespaces that a delivery of plain objects makes when they are missing: they are nobody's, and stay when the delivery goes. */
export function namespacesToMake({ spec: { release, options } }: Work, objects: readonly KubeObject[]): string[] {
  const named = new Set(objects.map(({ metadata }) => metadata.namespace ?? '').filter(name => name !== ''));
  const wanted = options?.createAllNamespaces ? named : new Set([release.namespace].filter(name => named.has(name)));
  if (options?.createNamespace === false) wanted.delete(release.namespace);
  for (const { apiVersion, kind, metadata } of objects) if (apiVersion === 'v1' && kind === 'Namespace') wanted.delete(metadata.name ?? '');
  return [...wanted];
}

export async function ensureNamespaces(
  work: Work,
  objects: readonly KubeObject[],
  { client }: Pick<Member, 'client'>,
  signal: AbortSignal,
): Promise<void> {
  for (const name of namespacesToMake(work, objects)) {
    if (await client.get(Namespace, { name }, { signal })) continue;
    await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { signal }).catch((error: unknown) => {
      if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
    });
  }
}
