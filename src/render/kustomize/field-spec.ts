import { KustomizeError, within } from './kustomize-error.ts';
import { expectKind, fieldOf, lookup, lookupOrCreate, setField, setScalar } from './node-fields.ts';
import { compareGvk, gvkText, idText, isSelected, parseApiVersion, type Gvk } from './res-id.ts';
import { isNull, makeNode, valueOf, type NodeKind, type YamlNode } from './yaml-node.ts';

/** A field that a transformer touches, in resources of some kinds. What of the kind is empty fits all. */
export interface FieldSpec extends Gvk {
  readonly path: string;
  /** Whether the field is made where it is missing. */
  readonly create: boolean;
}

/** Parts of a path; a backslash before the delimiter keeps it in a part. */
export function splitPath(path: string, delimiter: string): string[] {
  let parts = path.split(delimiter);
  if (parts.length > 1 && parts[0] === '') parts = parts.slice(1);
  const joined = [parts[0]!];
  for (const part of parts.slice(1)) {
    const last = joined.at(-1)!;
    if (last.endsWith('\\')) joined[joined.length - 1] = last.slice(0, -1) + delimiter + part;
    else joined.push(part);
  }
  return joined;
}

/** Parts of a path, where a delimiter between brackets counts as text. */
export function splitFieldPath(path: string, delimiter = '.'): string[] {
  const parts = splitPath(path, delimiter);
  const joined: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    if (!part.startsWith('[') || part.endsWith(']')) {
      joined.push(part);
      continue;
    }
    const bracketed = [part];
    while (i < parts.length - 1) {
      bracketed.push(parts[++i]!);
      if (parts[i]!.endsWith(']')) break;
    }
    const text = bracketed.join(delimiter);
    joined.push(text.includes('=') ? text : text.replace(/^[[\]]+|[[\]]+$/g, ''));
  }
  return joined;
}

export interface FieldChange {
  set(node: YamlNode): void;
  /** The kind of node that is made where the field is missing; none is made without it. */
  readonly createKind?: NodeKind;
  readonly createTag?: string;
}

/** Changes every field that a spec means in one resource. */
export function changeField(node: YamlNode, spec: FieldSpec, change: FieldChange): void {
  if (!isOfKind(node, spec)) return;
  within(`considering field '${spec.path}' of object ${describe(node)}`, () =>
    changeAt(node, splitPath(spec.path, '/'), { ...change, mayCreate: spec.create && change.createKind !== undefined }),
  );
}

export function changeFields(node: YamlNode, specs: readonly FieldSpec[], change: FieldChange): void {
  for (const spec of specs) changeField(node, spec, change);
}

function isOfKind(node: YamlNode, spec: FieldSpec): boolean {
  const apiVersion = parseApiVersion(fieldOf(node, 'apiVersion')?.value ?? '');
  return isSelected({ ...apiVersion, kind: fieldOf(node, 'kind')?.value ?? '' }, spec);
}

function describe(node: YamlNode): string {
  const metadata = fieldOf(node, 'metadata');
  return idText({
    ...parseApiVersion(fieldOf(node, 'apiVersion')?.value ?? ''),
    kind: fieldOf(node, 'kind')?.value ?? '',
    name: valueOf(fieldOf(metadata, 'name')),
    namespace: valueOf(fieldOf(metadata, 'namespace')),
    isClusterScoped: false,
  });
}

function changeAt(node: YamlNode, path: readonly string[], change: FieldChange & { mayCreate: boolean }): void {
  if (path.length === 0) return change.set(node);
  if (isNull(node)) return;
  if (node.kind === 'sequence') {
    within(`visit traversal on path: [${path.join(' ')}]`, () => node.content.forEach(item => changeAt(item, path, change)));
    return;
  }
  if (node.kind !== 'mapping') throw new KustomizeError('expected sequence or mapping node');
  const name = path[0]!.replace(/\[\]$/, '');
  if (name === '') throw new KustomizeError('cannot set or create an empty field name');
  const isList = name !== path[0];
  const made = madeKind(path, isList, change);
  const field = within(`fieldName: ${name}`, () => (made && !isList ? lookupOrCreate(node, made.kind, [name]) : lookup(node, [name])));
  if (!field) return;
  if (isNull(field) && made) {
    field.kind = made.kind;
    field.tag = made.tag;
  }
  changeAt(field, path.slice(1), change);
}

/** What a missing or null field becomes. */
function madeKind(
  path: readonly string[],
  isList: boolean,
  { mayCreate, createKind, createTag = '' }: FieldChange & { mayCreate: boolean },
): { kind: NodeKind; tag: string } | undefined {
  if (isList) return { kind: 'sequence', tag: '' };
  if (!mayCreate || createKind === undefined) return undefined;
  return path.length === 1 ? { kind: createKind, tag: createTag } : { kind: 'mapping', tag: '!!map' };
}

/** Sets a scalar, or an entry of a map when there is a name. The same node goes wherever the setter is used. */
export function entrySetter(name: string, value: string, tag: string): (node: YamlNode) => void {
  const node = makeNode('scalar', { value, tag });
  return target => {
    if (name === '') setScalar(target, node);
    else {
      expectKind(target, 'mapping');
      setField(target, name, node);
    }
  };
}

/** Adds specs that are not there yet. */
export function mergeFieldSpecs(list: readonly FieldSpec[], more: readonly FieldSpec[]): FieldSpec[] {
  const merged = [...list];
  for (const spec of more) {
    const same = merged.find(other => isSelected(other, spec) && other.path === spec.path);
    if (!same) merged.push(spec);
    else if (same.create !== spec.create) throw new KustomizeError('conflicting fieldspecs');
  }
  return merged;
}

export const sortFieldSpecs = (list: readonly FieldSpec[]): FieldSpec[] => [...list].sort(compareGvk);

export const fieldSpecKinds = (list: readonly FieldSpec[]): string => `[${list.map(gvkText).join(' ')}]`;
