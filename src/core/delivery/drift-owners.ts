import type { KubeObject, ManagedFieldsEntry } from '../../api/object.ts';
import { isJsonObject, parseJson, type Json, type JsonObject } from '../../util/json.ts';
import type { Step } from './drift-path.ts';

/** The part of somebody's FieldsV1 that lies at a path. Undefined: that manager owns nothing there. */
export type Owned = JsonObject | undefined;

/** Who owns what at one path of a live object. Walks down with the values. */
export interface Owners {
  /** What the deliverer owns here. */
  readonly ours: Owned;
  /** Everybody else who owns something here, newest first. */
  readonly others: readonly { readonly entry: ManagedFieldsEntry; readonly owned: JsonObject }[];
}

/** Our own ownership is that of server-side apply; what we wrote otherwise, to the status for example, is not the delivery. */
export function readOwners(live: KubeObject, manager: string): Owners {
  const entries = live.metadata.managedFields ?? [];
  const isOurs = (entry: ManagedFieldsEntry): boolean =>
    entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === '';
  // Whoever owns nothing at all must not be taken for the owner of the whole.
  const owning = entries.flatMap(entry => {
    const { fieldsV1: owned } = entry;
    return isJsonObject(owned) && Object.keys(owned).length > 0 ? [{ entry, owned }] : [];
  });
  return {
    ours: owning.find(({ entry }) => isOurs(entry))?.owned,
    others: owning
      .filter(({ entry }) => !isOurs(entry))
      .sort((a, b) => Date.parse(b.entry.time ?? '') - Date.parse(a.entry.time ?? '') || 0),
  };
}

/** Owners one step further down. Whoever owns a whole, undivided value owns every part of it. */
export function ownersAt(owners: Owners, step: Step): Owners {
  return {
    ours: owners.ours && ownedAt(owners.ours, step),
    others: owners.others.flatMap(({ entry, owned }) => {
      const below = ownedAt(owned, step);
      return below ? [{ entry, owned: below }] : [];
    }),
  };
}

function ownedAt(owned: JsonObject, step: Step): Owned {
  if (isWhole(owned)) return owned;
  if ('field' in step) return asOwned(owned[`f:${step.field}`]);
  if ('index' in step) return asOwned(owned[`i:${step.index}`]);
  for (const element of Object.keys(owned)) {
    const item = readItem(element);
    if (item === undefined) continue;
    if ('value' in step ? 'value' in item && item.value === step.value : 'keys' in item && sameKeys(item.keys, step.keys))
      return asOwned(owned[element]);
  }
  return undefined;
}

const asOwned = (value: Json | undefined): Owned => (isJsonObject(value) ? value : undefined);

/** True of a value that is owned undivided: a scalar, an atomic list or map, or an empty one. */
const isWhole = (owned: JsonObject): boolean => Object.keys(owned).every(element => element === '.');

/** Undivided for us, or, where we own nothing, for somebody else. */
export function isOwnedWhole({ ours, others }: Owners): boolean {
  return ours ? isWhole(ours) : others.some(({ owned }) => isWhole(owned));
}

type Item = { readonly keys: Readonly<Record<string, Json>> } | { readonly value: Json };

/** `k:{…}` and `v:…`; undefined for other elements and for what cannot be read. */
function readItem(element: string): Item | undefined {
  if (!element.startsWith('k:') && !element.startsWith('v:')) return undefined;
  try {
    const body = parseJson(element.slice(2));
    if (element.startsWith('v:')) return { value: body };
    return isJsonObject(body) ? { keys: body } : undefined;
  } catch {
    return undefined;
  }
}

function sameKeys(a: Readonly<Record<string, Json>>, b: Readonly<Record<string, Json>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name]);
}

/** How the member merges the items of the list at this path, as far as its owners show it. */
export function listKindOf({ ours, others }: Owners): { kind: 'keyed'; names: readonly string[] } | { kind: 'set' } | { kind: 'whole' } {
  for (const owned of [ours, ...others.map(other => other.owned)]) {
    for (const element of owned ? Object.keys(owned) : []) {
      const item = readItem(element);
      if (item) return 'keys' in item ? { kind: 'keyed', names: Object.keys(item.keys) } : { kind: 'set' };
    }
  }
  return { kind: 'whole' };
}

/** `kubectl-edit`, or with what sets the write apart: `argocd (Apply)`, `kube-controller-manager (Update, subresource scale)`. */
export function printManager({ manager = 'unknown', operation = 'Update', subresource = '' }: ManagedFieldsEntry): string {
  if (operation === 'Update' && subresource === '') return manager;
  return `${manager} (${[operation, ...(subresource === '' ? [] : [`subresource ${subresource}`])].join(', ')})`;
}
