import { isJsonObject, type JsonObject } from '../../util/json.ts';

/** Says in output which member an object was read from. It is added on the way out and never stored. */
export const clusterAnnotation = 'drover.io/cluster';

export function markCluster(object: JsonObject, cluster: string | undefined): JsonObject {
  if (cluster === undefined) return object;
  const metadata = isJsonObject(object['metadata']) ? object['metadata'] : {};
  const annotations = isJsonObject(metadata['annotations']) ? metadata['annotations'] : {};
  return { ...object, metadata: { ...metadata, annotations: { ...annotations, [clusterAnnotation]: cluster } } };
}

export function clusterOf(object: JsonObject): string | undefined {
  const { metadata } = object;
  const annotations = isJsonObject(metadata) ? metadata['annotations'] : undefined;
  const cluster = isJsonObject(annotations) ? annotations[clusterAnnotation] : undefined;
  return typeof cluster === 'string' ? cluster : undefined;
}
