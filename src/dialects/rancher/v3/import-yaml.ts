import { Namespace } from '../../../api/builtin-kinds.ts';
import { withType, type KindRef } from '../../../api/define-kind.ts';
import { parseApiVersion, type KubeObject } from '../../../api/object.ts';
import { fetchApiResources } from '../../../client/api-resources.ts';
import { DeliveryError } from '../../../core/delivery/delivery-error.ts';
import { parseManifests } from '../../../core/delivery/read-manifests.ts';
import type { JsonObject } from '../../../util/json.ts';
import { accessAnnotations } from '../access/access-names.ts';
import type { MemberApis } from './member/member-apis.ts';
import type { NormanContext } from './norman-context.ts';
import { invalidBody, invalidField } from './norman-error.ts';
import type { NormanAnswer } from './norman-type.ts';

export interface ImportYamlDeps {
  readonly members: MemberApis;
}

const manager = 'rancher-import-yaml';
const timeoutMs = 30_000;

/** What `importYaml` does: applies manifests to the cluster as the caller. Nothing is applied when something in them is unknown. */
export async function importYaml({ members }: ImportYamlDeps, ctx: NormanContext, clusterId: string): Promise<NormanAnswer> {
  const body = await ctx.body();
  const objects = parse(textOf(body, 'yaml'));
  const { client } = await members.open(ctx.caller, clusterId);
  const served = await fetchApiResources(client, ctx.signal);
  const placed = objects.map(obj => {
    const kind = served.find(one => isKindOf(one, obj));
    if (!obj.metadata.name) throw invalidField('MissingRequired', 'yaml', `${obj.kind}: metadata.name is missing`);
    if (!kind) throw invalidField('InvalidBodyContent', 'yaml', `the cluster does not know kind "${obj.kind}" of ${obj.apiVersion}`);
    return { kind, obj: place(obj, kind, body) };
  });
  const lines: string[] = [];
  for (const { kind, obj } of placed) {
    await client.apply(kind, obj, { fieldManager: manager, timeoutMs, signal: ctx.signal });
    lines.push(`${kind.resource}${kind.group === '' ? '' : `.${kind.group}`}/${obj.metadata.name} configured`);
  }
  return { status: 200, body: { type: 'importYamlOutput', baseType: 'importYamlOutput', message: `${lines.join('\n')}\n` } };
}

function parse(yaml: string): KubeObject[] {
  try {
    return parseManifests(yaml);
  } catch (error) {
    if (error instanceof DeliveryError) throw invalidBody(error.message);
    throw error;
  }
}

function isKindOf(kind: KindRef, obj: KubeObject): boolean {
  const { group, version } = parseApiVersion(obj.apiVersion);
  return kind.group === group && kind.version === version && kind.kind === obj.kind;
}

/** Where an object goes: one namespace for all, or another for those that name none. New namespaces join the project. */
function place(obj: KubeObject, kind: KindRef, body: JsonObject): KubeObject {
  const { metadata } = obj;
  const all = textOf(body, 'namespace');
  const fallback = textOf(body, 'defaultNamespace') || 'default';
  const project = textOf(body, 'projectName');
  if (kind.scope === 'Namespaced')
    return withType(kind, { ...obj, metadata: { ...metadata, namespace: all || (metadata.namespace ?? fallback) } });
  if (project === '' || kind.kind !== Namespace.kind || kind.group !== '') return obj;
  return { ...obj, metadata: { ...metadata, annotations: { ...metadata.annotations, [accessAnnotations.project]: project } } };
}

function textOf(body: JsonObject, field: string): string {
  const value = body[field] ?? '';
  if (typeof value !== 'string') throw invalidField('InvalidFormat', field, `${field} must be a string`);
  return value;
}
