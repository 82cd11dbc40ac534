import type { KubeObject } from '../../api/object.ts';
import type { JsonObject } from '../../util/json.ts';
import type { ClusterTemplate, ServiceTemplate } from './kinds/template.ts';
import { builtInAnnotation } from './release-controller.ts';
import { originOf } from './template-origin.ts';

/** Whether it came with Drover, and so has no source. */
export const isBuiltInTemplate = ({ metadata }: KubeObject): boolean => metadata.annotations?.[builtInAnnotation] === 'true';

/** What a copy must say of itself besides its spec. */
export const copiedAnnotations = (template: KubeObject): Record<string, string> =>
  isBuiltInTemplate(template) ? { [builtInAnnotation]: 'true' } : {};

/**
 * The spec of a template of the system namespace for use in another: it names the same chart or source, which stays where it is. Undefined while its chart is
 * not known. A ConfigMap or a Secret is looked for in the namespace of the copy.
 */
export function copiedSpec(template: ServiceTemplate | ClusterTemplate): JsonObject | undefined {
  const spec = template.spec as JsonObject;
  if (isBuiltInTemplate(template)) return spec;
  const origin = originOf(template);
  if (origin.from === 'HelmChart') {
    const { namespace, name } = (template.status?.chartRef ?? {}) as { namespace?: string; name?: string };
    if (namespace === undefined || name === undefined) return undefined;
    return { ...spec, helm: { chartRef: { kind: 'HelmChart', namespace, name } } };
  }
  const { from, namespace, name } = origin;
  const isPlain = from === 'ConfigMap' || from === 'Secret';
  const localSourceRef = { kind: from, name, ...(!isPlain && { namespace }) };
  const withRef = (value: JsonObject): JsonObject => {
    const { remoteSourceSpec: _, ...rest } = value;
    return { ...rest, localSourceRef };
  };
  if (spec['kustomize']) return { ...spec, kustomize: withRef(spec['kustomize'] as JsonObject) };
  if (spec['resources']) return { ...spec, resources: withRef(spec['resources'] as JsonObject) };
  const { chartSource } = spec['helm'] as { chartSource: JsonObject };
  return { ...spec, helm: { chartSource: withRef(chartSource) } };
}
