import { withConditions } from '../../api/conditions.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import type { ServiceSet } from './kinds/service-set.ts';
import type { Service, ServiceState } from './kinds/service-spec.ts';
import type { NextServices } from './next-services.ts';
import { serviceKey } from './validate-services.ts';

/** What the owner of a ServiceSet says beside its list of services, for which k0rdent has no field: annotations. */
export const setNotes = {
  /** What services depend on, by namespace/name. Those on their way out are there too. */
  dependencies: 'drover.io/service-dependencies',
  /** Services whose chain has no way to the template that is wanted, and the words for it. */
  blocked: 'drover.io/upgrade-path-blocked',
  /** The MultiClusterServices that the owner depends on. */
  dependsOn: 'drover.io/depends-on',
} as const;

export interface NotesInput {
  readonly desired: readonly Service[];
  readonly next: Pick<NextServices, 'blocked'>;
  /** The MultiClusterServices that the owner depends on. */
  readonly dependsOn: readonly string[];
  readonly present: ServiceSet | undefined;
}

export function notesFor({ desired, next, dependsOn, present }: NotesInput): Record<string, string> {
  const wanted = new Set(desired.map(serviceKey));
  const there = new Set([...(present?.spec.services ?? []), ...(present?.status?.services ?? [])].map(serviceKey));
  const leaving = Object.entries(dependenciesOf(present)).filter(([key]) => !wanted.has(key) && there.has(key));
  const staying = desired
    .filter(one => (one.dependsOn ?? []).length > 0)
    .map(one => [serviceKey(one), one.dependsOn!.map(serviceKey)] as const);
  const blocked = next.blocked.map(({ key, message }) => [key, message] as const);
  return {
    ...note(setNotes.dependencies, [...leaving, ...staying]),
    ...note(setNotes.blocked, blocked),
    ...(dependsOn.length > 0 && { [setNotes.dependsOn]: JSON.stringify(dependsOn) }),
  };
}

function note(name: string, entries: readonly (readonly [string, Json])[]): Record<string, string> {
  if (entries.length === 0) return {};
  return { [name]: JSON.stringify(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))) };
}

/** Whether a set has these notes and no others. */
export function hasNotes({ metadata }: ServiceSet, notes: Readonly<Record<string, string>>): boolean {
  return Object.values(setNotes).every(name => metadata.annotations?.[name] === notes[name]);
}

function read(set: ServiceSet | undefined, name: string): Json {
  try {
    return JSON.parse(set?.metadata.annotations?.[name] ?? 'null') as Json;
  } catch {
    return null;
  }
}

const texts = (value: Json | undefined): string[] => (Array.isArray(value) ? value.filter(one => typeof one === 'string') : []);

function dependenciesOf(set: ServiceSet | undefined): Record<string, string[]> {
  const value = read(set, setNotes.dependencies);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, needs]) => [key, texts(needs)])) : {};
}

/** How many services stand behind another one, each needing the next: what is delivered first has none, and goes last. */
export function dependencyDepths(set: ServiceSet): (key: string) => number {
  const needs = dependenciesOf(set);
  const depths = new Map<string, number>();
  return depthOf;

  function depthOf(key: string): number {
    const known = depths.get(key);
    if (known !== undefined) return known;
    // One that comes back to itself has nobody behind it.
    depths.set(key, 0);
    const depth = Math.max(0, ...(needs[key] ?? []).map(one => depthOf(one) + 1));
    depths.set(key, depth);
    return depth;
  }
}

/** Those of the sets that are on their way out and must be gone before this one may go: their owners depend on that of this one. */
export function setsToGoFirst(set: ServiceSet, onCluster: readonly ServiceSet[]): ServiceSet[] {
  const name = set.spec.multiClusterService;
  if (!name) return [];
  const own = texts(read(set, setNotes.dependsOn));
  return onCluster.filter(
    other =>
      other.metadata.deletionTimestamp !== undefined &&
      texts(read(other, setNotes.dependsOn)).includes(name) &&
      !own.includes(other.spec.multiClusterService ?? ''),
  );
}

const upgradePathBlocked = 'UpgradePathBlocked';

/** The states with what their owner says about them. */
export function withBlockedUpgrades(set: ServiceSet, states: readonly ServiceState[], now: Date): ServiceState[] {
  const blocked = read(set, setNotes.blocked);
  return states.map(state => {
    const message = isJsonObject(blocked) ? blocked[serviceKey(state)] : undefined;
    if (typeof message !== 'string') return state;
    const before = set.status?.services?.find(one => serviceKey(one) === serviceKey(state))?.conditions;
    const report = { type: upgradePathBlocked, status: 'True', reason: upgradePathBlocked, message } as const;
    return { ...state, conditions: withConditions([...(state.conditions ?? []), ...(before ?? []).filter(isBlocked)], [report], { now }) };
  });
}

const isBlocked = ({ type }: { readonly type: string }): boolean => type === upgradePathBlocked;
