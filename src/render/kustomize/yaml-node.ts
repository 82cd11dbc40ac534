import type { ScalarQuotes } from '../../yaml/yaml-scalars.ts';

export type NodeKind = 'scalar' | 'mapping' | 'sequence' | 'alias' | 'none';
export type NodeStyle = ScalarQuotes | 'flow' | '';

/**
 * A node of a YAML document. Nodes are changed in place and may stand in several places at once, as in kustomize: what a later step changes in one
 * place then changes in the others too.
 */
export interface YamlNode {
  kind: NodeKind;
  /** Short form, such as `!!str`. Empty when the text decides. */
  tag: string;
  value: string;
  style: NodeStyle;
  /** A tag that was written out, and stays. */
  isTagged: boolean;
  /** Items, or keys and values in turn. */
  content: YamlNode[];
  anchor: string;
  alias: YamlNode | undefined;
  line: number;
}

export const tags = {
  null: '!!null',
  bool: '!!bool',
  str: '!!str',
  int: '!!int',
  float: '!!float',
  timestamp: '!!timestamp',
  seq: '!!seq',
  map: '!!map',
  binary: '!!binary',
  merge: '!!merge',
} as const;

export function makeNode(kind: NodeKind, parts: Partial<YamlNode> = {}): YamlNode {
  return { kind, tag: '', value: '', style: '', isTagged: false, content: [], anchor: '', alias: undefined, line: 0, ...parts };
}

/** A scalar whose type follows from its text. */
export const scalarNode = (value: string): YamlNode => makeNode('scalar', { value });

export const stringNode = (value: string): YamlNode =>
  makeNode('scalar', { value, tag: tags.str, style: value.includes('\n') ? 'literal' : '' });

export function copyNode(node: YamlNode): YamlNode {
  return { ...node, content: node.content.map(copyNode) };
}

/** Makes `target` what `source` is; whoever holds `target` sees the change. */
export function assignNode(target: YamlNode, source: YamlNode): void {
  if (target !== source) Object.assign(target, source, { content: [...source.content] });
}

/** In the branch where it is false, the node is there. */
export function isMissingOrNull(node: YamlNode | undefined): node is undefined {
  return node === undefined || node.tag === tags.null;
}

export const isNull = (node: YamlNode | undefined): boolean => node?.tag === tags.null;

export const isEmptyMap = (node: YamlNode | undefined): boolean =>
  node === undefined || node.tag === tags.null || (node.kind === 'mapping' && node.content.length === 0);

export function isNilOrEmpty(node: YamlNode | undefined): node is undefined {
  if (node === undefined || node.tag === tags.null) return true;
  if (node.kind === 'mapping' || node.kind === 'sequence') return node.content.length === 0;
  return node.kind === 'none' && node.tag === '' && node.value === '';
}

/** The text of a scalar; nothing for null. */
export const valueOf = (node: YamlNode | undefined): string => (isMissingOrNull(node) ? '' : node.value);

export const isString = (node: YamlNode): boolean => node.kind === 'scalar' && (node.tag === tags.str || node.tag === '');
