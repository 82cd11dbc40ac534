import { isJsonObject } from '../../util/json.ts';
import type { BuildContext } from './build-context.ts';
import { BoundError, KustomizeError } from './kustomize-error.ts';
import { clearField, fieldOf } from './node-fields.ts';
import { nodeToJson } from './node-json.ts';
import { loadSecretData, setDataMap, textMap } from './data-map.ts';
import { effectiveNamespace, goSyntaxOfId, idText, notANamespace, sameId, type ResId } from './res-id.ts';
import type { Resource } from './resource.ts';
import { compileSelector, type Selector } from './selector.ts';
import { copyNode, type YamlNode } from './yaml-node.ts';

type Matcher = (id: ResId) => boolean;

/** The resources of a kustomization in the order they came. No two have the same id. */
export class ResourceMap {
  list: Resource[] = [];
  private readonly context: BuildContext;

  constructor(context: BuildContext, list: readonly Resource[] = []) {
    this.context = context;
    for (const resource of list) this.append(resource);
  }

  append(resource: Resource): void {
    const { id } = resource;
    if (this.list.some(other => (this.context.tick(), sameId(id, other.id)))) {
      throw new KustomizeError(`may not add resource with an already registered id: ${idText(id)}`);
    }
    if (this.list.push(resource) > this.context.bounds.maxResources) {
      throw new BoundError(`kustomization has more than ${this.context.bounds.maxResources} resources`);
    }
  }

  appendAll(resources: Iterable<Resource>): void {
    for (const resource of resources) this.append(resource);
  }

  dropEmpty(): void {
    this.list = this.list.filter(resource => !resource.isEmpty);
  }

  withCurrentId(matches: Matcher): Resource[] {
    return this.list.filter(resource => matches(resource.id));
  }

  withAnyId(matches: Matcher): Resource[] {
    return this.list.filter(resource => {
      this.context.tick();
      return !resource.isEmpty && [...resource.previousIds, resource.id].some(matches);
    });
  }

  /** The one resource that has, or had, an id. */
  oneWithAnyId(id: ResId): Resource {
    const found = this.withAnyId(other => sameId(id, other));
    if (found.length === 1) return found[0]!;
    const words = found.length > 1 ? 'multiple matches' : 'no matches';
    throw new KustomizeError(`${words} for Id ${idText(id)}; failed to find unique target for patch ${idText(id)}`);
  }

  select(selector: Selector): Resource[] {
    const matches = compileSelector(selector);
    return this.list.filter(resource => {
      this.context.tick();
      const { id, originalId } = resource;
      if (!matches.namespace(effectiveNamespace(originalId)) && !matches.namespace(effectiveNamespace(id))) return false;
      if (!matches.name(originalId.name) && !matches.name(id.name)) return false;
      if (!matches.gvk(resource.gvk)) return false;
      return resource.matchesLabels(selector.labelSelector ?? '') && resource.matchesAnnotations(selector.annotationSelector ?? '');
    });
  }

  applyMergePatch(selected: readonly Resource[], patch: Resource): void {
    const ids = selected.map(({ id }) => id);
    const kept: Resource[] = [];
    for (const resource of this.list) {
      if (ids.some(id => isSameExactly(id, resource.id))) {
        const copy = patch.copy();
        copy.takeMetadataFrom(patch);
        copy.setGvk(resource.gvk);
        copy.setKind(patch.kind);
        resource.applyMergePatch(copy);
      }
      if (!resource.isEmpty) kept.push(resource);
    }
    this.list = [];
    this.appendAll(kept);
  }

  /** Takes in what a generator made: new, or in place of or into what is there. */
  absorb(resource: Resource): void {
    const { id } = resource;
    const found = this.withAnyId(other => sameId(id, other));
    const { behavior } = resource;
    if (found.length === 0) {
      if (behavior === 'merge' || behavior === 'replace') {
        throw new KustomizeError(`id ${goSyntaxOfId(id)} does not exist; cannot merge or replace`);
      }
      return this.append(resource);
    }
    if (found.length > 1) {
      throw new KustomizeError(
        `found multiple objects ${found.map(({ id: other }) => idText(other)).join(' ')} that could accept merge of ${idText(id)}`,
      );
    }
    const old = found[0]!;
    const index = this.list.indexOf(old);
    if (behavior === 'replace') resource.takeMetadataFrom(old);
    else if (behavior === 'merge') mergeGenerated(resource, old);
    else {
      throw new KustomizeError(`id ${goSyntaxOfId(id)} exists; can not use behavior: '${behavior}', behavior must be merge or replace`);
    }
    this.list[index] = resource;
  }

  /** Resources by the namespace they are, or were at first, in; without those that have none. */
  inNamespace(namespace: string, idOf: (resource: Resource) => ResId): Resource[] | undefined {
    if (namespace === notANamespace) return undefined;
    const found = this.list.filter(resource => effectiveNamespace(idOf(resource)) === namespace);
    return found.length === 0 ? undefined : found;
  }

  /** What a resource may refer to by name. */
  candidatesFor(referrer: Resource): ResourceMap {
    const { id } = referrer;
    if (id.isClusterScoped) return this;
    const subjects = subjectNamespaces(referrer);
    const candidates = new ResourceMap(this.context);
    candidates.list = this.list.filter(resource => {
      this.context.tick();
      const other = resource.id;
      return other.isClusterScoped || effectiveNamespace(other) === effectiveNamespace(id) || subjects.has(resource.namespace);
    });
    return candidates;
  }
}

/** As a Go map key compares: nothing is taken for `default`. */
const isSameExactly = (a: ResId, b: ResId): boolean =>
  a.name === b.name && a.namespace === b.namespace && a.kind === b.kind && a.group === b.group && a.version === b.version;

function subjectNamespaces(referrer: Resource): Set<string> {
  const namespaces = new Set<string>();
  const subjects = referrer.kind === 'RoleBinding' ? fieldOf(referrer.node, 'subjects') : undefined;
  if (subjects?.kind !== 'sequence') return namespaces;
  for (const subject of nodeToJson(subjects) as unknown[]) {
    if (!isJsonObject(subject) || subject['kind'] !== 'ServiceAccount' || !('namespace' in subject)) continue;
    if (typeof subject['namespace'] !== 'string') {
      throw new KustomizeError(`Invalid Input: namespace is blank for resource "${idText(referrer.id)}"\n`);
    }
    namespaces.add(subject['namespace']);
  }
  return namespaces;
}

const originAnnotation = 'config.kubernetes.io/origin';

function mergeGenerated(resource: Resource, old: Resource): void {
  const origin = old.annotations().get(originAnnotation);
  const oldData = resource.apiVersion === 'v1' && resource.kind === 'Secret' ? withoutStringData(old) : old.node!;
  resource.takeMetadataFrom(old);
  const node = resource.node!;
  setDataMap(node, 'data', new Map([...textMap(oldData, 'data'), ...textMap(node, 'data')]));
  setDataMap(node, 'binaryData', new Map([...textMap(old.node!, 'binaryData'), ...textMap(node, 'binaryData')]));
  if (origin !== undefined) resource.annotate(originAnnotation, origin);
}

/** The secret with its stringData put into data. */
function withoutStringData(secret: Resource): YamlNode {
  const node = copyNode(secret.node!);
  const text = textMap(node, 'stringData');
  if (text.size > 0) loadSecretData(node, text);
  clearField(node, 'stringData');
  return node;
}
