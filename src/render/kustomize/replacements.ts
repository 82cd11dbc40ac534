import { isJsonObject } from '../../util/json.ts';
import { splitFieldPath } from './field-spec.ts';
import { BoundError, KustomizeError, within } from './kustomize-error.ts';
import type { FieldOptions, ReplacementArgs, ReplacementSource, ReplacementTarget } from './kustomization.ts';
import { lookup } from './node-fields.ts';
import { nodeToJson } from './node-json.ts';
import { matchPath, structureIn } from './path-matcher.ts';
import { printNode } from './print-node.ts';
import { effectiveNamespace, idText, isSelected, type ResId } from './res-id.ts';
import type { Resource } from './resource.ts';
import { compileSelector, type Selector } from './selector.ts';
import { assignNode, copyNode, isNilOrEmpty, scalarNode, valueOf, type YamlNode } from './yaml-node.ts';

/** Copies values from fields of resources, or fixed ones, to fields of others. */
export function applyReplacements(resources: readonly Resource[], replacements: readonly ReplacementArgs[]): void {
  for (const { source, sourceValue, targets } of replacements) {
    if ((!source && sourceValue === undefined) || !targets) {
      throw new KustomizeError('replacements must specify a source and at least one target');
    }
    const value = sourceValue === undefined ? findSource(resources, source!) : scalarNode(sourceValue);
    if (source && sourceValue !== undefined) throw new KustomizeError('value and resource selectors are mutually exclusive');
    for (const target of targets) replaceIn(resources, value, target);
  }
}

/** What a resource is called and was called. Kustomize forgets here that some kinds have no namespace. */
const idsOf = (resource: Resource): ResId[] => [{ ...resource.id, isClusterScoped: false }, ...resource.previousIds];

function findSource(resources: readonly Resource[], source: ReplacementSource): YamlNode {
  const { group = '', version = '', kind = '', name = '', namespace = '', fieldPath = 'metadata.name', options } = source;
  const selector: ResId = { group, version, kind, name, namespace, isClusterScoped: false };
  const found = resources.filter(resource => idsOf(resource).some(id => isSelectedBy(id, selector)));
  const words = [idText(selector), source.fieldPath ?? '', optionText(options)].filter(part => part !== '').join(':');
  if (found.length > 1) throw new KustomizeError(`multiple matches for selector ${words}`);
  if (found.length === 0) throw new KustomizeError(`nothing selected by ${words}`);
  const node = within('error looking up replacement source', () => lookup(found[0]!.node, splitFieldPath(fieldPath || 'metadata.name')));
  if (isNilOrEmpty(node))
    throw new KustomizeError(`fieldPath \`${fieldPath || 'metadata.name'}\` is missing for replacement source ${idText(selector)}`);
  return refine(node, options);
}

function isSelectedBy(id: ResId, selector: ResId): boolean {
  if (selector.name !== '' && selector.name !== id.name) return false;
  if (selector.namespace !== '' && effectiveNamespace(selector) !== effectiveNamespace(id)) return false;
  return isSelected(id, selector);
}

function optionText(options: FieldOptions | undefined): string {
  const { delimiter = '', index = 0, create = false } = options ?? {};
  return delimiter === '' && !create ? '' : `${delimiter}(${index}), create=${create}`;
}

function refine(node: YamlNode, { delimiter = '', index = 0 }: FieldOptions = {}): YamlNode {
  if (delimiter === '') return node;
  if (node.kind !== 'scalar') throw new KustomizeError('delimiter option can only be used with scalar nodes');
  const part = valueOf(node).split(delimiter)[index];
  if (part === undefined) throw new KustomizeError(`options.index ${index} is out of bounds for value ${valueOf(node)}`);
  return { ...copyNode(node), value: part };
}

function replaceIn(resources: readonly Resource[], value: YamlNode, target: ReplacementTarget): void {
  const { select, reject = [], options } = target;
  if (!select) throw new KustomizeError('target must specify resources to select');
  const fieldPaths = target.fieldPaths && target.fieldPaths.length > 0 ? target.fieldPaths : ['metadata.name'];
  const isWanted = within('error creating target selector', () => idMatcher(select));
  const rejecting = within('error creating target selector', () => reject.filter(hasId).map(idMatcher));
  for (const resource of resources) {
    if (!resource.node || !matchesMeta(resource, select)) continue;
    if (reject.some(selector => hasMeta(selector) && matchesMeta(resource, selector))) continue;
    const ids = idsOf(resource);
    if (rejecting.some(isRejected => ids.some(isRejected)) || !ids.some(isWanted)) continue;
    for (const fieldPath of fieldPaths) replaceField(resource.node, value, fieldPath, options);
  }
}

