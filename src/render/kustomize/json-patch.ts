import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { applyOperations, JsonPatchError } from '../../util/json-patch.ts';
import { BoundError, KustomizeError } from './kustomize-error.ts';

export type JsonPatch = readonly JsonObject[];

/** Operations of RFC 6902, or an error when the value is no list of objects. */
export function decodeJsonPatch(value: Json): JsonPatch {
  if (value === null) return [];
  if (!Array.isArray(value)) throw new KustomizeError(`json: cannot unmarshal ${jsonType(value)} into Go value of type jsonpatch.Patch`);
  for (const operation of value) {
    if (operation !== null && !isJsonObject(operation)) {
      throw new KustomizeError(`json: cannot unmarshal ${jsonType(operation)} into Go value of type jsonpatch.Operation`);
    }
  }
  return value.map(operation => (operation ?? {}) as JsonObject);
}

function jsonType(value: Json): string {
  if (isJsonObject(value)) return 'object';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

const bounds = { maxCopiedBytes: 16 * 1024 * 1024 };

/** Applies operations. The document stays as it is. */
export function applyJsonPatch(document: Json, patch: JsonPatch): Json {
  try {
    return applyOperations(document, patch, bounds);
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    if (error.isBound) throw new BoundError(`JSON patch copies more than ${bounds.maxCopiedBytes} bytes`, { cause: error });
    throw new KustomizeError(error.message, { cause: error });
  }
}
