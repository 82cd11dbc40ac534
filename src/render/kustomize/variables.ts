import { formatFloat } from '../../util/go-float.ts';
import type { BuildContext } from './build-context.ts';
import { changeField, splitFieldPath, type FieldSpec } from './field-spec.ts';
import { KustomizeError } from './kustomize-error.ts';
import type { VarArgs } from './kustomization.ts';
import { lookup } from './node-fields.ts';

import { gvkText, parseApiVersion, sameId, sameNameAndKind, type ResId } from './res-id.ts';
import type { ResourceMap } from './resource-map.ts';
import type { Resource } from './resource.ts';
import { isMissingOrNull, isString, tags, type YamlNode } from './yaml-node.ts';

/** A name in `$(NAME)` that stands for a field of a resource. */
export interface Variable {
  readonly name: string;
  readonly id: ResId;
  readonly fieldPath: string;
}

/** Notes on resources which variables read them, and adds the variables to those known. */
export function addVariables(resources: ResourceMap, known: Map<string, Variable>, vars: readonly VarArgs[]): void {
  const added = vars.map(toVariable);
  for (const variable of added) {
    const { id } = variable;
    const isExact = id.namespace !== '' || id.isClusterScoped;
    const found = resources.withAnyId(other => (isExact ? sameId(id, other) : sameNameAndKind(id, other)));
    if (found.length > 1) {
      throw new KustomizeError(`found ${found.length} resId matches for var ${describe(variable)} (unable to disambiguate)`);
    }
    found[0]?.refVarNames.push(variable.name);
  }
  for (const variable of added) addVariable(known, variable);
}

export function addVariable(known: Map<string, Variable>, variable: Variable): void {
  if (known.has(variable.name)) throw new KustomizeError(`var '${variable.name}' already encountered`);
  known.set(variable.name, variable);
}

function toVariable({ name = '', objref = {}, fieldref = {} }: VarArgs): Variable {
  const { group = '', version = '', kind = '', name: target = '', namespace = '', apiVersion = '' } = objref;
  const parsed = apiVersion === '' ? { group, version } : { group, ...versionParts(apiVersion) };
  // Kustomize does not look up the scope of a kind that is named here.
  const id = { ...parsed, version: parsed.version, kind, name: target, namespace, isClusterScoped: false };
  return { name, id, fieldPath: fieldref.fieldPath || 'metadata.name' };
}

function versionParts(apiVersion: string): { group?: string; version: string } {
  const { group, version } = parseApiVersion(apiVersion);
  return group === '' ? { version } : { group, version };
}

const describe = ({ name, id, fieldPath }: Variable): string => `{${name} ${gvkText(id)} {${fieldPath}}}`;

type Value = string | number | bigint | boolean | undefined;

/** Puts the values of variables wherever resources name them in `$(…)`. */
export function resolveVariables(
  context: BuildContext,
  resources: ResourceMap,
  known: ReadonlyMap<string, Variable>,
  specs: readonly FieldSpec[],
): void {
  const values = new Map<string, Value>();
  for (const name of [...known.keys()].sort()) values.set(name, findValue(resources, known.get(name)!));
  if (values.size === 0) return;
  const set = (node: YamlNode) => replaceIn(node, values);
  for (const { node } of resources.list) {
    for (const spec of specs) {
      context.tick();
      if (node) changeField(node, spec, { set });
    }
  }
}

function findValue(resources: ResourceMap, variable: Variable): Value {
  const source = resources.list.find(resource => resource.refVarNames.includes(variable.name));
  if (!source) throw new KustomizeError(`var '${describe(variable)}' cannot be mapped to a field in the set of known resources`);
  try {
    return fieldValue(source, variable.fieldPath);
  } catch (cause) {
    if (!(cause instanceof KustomizeError)) throw cause;
    throw new KustomizeError(`field specified in var '${describe(variable)}' not found in corresponding resource`, { cause });
  }
}

function fieldValue(resource: Resource, fieldPath: string): Value {
  const parts = splitFieldPath(fieldPath).flatMap(part => {
    const indexed = /^(.*)\[(\d+)\]$/.exec(part);
    return indexed ? indexed.slice(1).filter(piece => piece !== '') : [part];
  });
  const node = lookup(resource.node, parts);
  if (!node) throw new KustomizeError(`no field named '${fieldPath}'`);
  if (node.kind !== 'scalar') return undefined;
  switch (node.tag) {
    case tags.int:
      if (!/^[-+]?\d+$/.test(node.value)) throw new KustomizeError(`strconv.Atoi: parsing "${node.value}": invalid syntax`);
      return BigInt(node.value.replace(/^\+/, ''));
    case tags.float:
      return Number(node.value);
    case tags.bool:
      return /^(?:1|t|T|TRUE|true|True)$/.test(node.value);
    default:
      return node.value;
  }
}

function replaceIn(node: YamlNode, values: ReadonlyMap<string, Value>): void {
  if (isMissingOrNull(node)) return;
  if (node.kind === 'scalar') {
    if (isString(node)) setValue(node, expand(node.value, values));
    return;
  }
  if (node.kind === 'sequence') {
    for (const item of node.content) {
      if (!isString(item)) throw new KustomizeError('invalid value type expect a string');
      setValue(item, expand(item.value, values));
    }
    return;
  }
  for (let i = 0; i + 1 < node.content.length; i += 2) {
    const key = node.content[i]!;
    const value = node.content[i + 1]!;
    if (!isString(key)) throw new KustomizeError(`invalid map key: value='${key.value}', tag='${key.tag}'`);
    if (isString(value)) setValue(value, expand(value.value, values));
  }
}

function setValue(node: YamlNode, value: Exclude<Value, undefined>): void {
  node.style = '';
  node.isTagged = false;
  if (typeof value === 'string') {
    node.value = value;
    node.tag = tags.str;
  } else if (typeof value === 'boolean') {
    node.value = String(value);
    node.tag = tags.bool;
  } else {
    node.value = typeof value === 'bigint' ? String(value) : formatFloat(value, 'f', -1);
    node.tag = typeof value === 'bigint' ? tags.int : tags.float;
  }
}

/** Replaces `$(NAME)`; `$$` stands for a dollar. A text that is nothing but a name keeps the type of the value. */
function expand(text: string, values: ReadonlyMap<string, Value>): Exclude<Value, undefined> {
  let result = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '$' || i + 1 >= text.length) {
      result += text[i];
      continue;
    }
    const next = text[i + 1]!;
    const end = next === '(' ? text.indexOf(')', i + 2) : -1;
    if (end >= 0) {
      const name = text.slice(i + 2, end);
      const value = values.get(name) ?? `$(${name})`;
      if (text === `$(${name})`) return value;
      result += typeof value === 'number' ? formatFloat(value, 'g', -1) : String(value);
      i = end;
      continue;
    }
    result += next === '$' ? '$' : `$${next}`;
    i++;
  }
  return result;
}
