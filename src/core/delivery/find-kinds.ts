import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import type { CustomResourceDefinition } from '../../api/kubernetes.ts';
import type { Member } from './member.ts';
import { explainRefusal, missingKind } from './explain-refusal.ts';
import { refOf } from './object-ref.ts';

export interface FoundKinds {
  of(obj: KubeObject): KindRef | undefined;
  /** Whether the kind comes with a definition among the objects, so that the member may not have it yet. */
  isDefinedHere(obj: KubeObject): boolean;
}

const keyOf = (apiVersion: string, kind: string): string => `${apiVersion}/${kind}`;

/** The kinds of the objects: those that the member has, and those that definitions among the objects bring. */
export async function findKinds(
  { kinds }: Pick<Member, 'kinds'>,
  objects: readonly KubeObject[],
  signal: AbortSignal,
  unknownKinds: 'throw' | 'keep' = 'throw',
): Promise<FoundKinds> {
  const defined = definedKinds(objects);
  const found = new Map<string, KindRef | undefined>(defined);
  for (const obj of objects) {
    const key = keyOf(obj.apiVersion, obj.kind);
    if (found.has(key)) continue;
    const ref = refOf(obj);
    const kind = await kinds.find(ref, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      throw explainRefusal('read', ref, error);
    });
    if (!kind && unknownKinds === 'throw') throw missingKind('apply', ref);
    found.set(key, kind);
  }
  return {
    of: ({ apiVersion, kind }) => found.get(keyOf(apiVersion, kind)),
    isDefinedHere: ({ apiVersion, kind }) => defined.has(keyOf(apiVersion, kind)),
  };
}

export function isDefinition({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
}

/** The kinds that definitions among the objects bring, by apiVersion and kind. */
export function definedKinds(objects: readonly KubeObject[]): Map<string, KindRef> {
  const defined = new Map<string, KindRef>();
  for (const obj of objects) {
    if (!isDefinition(obj)) continue;
    const { group = '', names, scope, versions = [] } = (obj['spec'] ?? {}) as Partial<CustomResourceDefinition['spec']>;
    if (!names) continue;
    const { kind, plural: resource } = names;
    for (const { name: version, served } of versions) {
      const ref: KindRef = { group, version, kind, resource, scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced' };
      if (served) defined.set(keyOf(apiVersionOf(ref), kind), ref);
    }
  }
  return defined;
}
