import type { BuildContext } from './build-context.ts';
import { changeField, changeFields, entrySetter, fieldSpecKinds, type FieldSpec } from './field-spec.ts';
import { KustomizeError } from './kustomize-error.ts';
import type { ReplicaArgs } from './kustomization.ts';
import { compareText, isSelected, type Gvk } from './res-id.ts';
import type { ResourceMap } from './resource-map.ts';
import type { Resource } from './resource.ts';
import { tags } from './yaml-node.ts';

export type Transform = (resources: ResourceMap) => void;

/** Sets labels or annotations in all fields that hold some. */
export function setEntries(context: BuildContext, entries: Readonly<Record<string, string>>, specs: readonly FieldSpec[]): Transform {
  const keys = Object.keys(entries).sort(compareText);
  return ({ list }) => {
    for (const { node } of list) {
      for (const key of keys) {
        context.tick();
        if (node) changeFields(node, specs, { set: entrySetter(key, entries[key]!, tags.str), createKind: 'mapping', createTag: tags.map });
      }
    }
  };
}

const neverRenamed: readonly Gvk[] = [
  { group: '', version: '', kind: 'CustomResourceDefinition' },
  { group: 'apiregistration.k8s.io', version: '', kind: 'APIService' },
  { group: '', version: '', kind: 'Namespace' },
];

/** Adds a prefix or a suffix to names. */
export function affixNames(kind: 'prefix' | 'suffix', affix: string, specs: readonly FieldSpec[]): Transform {
  return ({ list }) => {
    for (const resource of list) {
      const { originalId } = resource;
      if (neverRenamed.some(gvk => isSelected(originalId, gvk))) continue;
      for (const spec of specs) if (isSelected(originalId, spec)) affixName(resource, kind, affix, spec);
    }
  };
}

function affixName(resource: Resource, kind: 'prefix' | 'suffix', affix: string, spec: FieldSpec): void {
  if (spec.path === 'metadata/name') {
    if (kind === 'prefix') resource.addNamePrefix(affix);
    else resource.addNameSuffix(affix);
    if (affix !== '') resource.storePreviousId();
  }
  if (!resource.node) return;
  changeField(resource.node, spec, {
    set: node => entrySetter('', kind === 'prefix' ? affix + node.value : node.value + affix, '')(node),
    createKind: 'scalar',
    createTag: tags.str,
  });
}

/** Sets how many replicas the resources of a name have. */
export function setReplicas({ name = '', count = 0 }: ReplicaArgs, specs: readonly FieldSpec[]): Transform {
  return resources => {
    let isFound = false;
    for (const spec of specs) {
      for (const { node } of resources.withAnyId(id => id.name === name && isSelected(id, spec))) {
        isFound = true;
        if (node) changeField(node, spec, { set: entrySetter('', String(count), tags.int), createKind: 'scalar', createTag: tags.int });
      }
    }
    if (isFound) return;
    throw new KustomizeError(`resource with name ${name} does not match a config with the following GVK ${fieldSpecKinds(specs)}`);
  };
}
