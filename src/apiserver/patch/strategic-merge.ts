import { badRequest, plainError } from '../../api/status.ts';
import { goPrint, goTypeName } from '../../util/go-print.ts';
import { goQuote } from '../../util/go-quote.ts';
import { getMember, isJsonObject, setMember, type Json, type JsonObject } from '../../util/json.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { deleteFromList, inElementOrder, isMapList, mergePrimitives, noMergeKey } from './strategic-list.ts';

const directive = '$patch';
const retainKeys = '$retainKeys';
const deletePrefix = '$deleteFromPrimitiveList';
const orderPrefix = '$setElementOrder';

/**
 * Applies a strategic merge patch: maps merge, lists merge or are replaced as the type says, `$` directives steer.
 * `original` and `patch` stay as they are. Throws the StatusError of the real server.
 */
export function applyStrategicMergePatch(original: Json, patch: Json, mergeType: MergeType): Json {
  if (!isJsonObject(patch)) throw badRequest(`json: cannot unmarshal ${jsonKind(patch)} into Go value of type map[string]interface {}`);
  return mergeMap(isJsonObject(original) ? original : {}, patch, mergeType);
}

function jsonKind(value: Json): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : value === null ? 'null' : typeof value;
}

interface FieldRule {
  type: MergeType | undefined;
  strategy: string;
  mergeKey: string;
}

function ruleOf(schema: MergeType | undefined, key: string): FieldRule {
  if (schema?.type === 'object' && schema.open) throw plainError('merging an object in json but data type is not struct, instead is: map');
  const type = schema?.type === 'object' ? schema.field(key) : undefined;
  if (type === undefined) throw plainError(`unable to find api field in struct for the json field ${goQuote(key)}`);
  if (type.type !== 'object' && type.type !== 'list') return { type, strategy: '', mergeKey: '' };
  const strategy = type.patchStrategy?.find(name => name !== 'retainKeys') ?? '';
  return { type, strategy, mergeKey: type.type === 'list' ? (type.patchMergeKey ?? '') : '' };
}

function elementOf({ type }: FieldRule): MergeType | undefined {
  return type?.type === 'list' ? type.element : type;
}

function mergeMap(original: JsonObject, patch: JsonObject, schema: MergeType | undefined): JsonObject {
  const command = getMember(patch, directive);
  if (command !== undefined) return obeyDirective(command, patch);

  const merged = { ...original };
  const rest = { ...patch };
  keepRetainedKeys(merged, rest);
  mergeOrderedLists(merged, rest, schema);
  for (const patchKey of Object.keys(rest)) mergeField(merged, patchKey, rest[patchKey] as Json, schema);
  return merged;
}

function obeyDirective(command: Json, patch: JsonObject): JsonObject {
  if (command === 'delete') return {};
  if (command !== 'replace') throw unknownDirective(command, patch);
  const replaced = { ...patch };
  delete replaced[directive];
  return replaced;
}

/** Go prints what is no string with a complaint about the format. */
const unknownDirective = (command: Json, patch: JsonObject) =>
  plainError(
    `unknown patch type: ${typeof command === 'string' ? command : `%!s(${goTypeName(command)}=${goPrint(command)})`} in map: ${goPrint(patch)}`,
  );

function keepRetainedKeys(merged: JsonObject, patch: JsonObject): void {
  const list = getMember(patch, retainKeys);
  if (list === undefined) return;
  delete patch[retainKeys];
  if (!Array.isArray(list)) throw badRequest('invalid patch format of retainKeys');
  for (const key of Object.keys(patch)) {
    if (patch[key] === null || key.startsWith(deletePrefix) || key.startsWith(orderPrefix)) continue;
    if (!list.includes(key)) throw badRequest('invalid patch format of retainKeys');
  }
  for (const key of Object.keys(merged)) if (!list.includes(key)) delete merged[key];
}

function mergeOrderedLists(merged: JsonObject, patch: JsonObject, schema: MergeType | undefined): void {
  for (const orderKey of Object.keys(patch)) {
    if (!orderKey.startsWith(orderPrefix)) continue;
    const order = patch[orderKey] as Json;
    delete patch[orderKey];
    if (!Array.isArray(order)) throw badArgument(order);
    const key = afterSlash(orderKey, orderPrefix, 'invalid patch format of setElementOrder list');
    const original = listAt(merged, key);
    const patched = listAt(patch, key);
    const rule = ruleOf(schema, key);
    checkOrder(patched ?? [], order, rule.mergeKey);
    if (original === undefined && patched === undefined) continue;

    const list =
      patched === undefined
        ? (original as Json[])
        : original === undefined
          ? (withoutDirectives(patched) as Json[])
          : mergeList(original, patched, rule, false);
    setMember(
      merged,
      key,
      inElementOrder({ merged: list, order, original: original ?? [], patch: patched ?? [], mergeKey: rule.mergeKey }),
    );
    delete patch[key];
  }
}

function listAt(obj: JsonObject, key: string): Json[] | undefined {
  const value = getMember(obj, key);
  if (value === undefined || Array.isArray(value)) return value;
  throw badArgument(value);
}

