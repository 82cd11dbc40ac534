import { changeField, changeFields, entrySetter, type FieldSpec } from './field-spec.ts';
import { KustomizeError } from './kustomize-error.ts';
import { expectKind, fieldOf, lookup, lookupOrCreate, NodeKindError } from './node-fields.ts';
import { idText, sameId } from './res-id.ts';
import type { ResourceMap } from './resource-map.ts';
import type { Resource } from './resource.ts';
import { isMissingOrNull, isNilOrEmpty, tags, type YamlNode } from './yaml-node.ts';

export interface NamespaceArgs {
  readonly namespace: string;
  readonly fieldSpecs: readonly FieldSpec[];
  readonly unsetOnly?: boolean;
  /** Whose namespaces in role bindings are set. */
  readonly setRoleBindingSubjects?: string;
}

const subjectModes = ['defaultOnly', 'none', 'allServiceAccounts'];

export function checkSubjectMode(mode = ''): void {
  if (mode === '' || subjectModes.includes(mode)) return;
  throw new KustomizeError(
    `invalid value "${mode}" for setRoleBindingSubjects: must be one of ${subjectModes
      .map(name => `"${name}"`)
      .join(', ')
      .replace(/, ([^,]*)$/, ' or $1')}`,
  );
}

/** Puts all resources into a namespace. */
export function setNamespaces(resources: ResourceMap, args: NamespaceArgs): void {
  if (args.namespace === '') return;
  for (const resource of resources.list) {
    if (resource.isEmpty) continue;
    resource.storePreviousId();
    setNamespace(resource, args);
    const { id } = resource;
    const same = resources.withCurrentId(other => sameId(id, other));
    if (same.length !== 1) {
      throw new KustomizeError(`namespace transformation produces ID conflict: [${same.map(({ id: other }) => idText(other)).join(' ')}]`);
    }
  }
}

export function setNamespace(
  resource: Resource,
  { namespace, fieldSpecs, unsetOnly = false, setRoleBindingSubjects = '' }: NamespaceArgs,
): void {
  const node = resource.node!;
  const setter = entrySetter('', namespace, tags.str);
  const set = (target: YamlNode) => {
    if (!unsetOnly || !hasValue(target)) setter(target);
  };
  const { id } = resource;
  if (!id.isClusterScoped) {
    const spec = { group: '', version: '', kind: '', path: 'metadata/namespace', create: true };
    changeField(node, spec, { set, createKind: 'scalar' });
  }
  const isBinding = id.kind === 'RoleBinding' || id.kind === 'ClusterRoleBinding';
  if (isBinding) setSubjects(node, setRoleBindingSubjects, set);
  const specs = fieldSpecs.filter(({ path, kind }) => {
    if (path === 'metadata/namespace' || (path === 'metadata/name' && resource.apiVersion !== 'v1')) return false;
    return !isBinding || path !== 'subjects/namespace' || (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding');
  });
  try {
    changeFields(node, specs, { set, createKind: 'scalar', createTag: tags.str });
  } catch (error) {
    if (!(error instanceof KustomizeError)) throw error;
    const isWrongKind = rootCause(error) instanceof NodeKindError;
    const words = isWrongKind ? 'namespace field specs must target scalar nodes' : 'namespace transformation failed';
    throw new KustomizeError(`${words}: ${error.message}`, { cause: error });
  }
}

function rootCause(error: Error): Error {
  return error.cause instanceof Error ? rootCause(error.cause) : error;
}

function hasValue(node: YamlNode): boolean {
  if (isNilOrEmpty(node)) return false;
  return node.kind === 'scalar' && node.value !== '';
}

function setSubjects(node: YamlNode, mode: string, set: (target: YamlNode) => void): void {
  if (mode === 'none') return;
  const subjects = fieldOf(node, 'subjects');
  if (isMissingOrNull(subjects)) return;
  expectKind(subjects, 'sequence');
  const [field, value] = mode === 'allServiceAccounts' ? ['kind', 'ServiceAccount'] : ['name', 'default'];
  for (const subject of subjects.content) {
    if (lookup(subject, [field!])?.value !== value) continue;
    const namespace = lookupOrCreate(subject, 'scalar', ['namespace']);
    if (namespace) set(namespace);
  }
}
