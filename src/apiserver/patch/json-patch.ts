import { badRequest, StatusError, tooLarge } from '../../api/status.ts';
import { getMember, isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { applyOperations, JsonPatchError } from '../../util/json-patch.ts';

const maxOperations = 10_000;
const bounds = { maxCopiedBytes: 3 * 1024 * 1024 };
const knownFields = new Set(['op', 'path', 'from', 'value']);

/** 422 of a patch that cannot be carried out. The real server keeps the reason to itself; `cause` carries it for logs. */
export function rejectedPatch(why: string): StatusError {
  const message = 'the server rejected our request due to an error in our request';
  return new StatusError(422, 'Invalid', message, {}, { cause: new Error(why) });
}

/** What a strict reader says about the operations: `json patch unknown field "[0].foo"`. */
export function jsonPatchProblems(patch: Json): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((op, i) =>
    isJsonObject(op)
      ? Object.keys(op)
          .filter(key => !knownFields.has(key))
          .map(key => `json patch unknown field "[${i}].${key}"`)
      : [],
  );
}

/** Applies RFC 6902 operations as the real server's library does. `doc` and `patch` stay as they are. */
export function applyJsonPatch(doc: Json, patch: Json): Json {
  const operations = parseOperations(patch);
  try {
    return applyOperations(doc, operations, bounds);
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    throw rejectedPatch(error.message);
  }
}

function parseOperations(patch: Json): JsonObject[] {
  if (patch === null) return [];
  if (!Array.isArray(patch))
    throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type []handlers.jsonPatchOp`);
  for (const op of patch) {
    if (!isJsonObject(op))
      throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(op)} into Go value of type handlers.jsonPatchOp`);
    for (const field of ['op', 'path', 'from']) {
      const value = getMember(op, field);
      if (value !== undefined && value !== null && typeof value !== 'string')
        throw badRequest(
          `error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go struct field jsonPatchOp.${field} of type string`,
        );
    }
  }
  if (patch.length > maxOperations)
    throw tooLarge(`Request entity too large: The allowed maximum operations in a JSON patch is ${maxOperations}, got ${patch.length}`);
  return patch as JsonObject[];
}

function jsonTypeName(value: Json): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'number';
  return value === null ? 'null' : typeof value;
}
