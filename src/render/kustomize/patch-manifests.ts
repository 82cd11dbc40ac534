import { goQuote } from '../../util/go-quote.ts';
import { BuildContext, type KustomizeBounds } from './build-context.ts';
import { KustomizeError, within } from './kustomize-error.ts';
import { patchResource, readPatch, type Patch } from './patches.ts';
import { readResources } from './read-resources.ts';
import { ResourceMap } from './resource-map.ts';
import type { Resource } from './resource.ts';
import type { Selector } from './selector.ts';

export interface ManifestPatch {
  /** A strategic merge patch, or operations of RFC 6902. */
  readonly patch: string;
  /** Which objects. Without it a merge patch is for the object that it names itself. */
  readonly target?: Selector | undefined;
}

export interface PatchJob {
  /** Texts of YAML documents. */
  readonly documents: readonly string[];
  readonly patches: readonly ManifestPatch[];
  /** Of objects that name none. */
  readonly namespace: string;
}

/** What became of each document: nothing when it was deleted, several when it was a list. One that no patch was for is as it was, to the letter. */
export type PatchedManifests = readonly (readonly string[])[];

/** Applies patches one after the other, as kustomize does. A patch that fits no object changes none. Throws KustomizeError. */
export function patchManifests({ documents, patches, namespace }: PatchJob, bounds: KustomizeBounds = {}): PatchedManifests {
  const context = new BuildContext(bounds);
  const parts = documents.map(text => ({ text, resources: readResources(context, text) }));
  const placed = placeIn(
    namespace,
    parts.flatMap(({ resources }) => resources),
  );
  const before = new Map(parts.flatMap(({ resources }) => resources.map(one => [one, one.print()] as const)));
  const map = new ResourceMap(context, [...before.keys()]);
  patches.forEach(({ patch, target }, i) =>
    within(`patch ${i + 1}`, () => apply(map, readPatch(context, patch.trim(), `[patch: ${goQuote(patch.trim())}]`), target)),
  );
  const left = new Set(map.list);
  const texts = new Map([...left].map(one => [one, one.print()]));
  for (const resource of placed) if (resource.namespace === namespace) resource.setNamespace('');
  return parts.map(({ text, resources }) => {
    const isSame = resources.every(one => texts.get(one) === before.get(one));
    return isSame ? [text] : resources.filter(one => left.has(one)).map(printPatched);
  });
}

/** So that a target may name the namespace that objects will have. Answers those that named none. */
function placeIn(namespace: string, resources: readonly Resource[]): Resource[] {
  const placed = resources.filter(one => one.namespace === '' && !one.id.isClusterScoped);
  for (const resource of placed) resource.setNamespace(namespace);
  return placed;
}

function apply(map: ResourceMap, { merge, json }: Patch, target: Selector | undefined): void {
  if (json) {
    if (!target) throw new KustomizeError('must specify a target for JSON patch');
    for (const resource of select(map, target)) patchResource(resource, json);
    return;
  }
  if (target && merge.length > 1)
    throw new KustomizeError('Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set `patches.target` field');
  for (const patch of merge) map.applyMergePatch(select(map, target ?? ownTarget(patch)), patch);
}

const select = (map: ResourceMap, target: Selector): Resource[] => map.select({ ...target, ...named(target) });

/** People write a star for everything; as a pattern it is none. */
function named(target: Selector): Selector {
  const fields = ['group', 'version', 'kind', 'name', 'namespace'] as const;
  return Object.fromEntries(fields.filter(field => target[field] === '*').map(field => [field, '']));
}

function ownTarget({ gvk, name, namespace }: Resource): Selector {
  const exactly = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return {
    kind: exactly(gvk.kind),
    group: exactly(gvk.group),
    version: exactly(gvk.version),
    name: exactly(name),
    namespace: exactly(namespace),
  };
}

function printPatched(resource: Resource): string {
  resource.removeBuildAnnotations();
  return resource.print();
}
