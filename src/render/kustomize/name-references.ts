import type { BuildContext } from './build-context.ts';
import { changeField, type FieldSpec } from './field-spec.ts';
import { KustomizeError, within } from './kustomize-error.ts';
import { fieldOf, getField, setField, setScalar } from './node-fields.ts';
import { effectiveNamespace, idText, isSelected, type Gvk } from './res-id.ts';
import type { ResourceMap } from './resource-map.ts';
import type { Resource } from './resource.ts';
import type { NameReference } from './transformer-config.ts';
import { isMissingOrNull, isNull, scalarNode, type YamlNode } from './yaml-node.ts';

/** Puts the new names of resources wherever others refer to them by their old ones. */
export function fixNameReferences(context: BuildContext, resources: ResourceMap, references: readonly NameReference[]): void {
  for (const referrer of resources.list) {
    const { originalId } = referrer;
    const wanted = references.flatMap(target =>
      target.referrers.filter(spec => isSelected(originalId, spec)).map(spec => ({ target, spec })),
    );
    if (wanted.length === 0) continue;
    const candidates = resources.candidatesFor(referrer);
    for (const { target, spec } of wanted) {
      context.tick();
      new ReferenceFix(referrer, spec, target, candidates).run();
    }
  }
}

/** One field of one resource that may name resources of one kind. */
class ReferenceFix {
  private readonly referrer: Resource;
  private readonly spec: FieldSpec;
  private readonly target: Gvk;
  private readonly candidates: ResourceMap;

  constructor(referrer: Resource, spec: FieldSpec, target: Gvk, candidates: ResourceMap) {
    this.referrer = referrer;
    this.spec = spec;
    this.target = target;
    this.candidates = candidates;
  }

  run(): void {
    const { referrer, spec } = this;
    if (!referrer.node) return;
    const set = (node: YamlNode) => this.set(node);
    within(`updating name reference in '${spec.path}' field of '${idText(referrer.id)}'`, () =>
      changeField(referrer.node!, { ...spec, ...referrer.gvk }, { set }),
    );
  }

  private set(node: YamlNode): void {
    if (isMissingOrNull(node)) return;
    if (node.kind === 'scalar') this.setScalar(node);
    else if (node.kind === 'mapping') this.setMapping(node);
    else if (node.kind === 'sequence') for (const item of node.content) this.setItem(item);
    else throw new KustomizeError('node must be a scalar, sequence or map');
  }

  private setItem(item: YamlNode): void {
    if (isNull(item)) return;
    if (item.kind === 'scalar') this.setScalar(item);
    else if (item.kind === 'mapping') this.setMapping(item);
    else throw new KustomizeError('node is expected to be either a string or a map of string');
  }

  private setScalar(node: YamlNode): void {
    const referral = this.choose(node.value, this.candidates.list, sameName);
    if (!referral) return;
    referral.recordReferrer(idText(this.referrer.id));
    if (referral.name !== node.value) setScalar(node, scalarNode(referral.name));
  }

  private setMapping(node: YamlNode): void {
    const name = getField(node, 'name');
    if (!name) throw new KustomizeError("path config error; no 'name' field in node");
    const referral = this.choose(name.value, this.candidatesIn(getField(node, 'namespace')), sameNameAndNamespace);
    if (!referral) return;
    referral.recordReferrer(idText(this.referrer.id));
    if (referral.name === name.value && referral.namespace === '') return;
    setField(node, 'name', scalarNode(referral.name));
    if (referral.namespace !== '') setField(node, 'namespace', scalarNode(referral.namespace));
  }

  private candidatesIn(namespace: YamlNode | undefined): readonly Resource[] {
    if (!namespace) return this.candidates.list;
    const { value } = namespace;
    return this.candidates.inNamespace(value, r => r.originalId) ?? this.candidates.inNamespace(value, r => r.id) ?? [];
  }

  private choose(oldName: string, among: readonly Resource[], areAlike: (resources: readonly Resource[]) => boolean): Resource | undefined {
    const isRightRole = this.roleFilter();
    let found = among.filter(resource => {
      const ids = resource.previousIds;
      return (
        ids.some(id => id.name === oldName) && ids.some(id => isSelected(id, this.target)) && isRightRole(resource) && this.isNear(resource)
      );
    });
    if (found.length === 1) return found[0];
    found = found.filter(resource => sharesAffixes(resource, this.referrer, true));
    if (found.length > 1) found = found.filter(resource => sharesAffixes(resource, this.referrer, false));
    if (found.length <= 1) return found[0];
    if (areAlike(found)) return found[0];
    const ids = found.map(({ id }) => idText(id)).join(', ');
    const details = found.map((resource, i) => `--- possible referral ${i}:\n${resource.print()}\n`).join('');
    throw new KustomizeError(
      `found multiple possible referrals: ${ids}\n\n**** Too many possible referral targets to referrer:\n${this.referrer.print()}\n${details}`,
    );
  }

  /** A role reference says itself what kind of role it means. */
  private roleFilter(): (resource: Resource) => boolean {
    if (!this.spec.path.endsWith('roleRef/name')) return () => true;
    const role = fieldOf(this.referrer.node, 'roleRef');
    const [group, kind] = [fieldOf(role, 'apiGroup'), fieldOf(role, 'kind')];
    if (!group || !kind) return () => true;
    const gvk = { group: group.value, version: '', kind: kind.value };
    return resource => resource.previousIds.some(id => isSelected(id, gvk));
  }

  private isNear(resource: Resource): boolean {
    const referrer = this.referrer.id;
    if (referrer.isClusterScoped || resource.kind === 'ServiceAccount') return true;
    const { id } = resource;
    return id.isClusterScoped || effectiveNamespace(id) === effectiveNamespace(referrer);
  }
}

function sameName(resources: readonly Resource[]): boolean {
  return resources.every(({ name }) => name === resources[0]!.name);
}

function sameNameAndNamespace(resources: readonly Resource[]): boolean {
  return sameName(resources) && resources.every(({ namespace }) => namespace === resources[0]!.namespace);
}

/** Whether two resources came through the same layers, told by the prefixes and suffixes their names got. */
function sharesAffixes(a: Resource, b: Resource, mayBeEmpty: boolean): boolean {
  return sameEnd(a.namePrefixes, b.namePrefixes, mayBeEmpty) && sameEnd(a.nameSuffixes, b.nameSuffixes, mayBeEmpty);
}

function sameEnd(a: readonly string[], b: readonly string[], mayBeEmpty: boolean): boolean {
  if (a.length === 0 || b.length === 0) return mayBeEmpty || a.length === b.length;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short.every((value, i) => value === long[long.length - short.length + i]);
}
