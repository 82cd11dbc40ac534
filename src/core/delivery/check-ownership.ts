import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { workReasons } from '../../api/work.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { DeliveryError } from './delivery-error.ts';
import type { FoundKinds } from './find-kinds.ts';
import type { Member } from './member.ts';
import { refKey, refOf, refText } from './object-ref.ts';
import { belongsTo, ownerText, type Owner } from './owner.ts';
import { readMetadata } from './read-metadata.ts';

interface CheckOptions {
  readonly kinds: FoundKinds;
  readonly owner: Owner;
  readonly known: ReadonlySet<string>;
  readonly signal: AbortSignal;
  readonly concurrency: number;
}

const placesAtOnce = 8;

/** Throws when one of the objects is on the member already and belongs to somebody else, or to nobody. Nothing has been changed then. */
export async function checkOwnership(member: Member, objects: readonly KubeObject[], options: CheckOptions): Promise<void> {
  const { kinds, owner, known, signal, concurrency } = options;
  const unknown = objects.filter(obj => !known.has(refKey(refOf(obj))) && kinds.of(obj));
  const byPlace = Map.groupBy(unknown, ({ apiVersion, kind, metadata }) => `${apiVersion}/${kind}/${metadata.namespace ?? ''}`);
  await mapBounded([...byPlace.values()], placesAtOnce, async group => {
    const kind: KindRef = kinds.of(group[0]!)!;
    const refs = group.map(refOf);
    for (const metadata of await readMetadata(member, kind, refs, { signal, concurrency })) {
      if (belongsTo(metadata, owner)) continue;
      const object = refs.find(({ name }) => name === metadata.name)!;
      const words = `${refText(object)} is there already and belongs to ${ownerText(metadata)}: delete it, or set spec.options.takeOwnership`;
      throw new DeliveryError(workReasons.notOwned, words, { object, isFinal: true });
    }
  });
}
