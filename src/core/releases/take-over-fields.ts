import type { ManagedFieldsEntry } from '../../api/object.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';

/** Programs that put charts on clusters, by the name under which they write. */
const isHelm = (manager: string): boolean => /^(?:helm|helm-controller|terraform-provider-helm.*)$/i.test(manager);

/**
 * The managers of an object when everything that Helm wrote, applied or not, is as if `manager` had applied it: so that fields which are no
 * longer delivered go with the next apply instead of staying Helm's. Undefined when nothing is Helm's.
 */
export function takeOverFields(entries: readonly ManagedFieldsEntry[], manager: string): ManagedFieldsEntry[] | undefined {
  const isMain = ({ subresource = '' }: ManagedFieldsEntry): boolean => subresource === '';
  const own = entries.find(entry => isMain(entry) && entry.manager === manager && entry.operation === 'Apply');
  const theirs = entries.filter(entry => isMain(entry) && isHelm(entry.manager ?? ''));
  const newest = theirs.at(-1);
  if (!newest) return undefined;
  const apiVersion = (own ?? newest).apiVersion ?? '';
  // Paths of one version may mean nothing in another.
  const taken = theirs.filter(entry => entry.apiVersion === apiVersion);
  if (taken.length === 0) return undefined;
  const fieldsV1 = taken.reduce<JsonObject>((all, { fieldsV1: fields = {} }) => union(all, fields), own?.fieldsV1 ?? {});
  const { time } = own ?? newest;
  const merged: ManagedFieldsEntry = {
    manager,
    operation: 'Apply',
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: 'FieldsV1',
    fieldsV1,
  };
  return [merged, ...entries.filter(entry => entry !== own && !taken.includes(entry))];
}

/** Sets of fields as the API writes them: nested objects, where presence is all that counts. */
function union(a: JsonObject, b: JsonObject): JsonObject {
  const all: JsonObject = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const present = all[key];
    all[key] = isJsonObject(present) && isJsonObject(value) ? union(present, value) : value;
  }
  return all;
}
