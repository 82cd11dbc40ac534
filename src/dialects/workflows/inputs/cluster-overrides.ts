import { selectorTest } from '../../../api/label-selector.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { RenderPool } from '../../../render/render-pool.ts';
import { isJsonObject, printJson, setMember, type Json, type JsonObject } from '../../../util/json.ts';
import { mergePatch } from '../../../util/merge-patch.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import { readValue } from '../../../yaml/read-document.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/render-text.ts';
import type { ResolvedCluster } from '../infrastructure/resolved-cluster.ts';
import type { ClusterOverride } from '../kinds/infrastructure-definition.ts';
import { InputError, inputReasons } from './input-error.ts';

type Patch = NonNullable<ClusterOverride['patches']>[number];

/** A change to what was rendered, with its expressions rendered. */
export interface ObjectPatch {
  readonly type: 'merge' | 'json6902' | 'strategic';
  readonly target: Patch['target'];
  readonly patch: string;
}

/** What differs on one cluster. */
export interface ClusterDifference {
  /** Later ones win. */
  readonly values: readonly JsonObject[];
  readonly patches: readonly ObjectPatch[];
}

/** What an infrastructure says of this cluster. Throws UnresolvedExpression. */
export function differenceOf(
  overrides: readonly ClusterOverride[],
  { labels }: ResolvedCluster,
  scope: ExpressionScope,
): ClusterDifference {
  const own = overrides.filter(({ clusterSelector }) => !clusterSelector || selectorTest(clusterSelector)(labels));
  return {
    values: own.flatMap(({ values }) => (values ? [renderJson(values, scope) as JsonObject] : [])),
    patches: own.flatMap(({ patches = [] }) =>
      patches.map(({ type = 'strategic', target, patch }) => ({ type, target, patch: patchText(patch as Json, scope) })),
    ),
  };
}

const patchText = (patch: Json, scope: ExpressionScope): string =>
  typeof patch === 'string' ? renderText(patch, scope) : printJson(renderJson(patch, scope));

/** The same with the expressions of all its texts rendered. */
export function renderJson(value: Json, scope: ExpressionScope): Json {
  if (typeof value === 'string') return renderText(value, scope);
  if (Array.isArray(value)) return value.map(one => renderJson(one, scope));
  if (!isJsonObject(value)) return value;
  const rendered: JsonObject = {};
  for (const key of Object.keys(value)) setMember(rendered, key, renderJson(value[key]!, scope));
  return rendered;
}

/** Applies patches one after the other. One that fits no object changes none. Throws InputError, or RenderError. */
export async function patchObjects(
  renderer: Pick<RenderPool, 'patch'>,
  objects: readonly KubeObject[],
  { patches, namespace }: { readonly patches: readonly ObjectPatch[]; readonly namespace: string },
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  let patched = objects;
  for (const patch of patches) {
    patched =
      patch.type === 'merge' ? mergeInto(patched, patch, namespace) : await patchDocuments(renderer, patched, patch, namespace, signal);
  }
  return patched;
}

async function patchDocuments(
  renderer: Pick<RenderPool, 'patch'>,
  objects: readonly KubeObject[],
  { target, patch }: ObjectPatch,
  namespace: string,
  signal: AbortSignal,
): Promise<KubeObject[]> {
  const documents = objects.map(obj => printJson(obj));
  const answers = await renderer.patch({ documents, patches: [{ patch: withIdentity(patch, target), target }], namespace }, signal);
  return objects.flatMap((obj, i) => answers[i]!.flatMap(text => (text === documents[i] ? [obj] : parseManifests(text))));
}

/** A patch must look like an object; where a target says which are meant, what it calls itself does not matter. */
function withIdentity(patch: string, target: Patch['target']): string {
  const value = target && readValue(patch);
  if (!isJsonObject(value) || (value['kind'] !== undefined && isJsonObject(value['metadata']))) return patch;
  const { kind = 'Any', name = 'any' } = target!;
  return printJson(mergePatch({ apiVersion: 'v1', kind, metadata: { name } }, value));
}

function mergeInto(objects: readonly KubeObject[], { target, patch }: ObjectPatch, namespace: string): KubeObject[] {
  const body = parsePatch(patch);
  const isMeant = targetTest(target ?? ownTarget(body), namespace);
  return objects.map(obj => (isMeant(obj) ? (mergePatch(obj as unknown as JsonObject, body) as unknown as KubeObject) : obj));
}

function parsePatch(text: string): JsonObject {
  const value = readValue(text);
  if (isJsonObject(value)) return value;
  throw new InputError(inputReasons.renderFailed, 'A merge patch must be a map');
}

type Target = NonNullable<Patch['target']>;

function ownTarget({ apiVersion, kind, metadata }: JsonObject): Target {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  if (typeof kind !== 'string' || typeof name !== 'string')
    throw new InputError(inputReasons.renderFailed, 'A merge patch without a target must have kind and metadata.name');
  return { kind, name, ...(typeof apiVersion === 'string' && { group: groupOf(apiVersion) }) };
}

const groupOf = (apiVersion: string): string => (apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '');

/** Words are taken for what they are: absent, empty or a star mean all. */
function targetTest({ group, kind, name, namespace }: Target, fallback: string): (obj: KubeObject) => boolean {
  const fits = (wanted: string | undefined, value: string) => wanted === undefined || wanted === '' || wanted === '*' || wanted === value;
  return obj =>
    fits(group, groupOf(obj.apiVersion)) &&
    fits(kind, obj.kind) &&
    fits(name, obj.metadata.name ?? '') &&
    fits(namespace, obj.metadata.namespace ?? fallback);
}
