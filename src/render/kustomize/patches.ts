import { goQuote } from '../../util/go-quote.ts';
import { isJsonObject, parseJson, type Json } from '../../util/json.ts';
import type { BuildContext } from './build-context.ts';
import { applyJsonPatch, decodeJsonPatch, type JsonPatch } from './json-patch.ts';
import { BoundError, KustomizeError, within } from './kustomize-error.ts';
import { parseYaml, type PatchArgs } from './kustomization.ts';
import type { Loader } from './loader.ts';
import { jsonToNode, nodeToJson } from './node-json.ts';
import { readResources } from './read-resources.ts';
import { idText } from './res-id.ts';
import type { ResourceMap } from './resource-map.ts';
import { buildAnnotations, type Resource } from './resource.ts';
import type { Selector } from './selector.ts';

type Transform = (resources: ResourceMap) => void;

/** A patch of the `patches` field: what it holds tells whether it is a merge patch or JSON operations. */
export function makePatch(context: BuildContext, loader: Loader, args: PatchArgs): Transform {
  const inline = (args.patch ?? '').trim();
  const { path = '', target, options = {} } = args;
  if (inline === '' && path === '') throw new KustomizeError('must specify one of patch and path in\n');
  if (inline !== '' && path !== '') throw new KustomizeError("patch and path can't be set at the same time\n");
  const source = inline !== '' ? `[patch: ${goQuote(inline)}]` : `[path: ${goQuote(path)}]`;
  const text = inline !== '' ? inline : within(`failed to get the patch file from path(${path})`, () => loader.loadText(path));

  const { merge, json } = readPatch(context, text, source);
  if (!merge) return resources => applyOperations(resources, json, target, source);
  for (const patch of merge) {
    if (options.allowNameChange) patch.enable(buildAnnotations.allowNameChange);
    if (options.allowKindChange) patch.enable(buildAnnotations.allowKindChange);
  }
  return merge.length === 0 ? () => undefined : resources => applyMerges(resources, merge, target, source);
}

/** What a patch is: objects to merge, or operations. */
export type Patch = { readonly merge: Resource[]; readonly json?: undefined } | { readonly merge?: undefined; readonly json: JsonPatch };

/** `source` is what errors call it. */
export function readPatch(context: BuildContext, text: string, source: string): Patch {
  const merge = attempt(() => readResources(context, text));
  const json = attempt(() => decodeJsonPatch(parseOperations(text)));
  if (merge && json && merge.length > 0 && json.length > 0) {
    throw new KustomizeError(`illegally qualifies as both an SM and JSON patch: ${source}`);
  }
  if (merge) return { merge };
  if (json) return { json };
  throw new KustomizeError(`unable to parse SM or JSON patch from ${source}`);
}

/** The value, or undefined when it cannot be had. Bounds are no reason to try another way. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof KustomizeError && !(error instanceof BoundError)) return undefined;
    throw error;
  }
}

function parseOperations(text: string): Json {
  if (text === '') throw new KustomizeError('empty json patch operations');
  if (!text.startsWith('[')) return parseYaml(text);
  try {
    return parseJson(text);
  } catch (cause) {
    throw new KustomizeError((cause as Error).message, { cause });
  }
}

function applyMerges(resources: ResourceMap, patches: readonly Resource[], target: Selector | undefined, source: string): void {
  if (target) {
    if (patches.length > 1) {
      throw new KustomizeError(
        `Multiple Strategic-Merge Patches in one \`patches\` entry is not allowed to set \`patches.target\` field: ${source}`,
      );
    }
    const selected = within('unable to find patch target in `resources`', () => resources.select(target));
    resources.applyMergePatch(selected, patches[0]!);
    return;
  }
  for (const patch of patches) {
    const id = patch.originalId;
    const found = within(`no resource matches strategic merge patch ${goQuote(idText(id))}`, () => resources.oneWithAnyId(id));
    found.applyMergePatch(patch);
  }
}

function applyOperations(resources: ResourceMap, patch: JsonPatch, target: Selector | undefined, source: string): void {
  if (!target) throw new KustomizeError(`must specify a target for JSON patch ${source}`);
  for (const resource of resources.select(target)) {
    resource.storePreviousId();
    patchResource(resource, patch);
  }
}

export function patchResource(resource: Resource, patch: JsonPatch): void {
  const kept = resource.internalAnnotations();
  const patched = applyJsonPatch(nodeToJson(resource.node), patch);
  if (!isJsonObject(patched)) throw new KustomizeError('json: cannot unmarshal array into Go value of type map[string]interface {}');
  resource.node = jsonToNode(patched);
  resource.setAnnotations(new Map([...resource.annotations(), ...kept]));
}

/** The older `patchesJson6902`. */
export function makeJsonPatch(loader: Loader, { path = '', patch = '', target }: PatchArgs): Transform {
  if (!target?.name) throw new KustomizeError('must specify the target name');
  if (path === '' && patch === '') throw new KustomizeError('empty file path and empty jsonOp');
  if (path !== '' && patch !== '') throw new KustomizeError('must specify a file path or jsonOp, not both');
  const text = path === '' ? patch : loader.loadText(path);
  if (text === '') throw new KustomizeError(`patch file '${path}' empty seems to be empty`);
  const value = parseOperations(text);
  const operations = within(`decoding ${text}`, () => decodeJsonPatch(value));
  if (operations.length === 0) throw new KustomizeError(`patch appears to be empty; file=${path}, JsonOp=${text}`);
  return resources => {
    for (const resource of resources.select(target)) patchResource(resource, operations);
  };
}

/** The older `patchesStrategicMerge`: files, or the patches themselves. */
export function makeMergePatches(context: BuildContext, loader: Loader, paths: readonly string[], text = ''): Transform {
  if (paths.length === 0 && text === '') throw new KustomizeError('empty file path and empty patch content');
  const patches = paths.flatMap(path => attempt(() => readResources(context, path)) ?? readPatchFile(context, loader, path));
  if (text !== '') patches.push(...readResources(context, text));
  if (patches.length === 0) throw new KustomizeError(`patch appears to be empty; files=[${paths.join(' ')}], Patch=${text}`);
  return resources => {
    for (const patch of patches) resources.applyMergePatch([resources.oneWithAnyId(patch.originalId)], patch);
  };
}

function readPatchFile(context: BuildContext, loader: Loader, path: string): Resource[] {
  const text = loader.loadText(path);
  try {
    return readResources(context, text);
  } catch (error) {
    throw malformed(error, path);
  }
}

/** Malformed YAML is told with the name of its file. */
export function malformed(error: unknown, path: string): unknown {
  if (!(error instanceof KustomizeError) || error instanceof BoundError || !error.message.includes('MalformedYAMLError')) return error;
  return new KustomizeError(`${error.message} in File: ${path}`, { cause: error });
}
