import type { KubeObject } from '../../api/object.ts';
import { parseApiVersion } from '../../api/object.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';

interface Reader {
  read(ref: ObjectRef): Promise<KubeObject | undefined>;
}

/** Newer references of Cluster API leave the version out. */
const contractVersions = ['v1beta2', 'v1beta1', 'v1'] as const;

/** The objects behind a Cluster of Cluster API, under the names that Sveltos gives them whatever their kinds are. */
export async function clusterProviders(cluster: JsonObject, source: Reader): Promise<JsonObject> {
  if (!String(cluster['apiVersion']).startsWith('cluster.x-k8s.io/')) return {};
  const { infrastructureRef, controlPlaneRef } = (cluster['spec'] ?? {}) as JsonObject;
  const namespace = String((cluster['metadata'] as JsonObject | undefined)?.['namespace'] ?? '');
  const [infrastructure, controlPlane] = [
    await follow(infrastructureRef, namespace, source),
    await follow(controlPlaneRef, namespace, source),
  ];
  return {
    ...(infrastructure && { InfrastructureProvider: infrastructure as unknown as JsonObject }),
    ...(controlPlane && { KubeadmControlPlane: controlPlane as unknown as JsonObject }),
  };
}

async function follow(ref: Json | undefined, namespace: string, source: Reader): Promise<KubeObject | undefined> {
  if (!isJsonObject(ref)) return undefined;
  const { apiVersion, apiGroup, kind, name } = ref as Record<string, string | undefined>;
  const given = apiVersion === undefined ? undefined : parseApiVersion(apiVersion);
  const versions = given ? [given.version] : contractVersions;
  for (const version of versions) {
    const found = await source.read({ group: given?.group ?? apiGroup ?? '', version, kind: kind ?? '', namespace, name: name ?? '' });
    if (found) return found;
  }
  return undefined;
}
