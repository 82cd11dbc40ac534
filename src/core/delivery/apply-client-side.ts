import type { KindRef } from '../../api/define-kind.ts';
import { lastAppliedAnnotation, type KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { OpenApi } from '../../render/kustomize/open-api.ts';
import { isJsonObject, parseJson, printJson, type JsonObject } from '../../util/json.ts';
import { threeWayPatch } from './three-way-patch.ts';

/** With what else is in annotations still below what an API server takes. */
const maxAnnotationBytes = 200 * 1024;

const schemas = new OpenApi();

interface ClientSideOptions {
  readonly fieldManager: string;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
}

/** Applies as `kubectl apply` does where the server does not: what was applied before is told by an annotation of the object. */
export async function applyClientSide(client: KubeClient, kind: KindRef, obj: KubeObject, options: ClientSideOptions): Promise<KubeObject> {
  const { namespace, name = '' } = obj.metadata;
  const key = { namespace, name };
  const want = withLastApplied(obj);
  const have = await client.get(kind, key, { signal: options.signal });
  if (!have) return client.create(kind, want, options);
  const schema = schemas.schemaOf(obj.apiVersion, obj.kind);
  // The manifest names both, and lists of neither say them.
  const { apiVersion, kind: kindName } = obj;
  const present = { ...have, apiVersion, kind: kindName } as unknown as JsonObject;
  const body = threeWayPatch({ last: lastAppliedOf(have), want: want as unknown as JsonObject, have: present }, schema);
  return body ? client.patch(kind, key, { type: schema ? 'strategic' : 'merge', body }, options) : have;
}

/** Of what is too large for an annotation nothing is noted: then nothing of it goes later. */
function withLastApplied(obj: KubeObject): KubeObject {
  const { annotations, ...metadata } = obj.metadata;
  const text = printJson(obj);
  if (Buffer.byteLength(text) > maxAnnotationBytes) return obj;
  return { ...obj, metadata: { ...metadata, annotations: { ...annotations, [lastAppliedAnnotation]: text } } };
}

function lastAppliedOf({ metadata }: KubeObject): JsonObject {
  try {
    const last = parseJson(metadata.annotations?.[lastAppliedAnnotation] ?? '{}');
    return isJsonObject(last) ? last : {};
  } catch {
    return {};
  }
}
