import { isJsonObject, printJson, type Json } from '../../util/json.ts';
import type { BuildContext } from './build-context.ts';
import { BoundError, KustomizeError } from './kustomize-error.ts';
import { fieldOf } from './node-fields.ts';
import { nodeToJson } from './node-json.ts';
import { readNodes } from './read-nodes.ts';
import { Resource } from './resource.ts';
import { isNilOrEmpty, valueOf, type YamlNode } from './yaml-node.ts';

/** The objects of a text. Lists of any kind are unfolded. Throws when one has no kind or name. */
export function readResources(context: BuildContext, text: string): Resource[] {
  const waiting = readNodes(text).filter(isObject);
  const found: Resource[] = [];
  for (let node = waiting.shift(); node; node = waiting.shift()) {
    context.tick();
    if (found.length + waiting.length > context.bounds.maxResources) {
      throw new BoundError(`kustomization has more than ${context.bounds.maxResources} resources`);
    }
    const kind = fieldOf(node, 'kind')?.value ?? '';
    const items = kind.endsWith('List') ? itemsOf(node, kind) : undefined;
    if (!items) found.push(new Resource(context, node));
    else for (const item of items) waiting.push(...readNodes(printJson(item)).filter(isObject));
  }
  return found;
}

function itemsOf(node: YamlNode, kind: string): Json[] | undefined {
  const list = nodeToJson(node);
  if (!isJsonObject(list) || !Object.hasOwn(list, 'items')) return undefined;
  const { items = null } = list;
  if (items === null) return [];
  if (!Array.isArray(items)) throw new KustomizeError(`expected array in ${kind}/items, but found ${typeof items}`);
  return items;
}

function isObject(node: YamlNode): boolean {
  if (isNilOrEmpty(node)) return false;
  checkMetadata(node);
  return true;
}

/** Every object has a kind, and a name unless it is a list. */
export function checkMetadata(node: YamlNode): void {
  const kind = fieldOf(node, 'kind');
  const metadata = fieldOf(node, 'metadata');
  const apiVersion = fieldOf(node, 'apiVersion');
  const name = fieldOf(metadata, 'name');
  const isNothing = isNilOrEmpty(kind) && isNilOrEmpty(apiVersion) && hasNoMetadata(metadata);
  if (isNothing) throw new KustomizeError('missing Resource metadata');
  const kindText = isNilOrEmpty(kind) ? '' : valueOf(kind);
  if (kindText === '') throw new KustomizeError(`missing kind in object ${describe(node)}`);
  if (kindText.endsWith('List')) return;
  if (isNilOrEmpty(name) || name.value === '') throw new KustomizeError(`missing metadata.name in object ${describe(node)}`);
}

function hasNoMetadata(metadata: YamlNode | undefined): boolean {
  return ['name', 'namespace', 'labels', 'annotations'].every(field => isNilOrEmpty(fieldOf(metadata, field)));
}

/** The metadata as Go prints the struct. */
function describe(node: YamlNode): string {
  const metadata = fieldOf(node, 'metadata');
  const map = (field: string) => {
    const content = fieldOf(metadata, field)?.content ?? [];
    const entries: string[] = [];
    for (let i = 0; i + 1 < content.length; i += 2) entries.push(`${valueOf(content[i])}:${valueOf(content[i + 1])}`);
    return `map[${entries.sort().join(' ')}]`;
  };
  const type = `{${valueOf(fieldOf(node, 'apiVersion'))} ${valueOf(fieldOf(node, 'kind'))}}`;
  const names = `{${valueOf(fieldOf(metadata, 'name'))} ${valueOf(fieldOf(metadata, 'namespace'))}}`;
  return `{${type} {${names} ${map('labels')} ${map('annotations')}}}`;
}
