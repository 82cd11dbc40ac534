import type { KubeObject } from '../../api/object.ts';
import { readMap } from '../../render/text/read-map.ts';
import { errorText } from '../../util/error-text.ts';
import type { JsonObject } from '../../util/json.ts';
import type { SetService } from './kinds/service-set.ts';
import { mergeValues } from '../../util/merge-values.ts';
import { isTemplate, type TemplateData, type TemplateSource } from './template-data.ts';
import { serviceKey } from './validate-services.ts';

/** On a ConfigMap or Secret: what it holds are templates. */
export const templateAnnotation = 'projectsveltos.io/template';

/** Which of two that say something different about a value is right. k0rdent documents the first and does the second. */
export type ValuesPrecedence = 'inline' | 'valuesFrom';

export interface ValuesSource extends TemplateSource {
  readonly precedence: ValuesPrecedence;
  /** What messages call the cluster. */
  readonly clusterName: string;
}

/** The values of one service, or why there are none. */
export async function serviceValues(service: SetService, data: TemplateData, source: ValuesSource): Promise<JsonObject | Error> {
  try {
    const inline = await readValues('values', service.values ?? '', data, source);
    const { plain, templated } = await readDocuments(service, data, source);
    const order = source.precedence === 'inline' ? [...plain, ...templated, inline] : [inline, ...plain, ...templated];
    return order.reduce((under, over) => mergeValues(under, over), {});
  } catch (cause) {
    return new Error(`service ${serviceKey(service)} on cluster ${source.clusterName}: ${errorText(cause)}`, { cause });
  }
}

/** Values that may be a template. A key that is missing is an error. */
async function readValues(name: string, text: string, data: TemplateData, { renderer }: ValuesSource): Promise<JsonObject> {
  return isTemplate(text) ? renderer.renderMap({ name, text, ...data }) : readMap(text);
}

async function readDocuments(service: SetService, data: TemplateData, source: ValuesSource) {
  const { namespace, read } = source;
  const plain: JsonObject[] = [];
  const templated: JsonObject[] = [];
  for (const { kind, name } of service.valuesFrom ?? []) {
    const obj = await read({ group: '', version: 'v1', kind, namespace, name });
    if (!obj) throw new Error(`${kind} ${namespace}/${name} with values is missing`);
    const hasTemplates = obj.metadata.annotations?.[templateAnnotation] !== undefined;
    for (const [key, text] of textsOf(obj)) {
      try {
        if (hasTemplates) templated.push(await readValues(key, text, data, source));
        else plain.push(readMap(text));
      } catch (cause) {
        throw new Error(`${kind} ${namespace}/${name}, key "${key}"`, { cause });
      }
    }
  }
  return { plain, templated };
}

/** The texts under all keys of a ConfigMap or Secret, in their order. */
export function textsOf({ kind, data }: KubeObject): [key: string, text: string][] {
  const entries = Object.entries((data ?? {}) as Record<string, string>).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, text]) => [key, kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text]);
}
