import { badRequest, StatusError, tooLarge } from '../../api/status.ts';
import { isJsonObject, jsonEqual, printJson, type Json, type JsonObject } from '../../util/json.ts';
import { copyJson, getKey, setKey } from './own-key.ts';

const maxOperations = 10_000;
const maxCopiedBytes = 3 * 1024 * 1024;
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

/** Applies RFC 6902 operations as the real server's library does, which takes a missing key for null. `doc` and `patch` stay as they are. */
export function applyJsonPatch(doc: Json, patch: Json): Json {
  const operations = parseOperations(patch);
  const state = { root: copyJson(doc), copiedBytes: 0 };
  for (const op of operations) applyOperation(state, op);
  return state.root;
}

interface State {
  root: Json;
  copiedBytes: number;
}

function parseOperations(patch: Json): JsonObject[] {
  if (patch === null) return [];
  if (!Array.isArray(patch))
    throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(patch)} into Go value of type []handlers.jsonPatchOp`);
  for (const op of patch) {
    if (!isJsonObject(op))
      throw badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeName(op)} into Go value of type handlers.jsonPatchOp`);
    for (const field of ['op', 'path', 'from']) {
      const value = getKey(op, field);
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

function applyOperation(state: State, op: JsonObject): void {
  const kind = getKey(op, 'op');
  switch (kind) {
    case 'add':
      return add(state, pathOf(op, 'path', 'add'), copyJson(getKey(op, 'value') ?? null));
    case 'remove': {
      const path = pathOf(op, 'path', 'remove');
      return remove(locate(state.root, path, `remove operation does not apply: doc is missing path: "${path}"`));
    }
    case 'replace':
      return replace(state, pathOf(op, 'path', 'replace'), copyJson(getKey(op, 'value') ?? null));
    case 'move':
      return move(state, op);
    case 'copy':
      return copy(state, op);
    case 'test':
      return test(state, op);
    default:
      throw rejectedPatch(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`);
  }
}

function pathOf(op: JsonObject, field: 'path' | 'from', operation: string): string {
  const value = getKey(op, field);
  if (typeof value !== 'string') throw rejectedPatch(`${operation} operation failed to decode ${field}: missing value`);
  return value;
}

interface Place {
  container: Json[] | JsonObject;
  key: string;
}

function locate(root: Json, path: string, missing: string): Place {
  const parts = path.split('/');
  let container: Json | undefined = root;
  for (let i = 1; i < parts.length - 1; i++) container = step(container, unescapeToken(parts[i] as string));
  if (parts.length < 2 || typeof container !== 'object' || container === null) throw rejectedPatch(`${missing}: missing value`);
  return { container, key: unescapeToken(parts[parts.length - 1] as string) };
}

function step(container: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(container)) {
    const i = readIndex(key);
    return i === undefined ? undefined : container.at(i);
  }
  return isJsonObject(container) ? getKey(container, key) : undefined;
}

// One pass, so that `~01` means `~1`.
function unescapeToken(token: string): string {
  return token.includes('~') ? token.replace(/~[01]/g, match => (match === '~1' ? '/' : '~')) : token;
}

function readIndex(key: string): number | undefined {
  return /^[+-]?\d+$/.test(key) ? Number(key) : undefined;
}

// Negative indices count from the end; the library allows them and the server leaves that on.
function indexWithin(key: string, length: number): number {
  const i = readIndex(key);
  if (i === undefined) throw rejectedPatch(`value was not a proper array index: '${key}'`);
  if (i >= length || i < -length) throw rejectedPatch(`Unable to access invalid index: ${i}: invalid index referenced`);
  return i < 0 ? i + length : i;
}

function read({ container, key }: Place): Json | undefined {
  return Array.isArray(container) ? container[indexWithin(key, container.length)] : getKey(container, key);
}

function insert({ container, key }: Place, value: Json): void {
  if (!Array.isArray(container)) return setKey(container, key, value);
  if (key === '-') container.push(value);
  else container.splice(indexWithin(key, container.length + 1), 0, value);
}

function remove({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexWithin(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw rejectedPatch(`Unable to remove nonexistent key: ${key}: missing value`);
}

function add(state: State, path: string, value: Json): void {
  insert(locate(state.root, path, `add operation does not apply: doc is missing path: "${path}"`), value);
}

function replace(state: State, path: string, value: Json): void {
  if (path === '') {
    if (typeof value !== 'object' || value === null) throw rejectedPatch('replace operation value must be object or array');
    state.root = value;
    return;
  }
  const { container, key } = locate(state.root, path, `replace operation does not apply: doc is missing path: ${path}`);
  if (Array.isArray(container)) container[indexWithin(key, container.length)] = value;
  else setKey(container, key, value);
}

function move(state: State, op: JsonObject): void {
  const from = pathOf(op, 'from', 'move');
  const source = locate(state.root, from, `move operation does not apply: doc is missing from path: ${from}`);
  const value = read(source);
  remove(source);
  const path = pathOf(op, 'path', 'move');
  insert(locate(state.root, path, `move operation does not apply: doc is missing destination path: ${path}`), value ?? null);
}

function copy(state: State, op: JsonObject): void {
  const from = pathOf(op, 'from', 'copy');
  const value = read(locate(state.root, from, `copy operation does not apply: doc is missing from path: ${from}`)) ?? null;
  const path = pathOf(op, 'path', 'copy');
  const target = locate(state.root, path, `copy operation does not apply: doc is missing destination path: ${path}`);
  state.copiedBytes += value === null ? 0 : Buffer.byteLength(printJson(value));
  if (state.copiedBytes > maxCopiedBytes)
    throw rejectedPatch(
      `Unable to complete the copy, the accumulated size increase of copy is ${state.copiedBytes}, exceeding the limit ${maxCopiedBytes}`,
    );
  insert(target, copyJson(value));
}

function test(state: State, op: JsonObject): void {
  const path = pathOf(op, 'path', 'test');
  const expected = getKey(op, 'value');
  const actual =
    path === '' ? state.root : (read(locate(state.root, path, `test operation does not apply: is missing path: ${path}`)) ?? null);
  const isExpected = actual === null ? (expected ?? null) === null : expected !== undefined && jsonEqual(actual, expected);
  if (!isExpected) throw rejectedPatch(`testing value ${path} failed: test failed`);
}
