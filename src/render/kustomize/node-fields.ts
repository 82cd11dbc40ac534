import { readYaml, YamlError } from '../../yaml/read-yaml.ts';
import { KustomizeError } from './kustomize-error.ts';
import { printNode } from './print-node.ts';
import { assignNode, isMissingOrNull, isNull, isString, makeNode, type NodeKind, type NodeStyle, type YamlNode } from './yaml-node.ts';

const kindNames: Readonly<Record<NodeKind, string>> = {
  scalar: 'ScalarNode',
  mapping: 'MappingNode',
  sequence: 'SequenceNode',
  alias: 'AliasNode',
  none: '',
};

/** A node of another kind than the one that is needed. */
export class NodeKindError extends KustomizeError {
  readonly actual: NodeKind;

  constructor(node: YamlNode, expected: NodeKind) {
    super(`wrong node kind: expected ${kindNames[expected]} but got ${kindNames[node.kind]}: node contents:\n${printNode(node)}`);
    this.actual = node.kind;
  }
}

/** Null and nothing pass for any kind. */
export function expectKind(node: YamlNode | undefined, kind: NodeKind): void {
  if (!isMissingOrNull(node) && node.kind !== kind) throw new NodeKindError(node, kind);
}

/** The value of a field; undefined also when the node is no mapping. */
export function fieldOf(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (node?.kind !== 'mapping') return undefined;
  const { content } = node;
  for (let i = 0; i < content.length; i += 2) if (content[i]!.value === name) return content[i + 1];
  return undefined;
}

/** Names of the fields of a mapping, in order. */
export function fieldNames(node: YamlNode): string[] {
  expectKind(node, 'mapping');
  return node.content.filter((_, i) => i % 2 === 0).map(key => key.value);
}

export function keyStyleOf(node: YamlNode | undefined, name: string): NodeStyle {
  if (node?.kind !== 'mapping') return '';
  for (let i = 0; i < node.content.length; i += 2) if (node.content[i]!.value === name) return node.content[i]!.style;
  return '';
}

/** The field of a mapping; a scalar or list throws, null has no fields. */
export function getField(node: YamlNode | undefined, name: string): YamlNode | undefined {
  if (isMissingOrNull(node)) return undefined;
  expectKind(node, 'mapping');
  return fieldOf(node, name);
}

export function clearField(node: YamlNode, name: string): void {
  expectKind(node, 'mapping');
  for (let i = 0; i < node.content.length; i += 2) {
    if (node.content[i]!.value !== name) continue;
    node.content.splice(i, 2);
    return;
  }
}

/** Sets key and value together, in place of an equal key if there is one. */
export function setEntry(node: YamlNode, key: YamlNode, value: YamlNode): void {
  const { content } = node;
  for (let i = 0; i < content.length; i += 2) {
    if (content[i]!.value !== key.value) continue;
    content[i] = key;
    content[i + 1] = value;
    return;
  }
  content.push(key, value);
}

/** Nulls that are written although nulls usually mean that a field goes. */
export const persistentNulls = new WeakSet<YamlNode>();

/** Sets a field; no value, or null, clears it. A field that is there keeps its quotes. Answers the node that holds the value now. */
export function setField(node: YamlNode, name: string, value: YamlNode | undefined, keyStyle: NodeStyle = ''): YamlNode | undefined {
  if (value) quoteIfAmbiguous(value);
  if (value === undefined || (isNull(value) && !persistentNulls.has(value))) {
    clearField(node, name);
    return undefined;
  }
  const field = getField(node, name);
  if (field) {
    value.style = field.style;
    value.isTagged = field.isTagged;
    assignNode(field, value);
    return field;
  }
  node.content.push(makeNode('scalar', { value: name, style: keyStyle }), value);
  return value;
}

/** Sets a scalar; it keeps its quotes. */
export function setScalar(node: YamlNode, value: YamlNode): void {
  quoteIfAmbiguous(value);
  expectKind(node, 'scalar');
  if (isNull(value)) return;
  value.style = node.style;
  value.isTagged = node.isTagged;
  assignNode(node, value);
}

function quoteIfAmbiguous(value: YamlNode): void {
  if (isString(value) && value.style === '' && !value.isTagged && isOlderNonString(value.value)) value.style = 'double';
}

const surelyText = /^(?!(?:y|yes|true|on|n|no|false|off|null)$)[a-z][a-z0-9_./-]*$/i;

/** Text that readers of YAML 1.1 take for something else. */
function isOlderNonString(text: string): boolean {
  if (text === '' || text.includes('\n') || surelyText.test(text)) return false;
  try {
    return typeof readYaml(text).value !== 'string';
  } catch (error) {
    if (error instanceof YamlError) return false;
    throw error;
  }
}

/** Steps of a path: names, numbers, `-` for the last item, `[name=value]`. Blank ones do not count. */
function cleanPath(path: readonly string[]): string[] {
  return path.map(part => part.trim()).filter(part => part !== '');
}

