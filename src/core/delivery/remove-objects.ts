import type { KindRef } from '../../api/define-kind.ts';
import type { ObjectMeta } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { explainRefusal } from './explain-refusal.ts';
import { installStages } from './install-stages.ts';
import type { Member } from './member.ts';
import { refKey, type ObjectRef } from './object-ref.ts';
import { belongsTo, type Owner } from './owner.ts';
import { readMetadata } from './read-metadata.ts';
import { isNoSuchKind, retryRefused } from './retry-refused.ts';
import { runAll } from './run-all.ts';

export interface RemoveOptions {
  readonly owner: Owner;
  readonly signal: AbortSignal;
  /** Default Background: what an object owns goes after it. */
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly dryRun?: boolean;
  /** Default 16. */
  readonly concurrency?: number;
}

export interface KeptObject extends ObjectRef {
  /** `policy`: it is marked to be kept. `notOwned`: it belongs to somebody else. */
  readonly why: 'policy' | 'notOwned';
}

export interface Removal {
  /** Deleted, or gone before. With finalizers they may stay for a while. */
  readonly removed: ObjectRef[];
  readonly kept: KeptObject[];
}

const defaultConcurrency = 16;

/** Deletes those of the objects that belong to the owner, the last kind of the order of installation first. Throws a DeliveryError. */
export async function removeObjects(member: Member, refs: readonly ObjectRef[], options: RemoveOptions): Promise<Removal> {
  const { signal, concurrency = defaultConcurrency } = options;
  const removal: Removal = { removed: [], kept: [] };
  const unique = [...new Map(refs.map(ref => [refKey(ref), ref])).values()];
  for (const stage of installStages(unique, ({ kind }) => kind).reverse()) {
    const places = Map.groupBy(stage, ({ group, version, namespace = '' }) => `${group}/${version}/${namespace}`);
    for (const place of places.values()) {
      signal.throwIfAborted();
      const kind = await findKind(member, place[0]!, signal);
      // Without its kind nothing is left of an object.
      const present = kind ? await readMetadata(member, kind, place, { signal, concurrency }) : [];
      const byName = new Map(present.map(metadata => [metadata.name, metadata]));
      await runAll(place, concurrency, async ref => {
        const metadata = byName.get(ref.name);
        const why = metadata && reasonToKeep(metadata, options.owner);
        if (why) removal.kept.push({ ...ref, why });
        else {
          if (metadata) await removeObject(member, kind!, { ref, metadata }, options);
          removal.removed.push(ref);
        }
      });
    }
  }
  return removal;
}

async function findKind(member: Member, ref: ObjectRef, signal: AbortSignal): Promise<KindRef | undefined> {
  try {
    return await member.kinds.find(ref, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw explainRefusal('delete', ref, error);
  }
}

function reasonToKeep(metadata: ObjectMeta, owner: Owner): KeptObject['why'] | undefined {
  if (!belongsTo(metadata, owner)) return 'notOwned';
  const policy = metadata.annotations?.['helm.sh/resource-policy'] ?? '';
  return policy.toLowerCase().trim() === 'keep' ? 'policy' : undefined;
}

async function removeObject(
  { client }: Member,
  kind: KindRef,
  { ref, metadata }: { readonly ref: ObjectRef; readonly metadata: ObjectMeta },
  { signal, propagation = 'Background', dryRun = false }: RemoveOptions,
): Promise<void> {
  const { uid } = metadata;
  const remove = () =>
    client.delete(
      kind,
      { namespace: ref.namespace, name: ref.name },
      { propagationPolicy: propagation, dryRun, signal, ...(uid !== undefined && { preconditions: { uid } }) },
    );
  try {
    await retryRefused(remove, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (isReplaced(error) || isNoSuchKind(error)) return;
    throw explainRefusal('delete', ref, error);
  }
}

/** Somebody deleted it and created another, which is not ours. */
function isReplaced(error: unknown): boolean {
  return error instanceof StatusError && error.code === 409 && error.message.includes('Precondition failed: UID');
}
