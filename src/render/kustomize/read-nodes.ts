import { newerWords, YamlError } from '../../yaml/yaml-cursor.ts';
import { YamlParser, type ScalarEvent, type YamlEvent } from '../../yaml/yaml-parser.ts';
import { BoundError, KustomizeError } from './kustomize-error.ts';
import { clearField, fieldOf, setEntry } from './node-fields.ts';
import { resolvePlain } from './resolve-scalar.ts';
import { isMissingOrNull, makeNode, tags, type YamlNode } from './yaml-node.ts';

const separator = /\n---.*\n/g;
const controlCharacter = /[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
/** Nodes that aliases may add to a text. */
const maxAliased = 100_000;
const maxDepth = 1_000;

/** The documents of a text as nodes, aliases replaced by what they stand for; the items of a lone List instead of the List. */
export function readNodes(text: string): YamlNode[] {
  const documents = splitDocuments(text.replaceAll('\r\n', '\n'));
  const nodes: YamlNode[] = [];
  for (const document of documents) {
    const node = readDocument(document);
    if (node === undefined || isMissingOrNull(node)) continue;
    const kind = fieldOf(node, 'kind')?.value ?? '';
    const items = fieldOf(node, 'items');
    const isList = documents.length === 1 && (kind === 'List' || kind === 'ResourceList');
    if (isList && (items || fieldOf(node, 'functionConfig'))) nodes.push(...(items?.content ?? []));
    else nodes.push(node);
  }
  const unfold = new Unfolding();
  return nodes.map(node => unfold.node(node, 0));
}

function splitDocuments(text: string): string[] {
  if (text === '') return [];
  const documents: string[] = [];
  let start = 0;
  for (const { 0: found, index } of text.matchAll(separator)) {
    const rest = found.slice(4).trim();
    if (rest !== '' && !rest.startsWith('#')) throw new KustomizeError(`invalid document separator: ${found.trim()}`);
    documents.push(`${text.slice(start, index)}\n`);
    start = index + found.length;
  }
  documents.push(text.slice(start));
  return documents;
}

/** The first document of a text, or undefined when there is none. Aliases stay. */
export function readDocument(text: string): YamlNode | undefined {
  try {
    if (controlCharacter.test(text)) throw new YamlError('yaml: control characters are not allowed');
    const parser = new YamlParser(text.startsWith('\ufeff') ? text.slice(1) : text);
    if (parser.next().kind === 'end-of-stream') return undefined;
    const node = readNode(parser);
    parser.next();
    return node;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KustomizeError(`MalformedYAMLError: ${newerWords(error)}`, { cause: error });
  }
}

function readNode(parser: YamlParser): YamlNode {
  const anchors = new Map<string, YamlNode>();
  const open: YamlNode[] = [];
  for (;;) {
    const event = parser.next();
    const isEnd = event.kind === 'sequence-end' || event.kind === 'mapping-end';
    const node = isEnd ? open.pop()! : nodeOf(event, anchors);
    if (!isEnd) {
      open.at(-1)?.content.push(node);
      if (node.kind === 'mapping' || node.kind === 'sequence') {
        if (open.push(node) > maxDepth) throw new BoundError(`yaml: exceeded max depth of ${maxDepth}`);
        continue;
      }
    }
    if (open.length === 0) return node;
  }
}

function nodeOf(event: YamlEvent, anchors: Map<string, YamlNode>): YamlNode {
  const line = event.start.line + 1;
  if (event.kind === 'alias') {
    const alias = anchors.get(event.anchor);
    if (!alias) throw new YamlError(`yaml: unknown anchor '${event.anchor}' referenced`);
    return makeNode('alias', { alias, value: event.anchor, line });
  }
  let node: YamlNode;
  if (event.kind === 'scalar') node = makeNode('scalar', { ...scalarParts(event), line });
  else if (event.kind === 'mapping-start') node = makeNode('mapping', { tag: tags.map, style: event.isFlow ? 'flow' : '', line });
  else if (event.kind === 'sequence-start') node = makeNode('sequence', { tag: tags.seq, style: event.isFlow ? 'flow' : '', line });
  else throw new YamlError(`yaml: unexpected ${event.kind}`);
  if (event.anchor !== undefined) {
    node.anchor = event.anchor;
    anchors.set(event.anchor, node);
  }
  return node;
}

const longPrefix = 'tag:yaml.org,2002:';

function scalarParts({ tag, value, quotes }: ScalarEvent): Partial<YamlNode> {
  const style = quotes ?? '';
  if (tag !== '' && tag !== '!') {
    return { tag: tag.startsWith(longPrefix) ? `!!${tag.slice(longPrefix.length)}` : tag, value, style, isTagged: true };
  }
  if (style !== '') return { tag: tags.str, value, style };
  return { tag: resolvePlain(value).tag, value };
}

/** Replaces aliases and merge keys by what they stand for, in place, and counts what that adds. */
class Unfolding {
  private left = maxAliased;

  node(node: YamlNode, depth: number): YamlNode {
    if (depth > maxDepth) throw new KustomizeError('yaml: anchor value contains itself');
    node.anchor = '';
    if (node.kind === 'scalar') return node;
    if (node.kind === 'alias') return this.copy(this.node(node.alias!, depth + 1));
    if (node.kind === 'mapping') this.merge(node);
    for (let i = 0; i < node.content.length; i++) node.content[i] = this.node(node.content[i]!, depth + 1);
    return node;
  }

  private copy(node: YamlNode): YamlNode {
    if (--this.left < 0) throw new BoundError('yaml: document contains excessive aliasing');
    return { ...node, content: node.content.map(child => this.copy(child)) };
  }

  private merge(node: YamlNode): void {
    const merged: YamlNode[] = [];
    for (let i = 0; i < node.content.length; i += 2) if (node.content[i]!.tag === tags.merge) merged.push(node.content[i + 1]!);
    if (merged.length === 0) return;
    if (merged.length > 1) throw new KustomizeError('duplicate merge key');
    const sources = mergeSources(merged[0]!);
    clearField(node, '<<');
    const own = [...node.content];
    for (const source of sources) {
      const { content } = this.copy(source);
      for (let i = 0; i < content.length; i += 2) setEntry(node, content[i]!, content[i + 1]!);
    }
    for (let i = 0; i < own.length; i += 2) setEntry(node, own[i]!, own[i + 1]!);
  }
}

function mergeSources(node: YamlNode): YamlNode[] {
  if (node.kind === 'mapping') return [node];
  if (node.kind === 'alias') {
    if (node.alias!.kind !== 'mapping') throw new KustomizeError('invalid map merge: received alias for a non-map value');
    return [node.alias!];
  }
  if (node.kind !== 'sequence') throw new KustomizeError('map merge requires map or sequence of maps as the value');
  const sources: YamlNode[] = [];
  for (const item of node.content) {
    if (item.kind === 'sequence') throw new KustomizeError('invalid map merge: received a nested sequence');
    sources.unshift(...mergeSources(item));
  }
  return sources;
}
