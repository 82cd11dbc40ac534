import { BuildContext, type KustomizeBounds } from './build-context.ts';
import { changeField, entrySetter } from './field-spec.ts';
import { hashNames } from './hash-names.ts';
import { BoundError, within } from './kustomize-error.ts';
import { FileTree, Loader, type Tree } from './loader.ts';
import { fixNameReferences } from './name-references.ts';
import { clearTransformations, setOrigin } from './origin.ts';
import { checkMetadata } from './read-resources.ts';
import { idText } from './res-id.ts';
import type { ResourceMap } from './resource-map.ts';
import { sortResources } from './sort-resources.ts';
import { Target } from './target.ts';
import { resolveVariables } from './variables.ts';
import { tags } from './yaml-node.ts';

/** The release whose output this is. */
export const kustomizeVersion = 'v5.8.2';

/**
 * Builds the kustomization in a folder of a tree of files: the same text as `kustomize build`. Nothing but those files is read. Throws KustomizeError
 * with kustomize's words; a BoundError among them when the input asks for too much, or for something that lies elsewhere.
 */
export function kustomize(files: ReadonlyMap<string, Uint8Array> | Tree, path: string, bounds: KustomizeBounds = {}): string {
  try {
    return build(new BuildContext(bounds), files instanceof Map ? new FileTree(files) : (files as Tree), path);
  } catch (cause) {
    // The stack has ended: only very deep input does that.
    if (cause instanceof RangeError) throw new BoundError('kustomization is nested too deeply', { cause });
    throw cause;
  }
}

function build(context: BuildContext, tree: Tree, path: string): string {
  const target = new Target(context, Loader.at(context, tree, path));
  target.chooseSchema(true);
  const { resources, config, variables } = target.accumulate();
  hashNames(resources.list);
  fixNameReferences(context, resources, config.nameReference);
  resolveVariables(context, resources, variables, config.varReference);
  dropLocal(resources);

  const { sortOptions, buildMetadata = [] } = target.kustomization;
  sortResources(resources, sortOptions);
  if (buildMetadata.includes('managedByLabel')) labelAsManaged(resources);
  for (const resource of resources.list) {
    resource.removeBuildAnnotations();
    if (!buildMetadata.includes('originAnnotations')) setOrigin(resource, undefined);
    if (!buildMetadata.includes('transformerAnnotations')) clearTransformations(resource);
  }
  return print(context, resources);
}

/** Leaves out what is only there for other tools. */
function dropLocal(resources: ResourceMap): void {
  resources.dropEmpty();
  resources.list = resources.list.filter(resource => {
    checkMetadata(resource.node!);
    const local = resource.annotations().get('config.kubernetes.io/local-config');
    return local === undefined || local === 'false';
  });
}

function labelAsManaged(resources: ResourceMap): void {
  const spec = { group: '', version: '', kind: '', path: 'metadata/labels', create: true };
  for (const { node } of resources.list) {
    const set = entrySetter('app.kubernetes.io/managed-by', `kustomize-${kustomizeVersion}`, tags.str);
    if (node) changeField(node, spec, { set, createKind: 'mapping', createTag: tags.map });
  }
}

function print(context: BuildContext, resources: ResourceMap): string {
  const documents: string[] = [];
  let size = 0;
  for (const resource of resources.list) {
    context.checkTime();
    const text = within(`cannot print ${idText(resource.id)}`, () => resource.print());
    size += text.length;
    if (size > context.bounds.maxOutputBytes) throw new BoundError(`kustomization gives more than ${context.bounds.maxOutputBytes} bytes`);
    documents.push(text);
  }
  return documents.join('---\n');
}
