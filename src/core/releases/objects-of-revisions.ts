import type { Member } from '../delivery/member.ts';
import { refKey, refOf, type ObjectRef } from '../delivery/object-ref.ts';
import { readManifests } from '../delivery/read-manifests.ts';
import type { ReleaseRecord } from './release-record.ts';

/** Everything that the manifests of these revisions name, hooks left out. Kinds that the member no longer has stay as they are written. */
export async function objectsOfRevisions(member: Member, records: readonly ReleaseRecord[], signal: AbortSignal): Promise<ObjectRef[]> {
  const refs = new Map<string, ObjectRef>();
  const texts = new Map(records.map(({ release }) => [release.manifest, release]));
  for (const [text, { name, namespace }] of texts) {
    const owner = { release: { name, namespace } };
    for (const obj of await readManifests(member, text, { namespace, owner, signal, unknownKinds: 'keep' })) {
      const ref = refOf(obj);
      refs.set(refKey(ref), ref);
    }
  }
  return [...refs.values()];
}
