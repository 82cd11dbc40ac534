import type { KubeObject } from '../../api/object.ts';
import { parseApiVersion } from '../../api/object.ts';
import type { ObjectRef } from '../../core/delivery/object-ref.ts';
import { errorText } from '../../util/error-text.ts';
import type { JsonObject } from '../../util/json.ts';
import type { TemplateResourceRef } from './effective-config.ts';
import type { SetService } from './kinds/service-set.ts';
import { mergeValues, readValuesDocument, renderTemplate, renderValues, type ValuesData } from './template-values.ts';
import { serviceKey } from './validate-services.ts';

/** On a ConfigMap or Secret with values: its documents are templates. */
const templateAnnotation = 'projectsveltos.io/template';

/** Which of two that say something different about a value is right. k0rdent documents the first and does the second. */
export type ValuesPrecedence = 'inline' | 'valuesFrom';

export interface ValuesSource {
  readonly namespace: string;
  readonly precedence: ValuesPrecedence;
  read(ref: ObjectRef): Promise<KubeObject | undefined>;
}

/** The objects that templates may ask for. Those that may be missing are left out when they are. */
export async function readResources(
  refs: readonly TemplateResourceRef[],
  cluster: JsonObject,
  { namespace, read }: ValuesSource,
): Promise<Record<string, KubeObject>> {
  const found: Record<string, KubeObject> = {};
  for (const { identifier, resource, optional } of refs) {
    const ref = resourceRef(resource, cluster, namespace);
    const obj = await read(ref);
    if (obj) found[identifier] = obj;
    else if (!optional) throw new Error(`resource "${identifier}" is missing: ${ref.kind} ${ref.namespace}/${ref.name}`);
  }
  return found;
}

/** Names and namespaces may be templates over the cluster. */
function resourceRef(resource: TemplateResourceRef['resource'], cluster: JsonObject, namespace: string): ObjectRef {
  const render = (text: string) => (text.includes('{{') ? renderTemplate(text, { cluster, resources: {} }) : text);
  const { apiVersion = 'v1', kind = '' } = resource;
  return {
    ...parseApiVersion(apiVersion),
    kind,
    namespace: render(resource.namespace ?? '') || namespace,
    name: render(resource.name ?? ''),
  };
}

/** The values of one service, or why there are none. */
export async function serviceValues(service: SetService, data: ValuesData, source: ValuesSource): Promise<JsonObject | Error> {
  try {
    const inline = renderValues(service.values ?? '', data);
    const { plain, templated } = await readDocuments(service, data, source);
    const order = source.precedence === 'inline' ? [...plain, ...templated, inline] : [inline, ...plain, ...templated];
    return order.reduce((under, over) => mergeValues(under, over), {});
  } catch (cause) {
    return new Error(`service ${serviceKey(service)}: ${errorText(cause)}`, { cause });
  }
}

async function readDocuments(service: SetService, data: ValuesData, { namespace, read }: ValuesSource) {
  const plain: JsonObject[] = [];
  const templated: JsonObject[] = [];
  for (const { kind, name } of service.valuesFrom ?? []) {
    const obj = await read({ group: '', version: 'v1', kind, namespace, name });
    if (!obj) throw new Error(`${kind} ${namespace}/${name} with values is missing`);
    const isTemplate = obj.metadata.annotations?.[templateAnnotation] !== undefined;
    for (const text of textsOf(obj)) {
      if (isTemplate) templated.push(renderValues(text, data));
      else plain.push(readValuesDocument(text));
    }
  }
  return { plain, templated };
}

/** The texts under all keys, in their order. */
function textsOf({ kind, data }: KubeObject): string[] {
  const entries = Object.entries((data ?? {}) as Record<string, string>).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([, text]) => (kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text));
}

/** Every object that the services of a set name. */
export function namedObjects(
  services: readonly SetService[],
  refs: readonly TemplateResourceRef[],
  cluster: JsonObject,
  namespace: string,
): ObjectRef[] {
  return [
    ...services.flatMap(one => (one.valuesFrom ?? []).map(({ kind, name }) => ({ group: '', version: 'v1', kind, namespace, name }))),
    ...refs.flatMap(({ resource }) => {
      try {
        return [resourceRef(resource, cluster, namespace)];
      } catch {
        return [];
      }
    }),
  ];
}
