import { KustomizeError, within } from './kustomize-error.ts';
import { expectKind, getField, isIndexNumber, isListIndex, kindForNext, setField, splitListIndex } from './node-fields.ts';
import { compilePattern } from './pattern.ts';
import { printNode } from './print-node.ts';
import { readDocument } from './read-nodes.ts';
import { makeNode, scalarNode, tags, type NodeKind, type YamlNode } from './yaml-node.ts';

/** All nodes at a path, where `*` stands for every item and `[name=value]` holds a pattern. Makes what is missing when a kind is given. */
export function matchPath(node: YamlNode, path: readonly string[], create?: NodeKind): YamlNode[] {
  const [part, ...rest] = path;
  if (part === undefined) return [node];
  if (isIndexNumber(part)) return matchIndex(node, part, rest, create);
  if (isListIndex(part)) return matchItems(node, part, rest, create);
  if (part === '*') {
    expectKind(node, 'sequence');
    return node.content.flatMap(item => matchPath(item, rest, create));
  }
  return matchField(node, part, rest, create);
}

function matchField(node: YamlNode, part: string, rest: readonly string[], create: NodeKind | undefined): YamlNode[] {
  let field = getField(node, part);
  if (!field) {
    if (create === undefined) return [];
    field = makeNode(kindForNext(rest[0], create));
    setField(node, part, field);
  }
  // What a text holds can be read, but is not changed here.
  if (field.kind === 'scalar' && rest.length > 0) return matchPath(structureIn(field.value), rest, create);
  return matchPath(field, rest, create);
}

/** YAML or JSON inside a text. */
export function structureIn(text: string): YamlNode {
  return readDocument(text) ?? makeNode('none');
}

function matchIndex(node: YamlNode, part: string, rest: readonly string[], create: NodeKind | undefined): YamlNode[] {
  const index = Number(part);
  expectKind(node, 'sequence');
  if (node.content.length === index && create !== undefined) node.content.push(makeNode(kindForNext(rest[0], create)));
  const item = node.content[index];
  if (!item) throw new KustomizeError(`index ${index} specified but only ${node.content.length} elements found`);
  return matchPath(item, rest, create);
}

function matchItems(node: YamlNode, part: string, rest: readonly string[], create: NodeKind | undefined): YamlNode[] {
  const [name, pattern] = splitListIndex(part);
  const find = () => (name === '' ? matchScalars(node, pattern) : matchMaps(node, { name, pattern, rest, create }));
  const found = find();
  if (found.length > 0 || create === undefined) return found;
  const value = scalarNode(pattern);
  within(`failed to create element for "${part}"`, () => expectKind(node, 'sequence'));
  node.content.push(name === '' ? value : makeNode('mapping', { content: [scalarNode(name), value] }));
  const made = find();
  if (made.length === 0) throw new KustomizeError(`cannot create an element that matches "${part}"`);
  return made;
}

function matchScalars(node: YamlNode, pattern: string): YamlNode[] {
  expectKind(node, 'sequence');
  const matches = compilePattern(pattern);
  return node.content.filter(item => matches(printNode(item).trim()));
}

interface MapMatch {
  readonly name: string;
  readonly pattern: string;
  readonly rest: readonly string[];
  readonly create: NodeKind | undefined;
}

function matchMaps(node: YamlNode, { name, pattern, rest, create }: MapMatch): YamlNode[] {
  expectKind(node, 'sequence');
  const matches = compilePattern(pattern);
  return node.content.flatMap(item => {
    const value = item.kind === 'mapping' && item.tag !== tags.null ? getField(item, name) : undefined;
    return value && matches(printNode(value).trim()) ? matchPath(item, rest, create) : [];
  });
}
