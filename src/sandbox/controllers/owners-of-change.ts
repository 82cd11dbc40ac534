import type { KubeObject } from '../../api/object.ts';
import type { Change, ClusterApi } from '../../apiserver/cluster-api.ts';
import { jsonEqual } from '../../util/json.ts';
import { controllerKey, controllerOf, isDeleting, keyOf } from './stored-object.ts';
import type { WorkloadResource } from './workload-resources.ts';

/**
 * Keys of the objects of a resource that a change of something they may own concerns: its controller, the one it had before, and, when
 * it has none, all that would take it over.
 */
export function ownersOfChange(
  api: ClusterApi,
  resource: WorkloadResource,
  { obj, old }: Change,
  selects: (owner: KubeObject, obj: KubeObject) => boolean,
): string[] {
  const present = controllerOf(obj);
  const formerly = old && controllerOf(old);
  const keys: string[] = [];
  const note = (key: string | undefined) => void (key !== undefined && keys.push(key));
  if (formerly && formerly.uid !== present?.uid) note(controllerKey(api, resource, old));
  if (present) note(controllerKey(api, resource, obj));
  const isNews = !old || formerly !== undefined || !jsonEqual(obj.metadata.labels, old.metadata.labels);
  if (present || !isNews || isDeleting(obj)) return keys;
  for (const owner of api.peekAll(resource, obj.metadata.namespace)) if (selects(owner, obj)) keys.push(keyOf(owner));
  return keys;
}
