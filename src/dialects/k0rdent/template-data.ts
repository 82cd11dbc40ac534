import type { KubeObject } from '../../api/object.ts';
import { parseApiVersion } from '../../api/object.ts';
import { refText, type ObjectRef } from '../../core/delivery/object-ref.ts';
import type { Matters } from '../../core/references/followed-objects.ts';
import type { RenderPool } from '../../render/render-pool.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { clusterProviders } from './cluster-providers.ts';
import type { TemplateResourceRef } from './effective-config.ts';

/** What templates of a set see and may ask for. */
export interface TemplateData {
  readonly dot: JsonObject;
  readonly objects: Readonly<Record<string, JsonObject>>;
}

/** Where templates are run, and where the objects come from that they name. */
export interface TemplateSource {
  /** Of the set: what is named without a namespace lies there. */
  readonly namespace: string;
  /** Whether objects of other namespaces may be named. */
  readonly reachesAll: boolean;
  readonly renderer: Pick<RenderPool, 'renderText' | 'renderMap'>;
  /** `matters` tells which changes of the object are worth another look; all when absent. */
  read(ref: ObjectRef, matters?: Matters): Promise<KubeObject | undefined>;
}

/** The cluster, what is behind it, and the objects that are named. Those that may be missing are left out when they are. */
export async function readTemplateData(
  refs: readonly TemplateResourceRef[],
  cluster: JsonObject,
  source: TemplateSource,
): Promise<TemplateData> {
  const behind = await clusterProviders(cluster, source);
  const objects: Record<string, JsonObject> = {};
  for (const { identifier, resource, optional, ...watched } of refs) {
    const ref = await resourceRef(resource, identifier, { dot: { Cluster: cluster, ...behind }, objects: {} }, source);
    const obj = await source.read(ref, mattersTo(watched));
    if (obj) objects[identifier] = obj as unknown as JsonObject;
    else if (!optional) throw new Error(`resource "${identifier}" is missing: ${ref.kind} ${ref.namespace}/${ref.name}`);
  }
  return { dot: { Cluster: cluster, ...behind, MgmtResources: objects }, objects };
}

/** A text that may be a template, run over what templates of the set see. `name` is what errors call it. */
export async function fillText(name: string, text: string, data: TemplateData, { renderer }: TemplateSource): Promise<string> {
  return isTemplate(text) ? renderer.renderText({ name, text, ...data }) : text;
}

export const isTemplate = (text: string): boolean => text.includes('{{');

/** Names and namespaces may be templates over the cluster. */
async function resourceRef(
  resource: TemplateResourceRef['resource'],
  identifier: string,
  data: TemplateData,
  source: TemplateSource,
): Promise<ObjectRef> {
  const { apiVersion = 'v1', kind = '' } = resource;
  const fill = (text: string) => fillText(`templateResourceRefs.${identifier}`, text, data, source);
  const namespace = (await fill(resource.namespace ?? '')) || source.namespace;
  const ref = { ...parseApiVersion(apiVersion), kind, namespace, name: await fill(resource.name ?? '') };
  checkReach('templateResourceRefs', ref, source);
  return ref;
}

/** What lies in another namespace than the set, whose owner may not reach that far. */
export class ReachError extends Error {
  override name = 'ReachError';
}

/** What tenants own is read with the rights of the hub, so it must not lead out of their namespace. `where` is the field that names it. */
export function checkReach(
  where: string,
  ref: ObjectRef,
  { namespace, reachesAll }: Pick<TemplateSource, 'namespace' | 'reachesAll'>,
): void {
  if (ref.namespace === namespace || reachesAll) return;
  throw new ReachError(`${where} may name objects of namespace ${namespace} only, not ${refText(ref)}`);
}

/** Which changes of a named object its users must hear of. */
function mattersTo({
  ignoreStatusChanges,
  watchFields = [],
}: Pick<TemplateResourceRef, 'ignoreStatusChanges' | 'watchFields'>): Matters | undefined {
  if (watchFields.length > 0) return (old, now) => watchFields.some(path => !jsonEqual(fieldAt(old, path), fieldAt(now, path)));
  if (ignoreStatusChanges) return (old, now) => !jsonEqual(withoutStatus(old), withoutStatus(now));
  return undefined;
}

function fieldAt(obj: KubeObject | undefined, path: string): Json | undefined {
  let value = obj as Json | undefined;
  for (const step of path.replace(/^\$?\.?/, '').split('.')) value = isJsonObject(value) ? value[step] : undefined;
  return value;
}

function withoutStatus(obj: KubeObject | undefined): object {
  if (!obj) return {};
  const { status: _status, metadata, ...rest } = obj as KubeObject & { status?: unknown };
  const { resourceVersion: _version, managedFields: _fields, ...kept } = metadata;
  return { ...rest, metadata: kept };
}
