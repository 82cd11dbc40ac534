import { isMultiline, writeScalar, type ScalarStyle } from '../../yaml/write-yaml-scalar.ts';
import { YamlSink } from '../../yaml/yaml-sink.ts';
import { resolvePlain } from './resolve-scalar.ts';
import { tags, type YamlNode } from './yaml-node.ts';

/** Lines are never folded, and lists stand under their keys. */
class NodeSink extends YamlSink {
  override readonly bestWidth = Infinity;
  override readonly indentsLists = false;
}

type Context = 'root' | 'sequence' | 'mapping' | 'simple-key';

/** A node as YAML, as kustomize's own library prints it, without comments. */
export function printNode(node: YamlNode): string {
  const sink = new NodeSink();
  writeNode(sink, node, 'root');
  sink.newLine();
  return sink.text;
}

function writeNode(sink: YamlSink, node: YamlNode, context: Context): void {
  if (node.kind === 'mapping' || node.kind === 'sequence') {
    const isMapping = node.kind === 'mapping';
    if (node.content.length === 0) return sink.indicator(isMapping ? '{}' : '[]', true);
    if (node.style === 'flow') return sink.indicator(printFlow(node), true);
    return isMapping ? writeMapping(sink, node) : writeSequence(sink, node, context);
  }
  if (node.kind !== 'scalar') return sink.indicator('null', true);
  const tag = writtenTag(node);
  if (tag !== '') sink.indicator(tag, true);
  sink.indented({ isFlow: true }, () => writeScalar(sink, node.value, styleOf(node), context === 'simple-key'));
}

function writeSequence(sink: YamlSink, node: YamlNode, context: Context): void {
  sink.indented({ keepsColumn: context === 'mapping' && !sink.isIndention }, () => {
    for (const item of node.content) {
      sink.newLine();
      sink.indicator('-', true, { isIndention: true });
      writeNode(sink, item, 'sequence');
    }
  });
}

function writeMapping(sink: YamlSink, node: YamlNode): void {
  sink.indented({}, () => {
    for (let i = 0; i + 1 < node.content.length; i += 2) {
      sink.newLine();
      writeNode(sink, node.content[i]!, 'simple-key');
      sink.indicator(':', false);
      writeNode(sink, node.content[i + 1]!, 'mapping');
    }
  });
}

function printFlow(node: YamlNode): string {
  if (node.kind === 'sequence') return `[${node.content.map(printFlow).join(', ')}]`;
  if (node.kind === 'mapping') {
    const entries: string[] = [];
    for (let i = 0; i + 1 < node.content.length; i += 2) entries.push(`${printFlow(node.content[i]!)}: ${printFlow(node.content[i + 1]!)}`);
    return `{${entries.join(', ')}}`;
  }
  const sink = new NodeSink();
  const style = styleOf(node);
  const mustQuote = style === 'plain' && (node.value === '' || /[,?[\]{}]|:$|^:/.test(node.value) || /:\S/.test(node.value));
  writeScalar(sink, node.value, mustQuote ? 'single' : style === 'literal' ? 'double' : style, true);
  const tag = writtenTag(node);
  return tag === '' ? sink.text : `${tag} ${sink.text}`;
}

/** A tag is written when the text alone would mean something else. */
function writtenTag({ tag, value, isTagged }: YamlNode): string {
  if (isTagged) return tag;
  return tag === '' || tag === tags.str || resolvePlain(value).tag === tag ? '' : tag;
}

function styleOf({ style, tag, value, isTagged }: YamlNode): ScalarStyle {
  if (style === 'single' || style === 'double' || style === 'literal') return style;
  if (style === 'folded' || isMultiline(value)) return 'literal';
  return tag === tags.str && !isTagged && resolvePlain(value).tag !== tags.str ? 'double' : 'plain';
}
