import type { KubeObject } from '../../api/object.ts';
import { deliveryManager, workAnnotations, type DriftExclusion } from '../../api/work.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { hasReplicas, readScaledObjects, type ScaledObjects } from './drift-autoscalers.ts';
import { pairItems } from './drift-differences.ts';
import { pointersFor, withoutPointers, type Pointer } from './drift-exclusions.ts';
import { isOwnedWhole, listKindOf, ownersAt, readOwners, type Owners } from './drift-owners.ts';
import type { Member } from './member.ts';

export interface LeaveAloneOptions {
  readonly exclusions?: readonly DriftExclusion[] | undefined;
  readonly manager?: string;
  readonly signal: AbortSignal;
  /**
   * An excluded field that is not on the member: `deliver` puts it there, which a new delivery must do, `leave` does not, because somebody
   * has taken it away. Default `deliver`.
   */
  readonly missing?: 'deliver' | 'leave';
}

/** What of an object is left to others. */
export interface LeftAlone {
  readonly pointer: Pointer;
  /** Also a value that only we have set so far is kept: somebody will decide it soon. */
  readonly isDecidedByOthers: boolean;
}

const replicas: LeftAlone = { pointer: ['spec', 'replicas'], isDecidedByOthers: true };
const concurrency = 8;
const timeoutMs = 10_000;

/**
 * The objects as they should be applied so that what others decide stays as it is: excluded paths, and replicas that an autoscaler of the
 * member owns. Costs nothing for objects that have neither.
 */
export async function withoutOwnedByOthers(
  member: Member,
  objects: readonly KubeObject[],
  { exclusions = [], manager = deliveryManager, signal, missing = 'deliver' }: LeaveAloneOptions,
): Promise<KubeObject[]> {
  const scaled = new Map<string, Promise<ScaledObjects>>();
  return mapBounded(objects, concurrency, async obj => {
    const spots: LeftAlone[] = pointersFor(obj, exclusions).map(pointer => ({ pointer, isDecidedByOthers: false }));
    if (hasReplicas(obj) && obj.metadata.annotations?.[workAnnotations.asleep] !== 'true') {
      const { namespace = '' } = obj.metadata;
      let known = scaled.get(namespace);
      if (!known) scaled.set(namespace, (known = readScaledObjects(member, namespace, signal)));
      if ((await known).has(obj)) spots.push(replicas);
    }
    if (spots.length === 0) return obj;
    const live = await readLive(member, obj, signal);
    if (!live) return obj;
    return leaveAlone(obj, live, isPutToSleep(live, manager) ? spots.filter(one => one !== replicas) : spots, { manager, missing });
  });
}

/** Whether it has no replicas because we said so: no autoscaler would ever wake it. */
function isPutToSleep(live: KubeObject, manager: string): boolean {
  if (!isJsonObject(live.spec) || live.spec['replicas'] !== 0) return false;
  const [spec, field] = replicas.pointer;
  return ownersAt(ownersAt(readOwners(live, manager), { field: spec! }), { field: field! }).ours !== undefined;
}

export async function readLive(
  member: Member,
  { apiVersion, kind, metadata }: KubeObject,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const slash = apiVersion.indexOf('/');
  const gvk = { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
  const ref = await member.kinds.find(gvk, signal);
  return ref && member.client.get(ref, { namespace: metadata.namespace, name: metadata.name ?? '' }, { signal, timeoutMs });
}

/**
 * At each spot: what somebody else owns is left out, so that the member keeps it; what nobody else owns is delivered, or, where others
 * decide it, given as it is there, because a field that we owned alone and give up would be removed.
 */
export function leaveAlone(
  want: KubeObject,
  live: KubeObject,
  spots: readonly LeftAlone[],
  { manager, missing }: { readonly manager: string; readonly missing: 'deliver' | 'leave' },
): KubeObject {
  const here: Place = { have: live as unknown as Json, owners: readOwners(live, manager), isPart: false };
  let left = want as unknown as Json;
  for (const { pointer, isDecidedByOthers } of spots) left = leave(left, here, pointer, { missing, isDecidedByOthers }) ?? {};
  // Whatever is excluded, an object has its name.
  const { apiVersion, kind, metadata } = want;
  const kept = left as unknown as Partial<KubeObject>;
  const { name, namespace } = metadata;
  return { ...kept, apiVersion, kind, metadata: { ...kept.metadata, name, ...(namespace !== undefined && { namespace }) } } as KubeObject;
}

/** What is on the member at one path. */
interface Place {
  readonly have: Json | undefined;
  readonly owners: Owners;
  /** It lies within a value that has one owner as a whole. */
  readonly isPart: boolean;
}

interface Manner {
  readonly missing: 'deliver' | 'leave';
  readonly isDecidedByOthers: boolean;
}

/** Undefined: leave it out. */
function leave(value: Json, { have, owners, isPart }: Place, pointer: Pointer, manner: Manner): Json | undefined {
  const [step, ...rest] = pointer;
  if (step === undefined) return leaveHere(value, { have, owners, isPart }, manner);
  if (have === undefined || have === null) return manner.missing === 'deliver' ? value : withoutPointers(value, [pointer]);
  const here = { owners, isPart: isPart || isOwnedWhole(owners) };
  if (Array.isArray(value)) return Array.isArray(have) ? leaveInList(value, { ...here, have }, pointer, manner) : value;
  if (!isJsonObject(value) || !isJsonObject(have)) return value;
  const left: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    const below = { ...here, have: Object.hasOwn(have, key) ? have[key] : undefined, owners: ownersAt(owners, { field: key }) };
    const kept = step === '*' || step === key ? leave(member, below, rest, manner) : member;
    if (kept !== undefined) left[key] = kept;
  }
  return left;
}

function leaveInList(value: Json[], { have, owners, isPart }: Place & { have: Json[] }, [step, ...rest]: Pointer, manner: Manner): Json {
  const merging = isPart ? undefined : listKindOf(owners);
  const pairs = merging?.kind === 'keyed' ? pairItems(value, have, merging.names, owners) : undefined;
  return value.flatMap((item, i) => {
    if (step !== '*' && step !== String(i)) return [item];
    const pair = pairs?.[i];
    const below = pair
      ? { have: pair.live, owners: ownersAt(owners, { keys: pair.keys }), isPart }
      : { have: have[i], owners, isPart: true };
    const kept = leave(item, below, rest, manner);
    return kept === undefined ? [] : [kept];
  });
}

function leaveHere(value: Json, { have, owners, isPart }: Place, { missing, isDecidedByOthers }: Manner): Json | undefined {
  if (have === undefined) return missing === 'deliver' ? value : undefined;
  if (jsonEqual(value, have) || (owners.ours !== undefined && !isDecidedByOthers)) return value;
  const isOthers = owners.ours === undefined && owners.others.length > 0;
  return isOthers && !isPart ? undefined : have;
}