export const isListIndex = (part: string): boolean => part.startsWith('[') && part.endsWith(']');
export const isIndexNumber = (part: string): boolean => /^\+?[0-9]+$/.test(part);

export function splitListIndex(part: string): [name: string, value: string] {
  const inside = part.slice(1, -1);
  const at = inside.indexOf('=');
  if (at < 0) throw new KustomizeError('list path element must contain fieldName=fieldValue for element to match');
  return [inside.slice(0, at), inside.slice(at + 1)];
}

export function lookup(node: YamlNode | undefined, path: readonly string[]): YamlNode | undefined {
  let found = node;
  for (const part of cleanPath(path)) {
    if (found === undefined) return undefined;
    found = lookupPart(found, part);
  }
  return found;
}

function lookupPart(node: YamlNode, part: string): YamlNode | undefined {
  if (/^[-+]?[0-9]+$/.test(part)) {
    if (Number(part) < 0) throw new KustomizeError(`array index ${Number(part)} cannot be negative`);
    expectKind(node, 'sequence');
    return node.content[Number(part)];
  }
  if (part === '-') {
    expectKind(node, 'sequence');
    return node.content.at(-1);
  }
  if (part === '*') throw new KustomizeError('wildcard is not supported in PathGetter');
  if (!isListIndex(part)) return getField(node, part);
  const [name, value] = splitListIndex(part);
  return matchElement(node, [name], [value]);
}

/** The kind of node that a step must stand on so that the next one can be made. */
export function kindForNext(next: string | undefined, leaf: NodeKind): NodeKind {
  if (next === undefined || next === '') return leaf;
  return isListIndex(next) || isIndexNumber(next) ? 'sequence' : 'mapping';
}

/** Looks up a path and makes what is missing on it; the last node is of the kind given. Nothing is made under null. */
export function lookupOrCreate(node: YamlNode, kind: NodeKind, path: readonly string[]): YamlNode | undefined {
  let at: YamlNode | undefined = node;
  const parts = cleanPath(path);
  for (const [i, part] of parts.entries()) {
    if (isMissingOrNull(at)) return undefined;
    let found = lookupPart(at, part);
    if (!found && isListIndex(part)) {
      const [name, value] = splitListIndex(part);
      const scalar = makeNode('scalar', { value });
      found = name === '' ? scalar : makeNode('mapping', { content: [makeNode('scalar', { value: name }), scalar] });
      at.content.push(found);
    } else if (!found && !isIndexNumber(part) && part !== '-') {
      found = setField(at, part, makeNode(kindForNext(parts[i + 1], kind)));
    }
    at = found;
  }
  return at;
}

/** The first item of a list whose fields have these values; with an empty name, the scalar that has the value. */
export function matchElement(list: YamlNode, keys: readonly string[], values: readonly string[]): YamlNode | undefined {
  expectKind(list, 'sequence');
  if (keys[0] === undefined || keys[0] === '') return list.content.find(item => item.value === (values[0] ?? ''));
  return list.content.find(item => item.kind === 'mapping' && keys.every((key, i) => fieldOf(item, key)?.value === values[i]));
}

interface ElementChange {
  /** Removes what matches when missing. */
  readonly element?: YamlNode;
  readonly keys: readonly string[];
  readonly values: readonly string[];
}

/** Replaces, appends or removes the items of a list that match. */
export function setElement(list: YamlNode, { element, keys, values }: ElementChange): void {
  expectKind(list, 'sequence');
  const isForMaps = (keys[0] ?? '') !== '' && (values[0] ?? '') !== '';
  const kept: YamlNode[] = [];
  let isFound = false;
  for (const item of list.content) {
    if (isMissingOrNull(item) || (item.kind === 'mapping' && item.content.length === 0)) continue;
    if (item.kind !== 'mapping' && isForMaps) {
      kept.push(item);
      continue;
    }
    if (!matches(item, keys, values)) {
      if (values.length > 0) kept.push(item);
      continue;
    }
    isFound = true;
    if (element) kept.push(element);
  }
  list.content = kept;
  if (!isMissingOrNull(element) && !isFound) list.content.push(element);
}

function matches(item: YamlNode, keys: readonly string[], values: readonly string[]): boolean {
  let isMatch = false;
  for (const [i, key] of (keys.length === 0 ? [''] : keys).entries()) {
    const wanted = values[i];
    if (wanted !== undefined) isMatch = matchesField(item, key, wanted);
    if (!isMatch) return false;
  }
  return true;
}

function matchesField(item: YamlNode, key: string, wanted: string): boolean {
  if (key === '') {
    expectKind(item, 'scalar');
    return item.value === wanted;
  }
  const field = getField(item, key);
  return field !== undefined && (wanted === '' || field.value === wanted);
}
