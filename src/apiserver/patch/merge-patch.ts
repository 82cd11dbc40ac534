import { badRequest } from '../../api/status.ts';
import { isJsonObject, type Json } from '../../util/json.ts';
import { mergePatch } from '../../util/merge-patch.ts';

/** Applies an RFC 7386 merge patch, and says as Kubernetes does what is none. `doc` and `patch` stay as they are. */
export function applyMergePatch(doc: Json, patch: Json): Json {
  if (patch === null) throw badRequest('Invalid JSON Patch');
  if (!isJsonObject(patch))
    throw badRequest(`error decoding patch: json: cannot unmarshal ${kindOf(patch)} into Go value of type map[string]interface {}`);
  return mergePatch(doc, patch);
}

function kindOf(patch: Json): string {
  if (Array.isArray(patch)) return 'array';
  return typeof patch === 'boolean' ? 'bool' : typeof patch === 'bigint' ? 'number' : typeof patch;
}
