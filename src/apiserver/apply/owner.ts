import { compareTexts } from '../../util/compare-texts.ts';
import type { ManagedFieldsEntry } from '../../api/object.ts';
import { printJson } from '../../util/json.ts';
import { goQuote } from '../../util/go-quote.ts';
import { decodeFieldsV1, encodeFieldsV1 } from './fields-v1.ts';
import type { FieldSet } from './field-set.ts';

/** One entry of managedFields while it is being worked on. */
export interface Owner {
  /** Names the entry: manager, operation, subresource, and for updates the version. Sorts as the real server sorts it. */
  readonly id: string;
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
  /** The entry this came from, as long as nothing about it changed. */
  readonly entry?: ManagedFieldsEntry;
}

export type Owners = Map<string, Owner>;

function ownerId(o: { manager: string; operation: string; apiVersion: string; subresource: string }): string {
  const manager = o.manager === '' ? '' : `"manager":${JSON.stringify(o.manager)},`;
  const version = o.operation === 'Apply' || o.apiVersion === '' ? '' : `,"apiVersion":${JSON.stringify(o.apiVersion)}`;
  const subresource = o.subresource === '' ? '' : `,"subresource":${JSON.stringify(o.subresource)}`;
  return `{${manager}"operation":"${o.operation}"${version}${subresource}}`;
}

export function makeOwner(o: Omit<Owner, 'id' | 'entry'>): Owner {
  return { ...o, id: ownerId(o) };
}

export function withSet(owner: Owner, set: FieldSet): Owner {
  if (owner.set === set) return owner;
  const { id, manager, operation, apiVersion, subresource, time } = owner;
  return { id, manager, operation, apiVersion, subresource, time, set };
}

/** Throws when an entry cannot be read; the message is the real server's. */
export function decodeOwners(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  const owners: Owners = new Map();
  entries?.forEach((entry, i) => {
    const owner = decodeOwner(entry, i);
    owners.set(owner.id, owner);
  });
  return owners;
}

function decodeOwner(entry: ManagedFieldsEntry, i: number): Owner {
  const { operation, apiVersion = '', manager = '', subresource = '', fieldsType = '' } = entry;
  if (operation !== 'Apply' && operation !== 'Update') throw new Error('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new Error('apiVersion must not be empty');
  if (fieldsType === '') throw new Error(`missing fieldsType in managed fields entry ${i}`);
  if (fieldsType !== 'FieldsV1') throw new Error(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${i}`);
  let set: FieldSet;
  try {
    set = decodeFieldsV1(entry.fieldsV1);
  } catch (cause) {
    throw new Error(`error decoding versioned set from ${printJson(entry)}: error decoding set: ${(cause as Error).message}`, { cause });
  }
  const parts = { manager, operation, apiVersion, subresource };
  return { ...parts, id: ownerId(parts), time: entry.time, set, entry };
}

/** The entries in the order of the real server. Undefined when there are none. */
export function encodeOwners(owners: Owners): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  return [...owners.values()].sort(compareOwners).map(encodeOwner);
}

function encodeOwner({ manager, operation, apiVersion, subresource, time, set, entry }: Owner): ManagedFieldsEntry {
  const fieldsV1 = encodeFieldsV1(set);
  if (entry !== undefined && entry.fieldsV1 === fieldsV1 && entry.time === time && entry.apiVersion === apiVersion) return entry;
  return {
    ...(manager !== '' && { manager }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource !== '' && { subresource }),
  };
}

export const secondsOf = (time: string | undefined) => (time === undefined ? 0 : Math.floor(Date.parse(time) / 1000));

function compareOwners(a: Owner, b: Owner): number {
  if (a.operation !== b.operation) return a.operation < b.operation ? -1 : 1;
  const time = a.time === b.time ? 0 : secondsOf(a.time) - secondsOf(b.time);
  if (time !== 0) return time;
  return compareTexts(a.manager, b.manager) || compareTexts(a.apiVersion, b.apiVersion) || compareTexts(a.subresource, b.subresource);
}
