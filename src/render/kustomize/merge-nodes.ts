import { KustomizeError } from './kustomize-error.ts';
import { mergeList } from './merge-lists.ts';
import { clearField, expectKind, fieldNames, fieldOf, getField, keyStyleOf, persistentNulls, setElement, setField } from './node-fields.ts';
import type { OpenApi, Schema } from './open-api.ts';
import { printNode } from './print-node.ts';
import { isMissingOrNull, isNull, makeNode, tags, type YamlNode } from './yaml-node.ts';

/** The two nodes of a merge: what is there, and the patch. */
export type Sources = [dest: YamlNode | undefined, patch: YamlNode | undefined];

/** What every step of one merge needs. */
export interface MergeContext {
  readonly openApi: OpenApi;
  /** Called once per node, to keep to time. */
  tick(): void;
}

/** Applies a strategic merge patch to a resource, in place. Answers undefined when the patch deletes it. */
export function mergeNodes(context: MergeContext, dest: YamlNode, patch: YamlNode): YamlNode | undefined {
  return walk(context, [dest, patch], undefined);
}

export function walk(context: MergeContext, sources: Sources, known: Schema | undefined): YamlNode | undefined {
  context.tick();
  const schema = known ?? schemaOf(context.openApi, sources);
  const kind = sources.find(node => !isMissingOrNull(node))?.kind ?? 'none';
  if (kind === 'mapping' || kind === 'sequence' || kind === 'scalar') for (const node of sources) expectKind(node, kind);
  switch (kind) {
    case 'mapping':
    case 'none':
      return walkMap(context, sources, schema);
    case 'sequence':
      return schema?.mergeKeys ? mergeList(context, sources, schema, startOfList(sources)) : (sources[1] ?? sources[0]);
    case 'scalar':
      return sources[1] ?? sources[0];
    case 'alias':
      return undefined;
  }
}

/** An embedded object says itself what it is. */
function schemaOf(openApi: OpenApi, sources: Sources): Schema | undefined {
  for (const node of sources) {
    const [kind, apiVersion] = [fieldOf(node, 'kind')?.value ?? '', fieldOf(node, 'apiVersion')?.value ?? ''];
    if (isMissingOrNull(node) || kind === '' || apiVersion === '') continue;
    const schema = openApi.schemaOf(apiVersion, kind);
    if (schema) return schema;
  }
  return undefined;
}

function walkMap(context: MergeContext, sources: Sources, schema: Schema | undefined): YamlNode | undefined {
  const dest = startOfMap(sources);
  sources[0] = dest;
  if (!dest) return undefined;
  const names = new Set<string>();
  for (const node of sources) if (node) for (const name of fieldNames(node)) names.add(name);
  for (const name of [...names].sort()) {
    const values: Sources = [fieldOf(sources[0], name), fieldOf(sources[1], name)];
    const styles = values.map((value, i) => [value, keyStyleOf(sources[i], name)] as const);
    const value = walk(context, values, schema?.field(name));
    // The patch's quotes around the key come last, as in kustomize.
    const keyStyle = styles.findLast(([node]) => node !== undefined && node === value)?.[1] ?? '';
    setField(dest, name, value, keyStyle);
  }
  return dest;
}

function startOfMap([dest, patch]: Sources): YamlNode | undefined {
  keepStyle(dest, patch);
  if (isMissingOrNull(dest)) {
    const written = dest as YamlNode | undefined;
    if (patch && directiveOrUnknown(patch) === 'delete') return undefined;
    // A null that was written out stays unless the patch has something to say.
    if (!patch && written && written.value !== '') {
      const kept = makeNode('scalar', { tag: tags.null, value: written.value });
      persistentNulls.add(kept);
      return kept;
    }
    return patch;
  }
  if (isNull(patch)) return undefined;
  return startAfterDirective(dest, patch);
}

function startOfList([dest, patch]: Sources): YamlNode | undefined {
  keepStyle(dest, patch);
  if (isMissingOrNull(dest)) return patch;
  if (isNull(patch)) return undefined;
  return startAfterDirective(dest, patch);
}

function startAfterDirective(dest: YamlNode, patch: YamlNode | undefined): YamlNode | undefined {
  const directive = patch ? takeDirective(patch) : 'merge';
  if (directive === 'delete') return undefined;
  return directive === 'replace' ? patch : dest;
}

/** An empty collection takes the style of what is merged into it. */
function keepStyle(dest: YamlNode | undefined, patch: YamlNode | undefined): void {
  if (dest && patch && dest.kind !== 'scalar' && dest.content.length === 0) dest.style = patch.style;
}

type Directive = 'merge' | 'replace' | 'delete';
const directiveKey = '$patch';

function directiveOrUnknown(patch: YamlNode): Directive | undefined {
  try {
    return takeDirective(patch);
  } catch (error) {
    if (error instanceof KustomizeError) return undefined;
    throw error;
  }
}

/** Reads a `$patch` and takes it out. */
function takeDirective(patch: YamlNode): Directive {
  if (patch.kind === 'mapping') {
    const directive = asDirective(getField(patch, directiveKey)?.value);
    if (fieldOf(patch, directiveKey)) clearField(patch, directiveKey);
    return directive;
  }
  if (patch.kind !== 'sequence') {
    throw new KustomizeError(`no implemented strategic merge patch strategy for '${patch.tag}' ('${printNode(patch)}')`);
  }
  const item = patch.content.find(node => node.kind === 'mapping' && fieldOf(node, directiveKey));
  // Beside other fields it speaks of its own map.
  if (!item || item.content.length > 2) return 'merge';
  const value = fieldOf(item, directiveKey)!.value;
  const directive = asDirective(value);
  setElement(patch, { keys: [directiveKey], values: [value] });
  return directive;
}

function asDirective(value: string | undefined): Directive {
  if (value === undefined || value === 'merge' || value === 'replace' || value === 'delete') return value ?? 'merge';
  throw new KustomizeError(`unknown patch strategy '${value}'`);
}
