import { cloneJson, getMember, isJsonObject, jsonEqual, printJson, setMember, type Json, type JsonObject } from './json.ts';

export interface JsonPatchBounds {
  /** A few copies of copies would fill all memory. */
  readonly maxCopiedBytes: number;
}

/** A patch that cannot be carried out, in the words of the Go library. */
export class JsonPatchError extends Error {
  override name = 'JsonPatchError';
  /** It would have made too much. */
  readonly isBound: boolean;

  constructor(message: string, { isBound = false, cause }: { isBound?: boolean; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.isBound = isBound;
  }
}

function within<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof JsonPatchError) || error.isBound) throw error;
    throw new JsonPatchError(`${doing}: ${error.message}`, { cause: error });
  }
}

/** Applies operations as the Go library does that Kubernetes and kustomize use, which takes a missing key for null. The document stays as it is. */
export function applyOperations(document: Json, operations: readonly JsonObject[], { maxCopiedBytes }: JsonPatchBounds): Json {
  const state = { root: cloneJson(document), copiedBytes: 0, maxCopiedBytes };
  for (const operation of operations) applyOperation(state, operation);
  return state.root;
}

interface State {
  root: Json;
  copiedBytes: number;
  readonly maxCopiedBytes: number;
}

function applyOperation(state: State, operation: JsonObject): void {
  const kind = operation['op'];
  switch (kind) {
    case 'add':
      return add(state, textOf(operation, 'path', 'add'), valueOf(operation));
    case 'remove':
      return remove(state, textOf(operation, 'path', 'remove'));
    case 'replace':
      return replace(state, textOf(operation, 'path', 'replace'), valueOf(operation));
    case 'move':
      return move(state, operation);
    case 'copy':
      return copy(state, operation);
    case 'test':
      return test(state, operation);
    default:
      throw new JsonPatchError(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`);
  }
}

const valueOf = (operation: JsonObject): Json => cloneJson(operation['value'] ?? null);

function textOf(operation: JsonObject, field: 'path' | 'from', kind: string): string {
  const value = operation[field];
  if (typeof value !== 'string') throw new JsonPatchError(`${kind} operation failed to decode ${field}: missing value`);
  return value;
}

interface Place {
  readonly container: Json[] | JsonObject;
  readonly key: string;
}

function locate(root: Json, path: string, missing: string): Place {
  const parts = path.split('/').map(unescapePart);
  let container: Json | undefined = root;
  for (const part of parts.slice(1, -1)) container = step(container, part);
  if (parts.length < 2 || typeof container !== 'object' || container === null) throw new JsonPatchError(`${missing}: missing value`);
  return { container, key: parts.at(-1)! };
}

const unescapePart = (part: string): string => part.replace(/~[01]/g, found => (found === '~1' ? '/' : '~'));

function step(container: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(container)) return /^[+-]?\d+$/.test(key) ? container.at(Number(key)) : undefined;
  return isJsonObject(container) ? getMember(container, key) : undefined;
}

function indexIn(key: string, length: number): number {
  if (!/^[+-]?\d+$/.test(key)) throw new JsonPatchError(`strconv.Atoi: parsing "${key}": invalid syntax`);
  const index = Number(key);
  if (index >= length || index < -length) throw new JsonPatchError(`Unable to access invalid index: ${index}: invalid index referenced`);
  return index < 0 ? index + length : index;
}

function insert({ container, key }: Place, value: Json): void {
  if (!Array.isArray(container)) setMember(container, key, value);
  else if (key === '-') container.push(value);
  else {
    if (!/^[+-]?\d+$/.test(key)) {
      throw new JsonPatchError(`value was not a proper array index: '${key}': strconv.Atoi: parsing "${key}": invalid syntax`);
    }
    container.splice(indexIn(key, container.length + 1), 0, value);
  }
}

function read({ container, key }: Place): Json | undefined {
  if (Array.isArray(container)) return container[indexIn(key, container.length)];
  return getMember(container, key);
}

function take({ container, key }: Place): void {
  if (Array.isArray(container)) container.splice(indexIn(key, container.length), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw new JsonPatchError(`Unable to remove nonexistent key: ${key}: missing value`);
}

function add(state: State, path: string, value: Json): void {
  const place = locate(state.root, path, `add operation does not apply: doc is missing path: "${path}"`);
  within(`error in add for path: '${path}'`, () => insert(place, value));
}

function remove(state: State, path: string): void {
  const place = locate(state.root, path, `remove operation does not apply: doc is missing path: "${path}"`);
  within(`error in remove for path: '${path}'`, () => take(place));
}

function replace(state: State, path: string, value: Json): void {
  if (path === '') {
    if (typeof value !== 'object' || value === null) throw new JsonPatchError('replace operation value must be object or array');
    state.root = value;
    return;
  }
  const place = locate(state.root, path, `replace operation does not apply: doc is missing path: ${path}`);
  const { container, key } = place;
  if (!Array.isArray(container)) return setMember(container, key, value);
  const index = /^[+-]?\d+$/.test(key) ? Number(key) : NaN;
  if (!(index < container.length && index >= -container.length)) {
    throw new JsonPatchError(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  }
  container[index < 0 ? index + container.length : index] = value;
}

function move(state: State, operation: JsonObject): void {
  const from = textOf(operation, 'from', 'move');
  const source = locate(state.root, from, `move operation does not apply: doc is missing from path: ${from}`);
  const value = within(`error in move for path: '${from}'`, () => {
    const found = read(source) ?? null;
    take(source);
    return found;
  });
  const path = textOf(operation, 'path', 'move');
  const target = locate(state.root, path, `move operation does not apply: doc is missing destination path: ${path}`);
  within(`error in move for path: '${path}'`, () => insert(target, value));
}

function copy(state: State, operation: JsonObject): void {
  const from = textOf(operation, 'from', 'copy');
  const source = locate(state.root, from, `copy operation does not apply: doc is missing from path: ${from}`);
  const value = within(`error in copy for from: '${from}'`, () => cloneJson(read(source) ?? null));
  const path = textOf(operation, 'path', 'copy');
  const target = locate(state.root, path, `copy operation does not apply: doc is missing destination path: ${path}`);
  state.copiedBytes += value === null ? 0 : Buffer.byteLength(printJson(value));
  if (state.copiedBytes > state.maxCopiedBytes) {
    const words = `Unable to complete the copy, the accumulated size increase of copy is ${state.copiedBytes}, exceeding the limit ${state.maxCopiedBytes}`;
    throw new JsonPatchError(words, { isBound: true });
  }
  within('error while adding value during copy', () => insert(target, value));
}

function test(state: State, operation: JsonObject): void {
  const path = textOf(operation, 'path', 'test');
  const expected = operation['value'] ?? null;
  const place = path === '' ? undefined : locate(state.root, path, `test operation does not apply: is missing path: ${path}`);
  const actual = place ? within(`error in test for path: '${path}'`, () => read(place) ?? null) : state.root;
  if (!jsonEqual(actual, expected)) throw new JsonPatchError(`testing value ${path} failed: test failed`);
}
