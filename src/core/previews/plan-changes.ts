import type { KindRef } from '../../api/define-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { deliveryManager, workAnnotations, type DeliveryOptions } from '../../api/work.ts';
import { explainRefusal, missingKind, unchangeableFields } from '../delivery/explain-refusal.ts';
import { findKinds, type FoundKinds } from '../delivery/find-kinds.ts';
import type { Member } from '../delivery/member.ts';
import { refKey, refOf, refText, type ObjectRef } from '../delivery/object-ref.ts';
import { belongsTo, ownerText, withOwner, type Owner } from '../delivery/owner.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import type { WantedDelivery } from './wanted-delivery.ts';

/** One object before and after a delivery. Without a state after, it would be deleted. */
export interface ObjectChange {
  readonly ref: ObjectRef;
  readonly live: KubeObject | undefined;
  readonly merged: KubeObject | undefined;
}

export interface ChangePlan {
  readonly changes: readonly ObjectChange[];
  /** Why the member, or the deliverer, would refuse an object. */
  readonly problems: readonly unknown[];
}

export interface PlanOptions {
  readonly options: DeliveryOptions | undefined;
  /** Keys of objects that other Works want too, so that they are not deleted. */
  readonly wantedByOthers: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

const concurrency = 8;

/** Asks the member, as the caller, what a delivery would make of each object. Nothing is changed. */
export async function planChanges(member: Member, delivery: WantedDelivery, plan: PlanOptions): Promise<ChangePlan> {
  const { owner, objects, ownerless, present } = delivery;
  const { options, wantedByOthers, signal } = plan;
  const all = [...ownerless, ...objects];
  const kinds = await findKinds(member, all, signal, 'keep');
  const newNamespaces = new Set(
    all.filter(({ kind, apiVersion }) => kind === 'Namespace' && apiVersion === 'v1').map(({ metadata }) => metadata.name),
  );
  const changes: ObjectChange[] = [];
  const problems: unknown[] = [];

  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      problems.push(error);
      return undefined;
    }
  };
  const put = (list: readonly KubeObject[], as: Owner | undefined) =>
    mapBounded(list, concurrency, obj => attempt(() => planPut(member, obj, { kinds, owner: as, options, newNamespaces, signal })));
  const planned = [...(await put(ownerless, undefined)), ...(await put(objects, owner))];
  changes.push(...planned.filter(one => one !== undefined));

  const wanted = new Set(objects.map(obj => refKey(refOf(obj))));
  const leaving = new Map(
    present.filter(ref => !wanted.has(refKey(ref)) && !wantedByOthers.has(refKey(ref))).map(ref => [refKey(ref), ref]),
  );
  if (options?.prune !== false) {
    const removed = await mapBounded([...leaving.values()], concurrency, ref => attempt(() => planRemoval(member, ref, owner, signal)));
    changes.push(...removed.filter(one => one !== undefined));
  }
  return { changes, problems };
}

interface PutContext {
  readonly kinds: FoundKinds;
  readonly owner: Owner | undefined;
  readonly options: DeliveryOptions | undefined;
  /** That this delivery would make. */
  readonly newNamespaces: ReadonlySet<string | undefined>;
  readonly signal: AbortSignal;
}

async function planPut(member: Member, obj: KubeObject, context: PutContext): Promise<ObjectChange> {
  const { kinds, owner, options, newNamespaces, signal } = context;
  const ref = refOf(obj);
  const want = owner ? withOwner(obj, owner) : obj;
  const kind = kinds.of(obj);
  if (!kind) throw missingKind('apply', ref);
  const live = await read(member, kind, ref, signal);
  if (live && owner && options?.takeOwnership !== true) checkOwner(live, ref, owner);
  try {
    const merged = await member.client.apply(kind, want, { fieldManager: deliveryManager, force: true, dryRun: true, signal });
    return { ref, live, merged };
  } catch (error) {
    const isFirst = live === undefined && isMissingPlace(error) && (newNamespaces.has(ref.namespace) || kinds.isDefinedHere(obj));
    if (isFirst) return { ref, live, merged: want };
    if (live && options?.force === true && unchangeableFields(error))
      return { ref, live, merged: await createAnew(member, kind, want, signal) };
    throw asCaller(ref, error);
  }
}

/** Its namespace or its kind does not exist yet. */
const isMissingPlace = (error: unknown): boolean => error instanceof StatusError && error.code === 404;

/** An object of that name is there, so the member is asked about one with a name of its choice. */
async function createAnew(member: Member, kind: KindRef, { metadata, ...rest }: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  const { name = '', ...others } = metadata;
  const other = { ...rest, metadata: { ...others, generateName: `${name.slice(0, 50)}-` } } as KubeObject;
  const created = await member.client.create(kind, other, { fieldManager: deliveryManager, dryRun: true, signal });
  const { generateName: _, ...given } = created.metadata;
  return { ...created, metadata: { ...given, name } };
}

async function planRemoval(member: Member, ref: ObjectRef, owner: Owner, signal: AbortSignal): Promise<ObjectChange | undefined> {
  const kind = await member.kinds.find(ref, signal);
  const live = kind && (await read(member, kind, ref, signal));
  if (!live || !belongsTo(live.metadata, owner) || live.metadata.annotations?.['helm.sh/resource-policy'] === 'keep') return undefined;
  return { ref, live, merged: undefined };
}

async function read(member: Member, kind: KindRef, ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await member.client.get(kind, ref, { signal });
  } catch (error) {
    if (isMissingPlace(error)) return undefined;
    throw asCaller(ref, error);
  }
}

/** What one Work of the cluster delivered may pass to another. */
function checkOwner({ metadata }: KubeObject, ref: ObjectRef, owner: Owner): void {
  if (belongsTo(metadata, owner) || ('work' in owner && metadata.annotations?.[workAnnotations.work] !== undefined)) return;
  throw new Error(`${refText(ref)} is there already and belongs to ${ownerText(metadata)}: delete it, or set spec.options.takeOwnership`);
}

/** The member was asked with the caller's rights, not with those of the hub. */
function asCaller(ref: ObjectRef, error: unknown): unknown {
  const isForbidden = error instanceof StatusError && error.code === 403 && error.message.includes(' cannot ');
  return isForbidden ? new Error(`you may not ask about ${refText(ref)}`, { cause: error }) : explainRefusal('apply', ref, error);
}

/** The name that `kubectl diff` gives the file of an object. */
export function fileNameOf(ref: ObjectRef): string {
  const name = `${apiVersionOf(ref).replaceAll('/', '.')}.${ref.kind}.${ref.namespace ?? ''}.${ref.name}`;
  // Names of some kinds have colons and the like; none may lead out of a folder.
  return name.replaceAll(/[/\\:\0]/g, '_');
}
