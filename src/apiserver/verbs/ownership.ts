import { parseApiVersion } from '../../api/object.ts';
import type { Json } from '../../util/json.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { Resource } from '../resource.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { zeroOfStruct } from '../schema/shape.ts';

/** Finds the type of any served version of a resource: managed fields may have been recorded under another one. */
export function mergeTypes(api: ClusterApi, resource: Resource): (apiVersion: string) => MergeType | undefined {
  const own = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  return apiVersion => {
    if (apiVersion === own) return resource.mergeType;
    const { group, version } = parseApiVersion(apiVersion);
    return api.catalog.find({ group, version, resource: resource.resource })?.mergeType;
  };
}

const zeroObjects = new WeakMap<Resource, { empty: Json }>();

/** What Go would print for a new object of the kind: the base that ownership of a created object is compared with. */
export function emptyOf(resource: Resource): { empty?: Json } {
  const { goType } = resource.codec;
  if (!goType) return {};
  let empty = zeroObjects.get(resource);
  if (!empty) zeroObjects.set(resource, (empty = { empty: zeroOfStruct(goType) }));
  return empty;
}
