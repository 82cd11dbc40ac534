import type { KubeObject } from '../../api/object.ts';
import { deliveryManager, type DriftExclusion } from '../../api/work.ts';
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

const replicas: Pointer = ['spec', 'replicas'];
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
    const pointers = pointersFor(obj, exclusions);
    if (hasReplicas(obj)) {
      const { namespace = '' } = obj.metadata;
      let known = scaled.get(namespace);
      if (!known) scaled.set(namespace, (known = readScaledObjects(member, namespace, signal)));
      if ((await known).has(obj)) pointers.push(replicas);
    }
    if (pointers.length === 0) return obj;
    const live = await readLive(member, obj, signal);
    return live ? leaveAlone(obj, live, pointers, { manager, missing }) : obj;
  });
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
 * At each pointer: what somebody else owns is left out, so that the member keeps it; what nobody else owns is given as it is there, because
 * a field that we owned alone and give up would be removed.
 */
export function leaveAlone(
  want: KubeObject,
  live: KubeObject,
  pointers: readonly Pointer[],
  { manager, missing }: { readonly manager: string; readonly missing: 'deliver' | 'leave' },
): KubeObject {
  const owners = readOwners(live, manager);
  return pointers.reduce<Json>(
    (left, pointer) => leave(left, live as unknown as Json, owners, pointer, false) ?? {},
    want as unknown as Json,
  ) as unknown as KubeObject;

  /** Undefined: leave it out. */
  function leave(value: Json, have: Json | undefined, here: Owners, pointer: Pointer, isPart: boolean): Json | undefined {
    const [step, ...rest] = pointer;
    if (step === undefined) return leaveHere(value, have, here, isPart);
    if (have === undefined || have === null) return missing === 'deliver' ? value : withoutPointers(value, [pointer]);
    const isWhole = isPart || isOwnedWhole(here);
    if (Array.isArray(value)) return Array.isArray(have) ? leaveInList(value, have, here, step, rest, isWhole) : value;
    if (!isJsonObject(value) || !isJsonObject(have)) return value;
    const left: JsonObject = {};
    for (const [key, member] of Object.entries(value)) {
      const isMeant = step === '*' || step === key;
      const kept = isMeant ? leave(member, own(have, key), ownersAt(here, { field: key }), rest, isWhole) : member;
      if (kept !== undefined) left[key] = kept;
    }
    return left;
  }

  function leaveInList(value: Json[], have: Json[], here: Owners, step: string, rest: Pointer, isWhole: boolean): Json {
    const merging = isWhole ? ({ kind: 'whole' } as const) : listKindOf(here);
    const liveOf = merging.kind === 'keyed' ? pairItems(value, have, merging.names, here) : undefined;
    return value.flatMap((item, i) => {
      if (step !== '*' && step !== String(i)) return [item];
      const pair = liveOf?.[i];
      const below = pair ? ownersAt(here, { keys: pair.keys }) : here;
      const kept = leave(item, pair ? pair.live : have[i], below, rest, isWhole || merging.kind !== 'keyed');
      return kept === undefined ? [] : [kept];
    });
  }

  function leaveHere(value: Json, have: Json | undefined, here: Owners, isPart: boolean): Json | undefined {
    if (have === undefined) return missing === 'deliver' ? value : undefined;
    if (jsonEqual(value, have)) return value;
    const isOthers = here.ours === undefined && here.others.length > 0;
    return isOthers && !isPart ? undefined : have;
  }
}

const own = (value: JsonObject, key: string): Json | undefined => (Object.hasOwn(value, key) ? value[key] : undefined);
