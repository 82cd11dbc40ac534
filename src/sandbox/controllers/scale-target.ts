import { parseApiVersion, qualifiedResource, type KubeObject } from '../../api/object.ts';
import type { ClusterApi } from '../../apiserver/cluster-api.ts';
import * as workloads from '../../apiserver/builtin/workloads/scale.ts';
import { isCustomResource } from '../../apiserver/crd/custom-resources.ts';
import * as custom from '../../apiserver/crd/scale.ts';
import type { Resource } from '../../apiserver/resource.ts';
import { fieldManager } from './workload-resources.ts';

/** An object seen through its scale subresource. */
export interface ScaleTarget {
  readonly resource: Resource;
  readonly obj: KubeObject;
  readonly replicas: number;
  /** As last counted by the object's own controller. */
  readonly statusReplicas: number;
  /** The query form; empty when the object does not tell. */
  readonly selector: string;
}

export interface ScaleReference {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly name: string;
}

/** Undefined when there is no such object. Throws when its kind is unknown or cannot be scaled. */
export function findScale(api: ClusterApi, namespace: string, { apiVersion = 'v1', kind, name }: ScaleReference): ScaleTarget | undefined {
  const gv = parseApiVersion(apiVersion);
  const resource = api.catalog.findKind({ ...gv, kind });
  if (!resource) throw new Error(`no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`);
  if (!resource.subresources.some(sub => sub.name === 'scale'))
    throw new Error(`${qualifiedResource(resource)} does not implement the scale subresource`);
  const obj = api.peek(resource, resource.namespaced ? namespace : '', name);
  if (!obj) return undefined;
  const scale = isCustomResource(resource) && resource.scale ? custom.scaleOf(obj, resource.scale) : workloads.scaleOf(obj);
  const { spec, status } = scale as unknown as { spec?: { replicas?: number }; status?: { replicas?: number; selector?: string } };
  return { resource, obj, replicas: spec?.replicas ?? 0, statusReplicas: status?.replicas ?? 0, selector: status?.selector ?? '' };
}

/** Gives the target another number of replicas; throws a conflict when it has changed since it was read. */
export async function writeScale(api: ClusterApi, { resource, obj }: ScaleTarget, replicas: number): Promise<void> {
  const scale: KubeObject = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: {}, spec: { replicas } };
  const next =
    isCustomResource(resource) && resource.scale ? custom.withScale(obj, scale, resource.scale) : workloads.withReplicas(obj, scale);
  await api.update(resource, next, { fieldManager });
}