const badArgument = (value: Json) => plainError(`expected a []interface {}, but received a ${goTypeName(value)}`);

function afterSlash(key: string, prefix: string, problem: string): string {
  const slash = key.indexOf('/');
  if (slash < 0 || key.slice(0, slash) !== prefix) throw badRequest(problem);
  return key.slice(slash + 1);
}

function checkOrder(patch: Json[], order: Json[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const wanted = patch.filter(item => !(isJsonObject(item) && getMember(item, directive) !== undefined && mergeKey !== ''));
  let at = 0;
  for (const item of order) if (at < wanted.length && isSameItem(wanted[at] as Json, item, mergeKey)) at++;
  if (at < wanted.length)
    throw plainError(`The order in patch list:\n${goPrint(patch)}\n doesn't match ${orderPrefix} list:\n${goPrint(order)}\n`);
}

function isSameItem(left: Json, right: Json, mergeKey: string): boolean {
  if (mergeKey === '') return left === right;
  return keyValue(left, mergeKey) === keyValue(right, mergeKey);
}

function keyValue(item: Json, mergeKey: string): Json {
  if (!isJsonObject(item)) throw plainError(`expected a map[string]interface {}, but received a ${goTypeName(item)}`);
  const value = getMember(item, mergeKey);
  if (value === undefined) throw noMergeKey(item, mergeKey);
  return value;
}

function mergeField(merged: JsonObject, patchKey: string, value: Json, schema: MergeType | undefined): void {
  const isDeletion = patchKey.startsWith(deletePrefix);
  const key = isDeletion ? afterSlash(patchKey, deletePrefix, 'invalid patch format of primitive list') : patchKey;
  if (value === null) {
    delete merged[key];
    return;
  }

  const current = getMember(merged, key);
  if (current === undefined || !isSameShape(current, value)) {
    if (!isDeletion) put(merged, key, withoutDirectives(withoutNulls(value)));
    return;
  }
  if (isJsonObject(current)) {
    const rule = ruleOf(schema, key);
    setMember(merged, key, rule.strategy === 'replace' ? value : mergeMap(current, value as JsonObject, rule.type));
  } else if (Array.isArray(current)) {
    setMember(merged, key, mergeList(current, value as Json[], ruleOf(schema, key), isDeletion));
  } else {
    setMember(merged, key, value);
  }
}

function isSameShape(a: Json, b: Json): boolean {
  return typeof a === typeof b && Array.isArray(a) === Array.isArray(b) && (a === null) === (b === null);
}

function put(obj: JsonObject, key: string, value: Json | undefined): void {
  if (value === undefined) delete obj[key];
  else setMember(obj, key, value);
}

function mergeList(original: Json[], patch: Json[], rule: FieldRule, isDeletion: boolean): Json[] {
  if (rule.strategy !== 'merge' && !isDeletion) return patch;
  if (original.length === 0 && patch.length === 0) return original;
  if (!isMapList(original, patch)) {
    if (isDeletion) return deleteFromList(original, patch);
    return inElementOrder({ merged: mergePrimitives(original, patch), order: patch, original, patch, mergeKey: '' });
  }
  const { mergeKey } = rule;
  if (mergeKey === '') throw plainError(`cannot merge lists without merge key for struct`);

  const special = obeyItemDirectives(original as JsonObject[], patch as JsonObject[], mergeKey);
  const merged = mergeItems(special.original, special.patch, mergeKey, elementOf(rule));
  return inElementOrder({ merged, order: special.patch, original: special.original, patch: special.patch, mergeKey });
}

function obeyItemDirectives(original: JsonObject[], patch: JsonObject[], mergeKey: string) {
  let left = original;
  let isReplace = false;
  const plain: JsonObject[] = [];
  for (const item of patch) {
    const command = getMember(item, directive);
    if (command === undefined) plain.push(item);
    else if (command === 'delete') {
      const value = keyValue(item, mergeKey);
      left = left.filter(other => getMember(other, mergeKey) !== value);
    } else if (command === 'replace') isReplace = true;
    else if (command === 'merge') throw plainError('merging lists cannot yet be specified in the patch');
    else throw unknownDirective(command, item);
  }
  return isReplace ? { original: plain, patch: [] } : { original: left, patch: plain };
}

function mergeItems(original: JsonObject[], patch: JsonObject[], mergeKey: string, element: MergeType | undefined): JsonObject[] {
  const merged = [...original];
  for (const item of patch) {
    const value = keyValue(item, mergeKey);
    const at = merged.findIndex(other => getMember(other, mergeKey) === value);
    if (at < 0) merged.push(item);
    else merged[at] = mergeMap(merged[at] as JsonObject, item, element);
  }
  return merged;
}

/** A copy of a patch that has nothing to merge with: directives vanish, and a map that carries one vanishes whole (undefined). */
function withoutDirectives(value: Json): Json | undefined {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter(item => item !== undefined);
  if (!isJsonObject(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) put(kept, key, withoutDirectives(value[key] as Json));
  return kept;
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept: JsonObject = {};
  for (const key of Object.keys(value)) if (value[key] !== null) setMember(kept, key, withoutNulls(value[key] as Json));
  return kept;
}