function idMatcher(selector: Selector): (id: ResId) => boolean {
  const matches = compileSelector(selector);
  return id => matches.gvk(id) && matches.name(id.name) && matches.namespace(id.namespace);
}

const hasId = ({ group, version, kind, name, namespace }: Selector): boolean =>
  [group, version, kind, name, namespace].some(part => part !== undefined && part !== '');
const hasMeta = ({ annotationSelector = '', labelSelector = '' }: Selector): boolean => annotationSelector !== '' || labelSelector !== '';

function matchesMeta(resource: Resource, { annotationSelector = '', labelSelector = '' }: Selector): boolean {
  return resource.matchesAnnotations(annotationSelector) && resource.matchesLabels(labelSelector);
}

function replaceField(node: YamlNode, value: YamlNode, fieldPath: string, options: FieldOptions | undefined): void {
  const path = splitFieldPath(fieldPath);
  const create = options?.create ? value.kind : undefined;
  if (replaceInText(node, value, path, options)) return;
  const words = `unable to find ${create === undefined ? '' : 'or create '}field "${fieldPath}" in replacement target`;
  const found = within(words, () => matchPath(node, path, create));
  if (found.length === 0) throw new KustomizeError(words);
  for (const field of found) setValue(field, value, options);
}

function setValue(field: YamlNode, value: YamlNode, { delimiter = '', index = 0 }: FieldOptions = {}): void {
  const copy = copyNode(value);
  if (delimiter !== '') {
    if (field.kind !== 'scalar') throw new KustomizeError('delimiter option can only be used with scalar nodes');
    const parts = field.value.split(delimiter);
    if (index < 0) parts.unshift(valueOf(value));
    else if (index >= parts.length) parts.push(valueOf(value));
    else parts[index] = valueOf(value);
    copy.value = parts.join(delimiter);
  }
  // A scalar keeps its type, so that numbers may go into texts and back.
  if (field.kind === 'scalar') field.value = copy.value;
  else assignNode(field, copy);
}

/** Changes a field of YAML or JSON that stands in a text. False when there is none. */
function replaceInText(node: YamlNode, value: YamlNode, path: readonly string[], options: FieldOptions | undefined): boolean {
  try {
    const found = findText(node, path);
    if (!found) return false;
    const { text, rest } = found;
    const structure = structureIn(text.value);
    const fields = matchPath(structure, rest, options?.create ? value.kind : undefined);
    if (fields.length === 0) return false;
    for (const field of fields) setValue(field, value, options);
    text.value = printStructure(structure, text.value);
    return true;
  } catch (error) {
    if (error instanceof KustomizeError && !(error instanceof BoundError)) return false;
    throw error;
  }
}

function findText(node: YamlNode, path: readonly string[]): { text: YamlNode; rest: readonly string[] } | undefined {
  for (let i = 1; i < path.length; i++) {
    const text = lookupOrNothing(node, path.slice(0, i));
    if (text?.kind === 'scalar' && isStructure(text.value)) return { text, rest: path.slice(i) };
  }
  return undefined;
}

function lookupOrNothing(node: YamlNode, path: readonly string[]): YamlNode | undefined {
  try {
    return lookup(node, path);
  } catch (error) {
    if (error instanceof KustomizeError) return undefined;
    throw error;
  }
}

function isStructure(text: string): boolean {
  try {
    structureIn(text);
    return true;
  } catch (error) {
    if (error instanceof BoundError || !(error instanceof KustomizeError)) throw error;
    return false;
  }
}

const comment = /(?:^|\s)#/m;

function printStructure(structure: YamlNode, original: string): string {
  const trimmed = original.trim();
  if (trimmed.startsWith('{') || trimmed.startsWith('[')) return printAsJson(structure, original);
  if (comment.test(original)) {
    throw new BoundError('cannot replace a value in a text with YAML comments: they would be lost');
  }
  return printNode(structure).trim();
}

function printAsJson(structure: YamlNode, original: string): string {
  const value = sorted(nodeToJson(structure));
  const isPretty = original.includes('\n') && original.includes('  ');
  const text = JSON.stringify(value, undefined, isPretty ? 2 : undefined);
  return text.replace(/[<>&\u2028\u2029]/g, char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sorted(value[key])]),
  );
}
