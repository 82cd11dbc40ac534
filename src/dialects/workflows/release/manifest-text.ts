import { lastAppliedAnnotation, type KubeObject } from '../../../api/object.ts';
import { isJsonObject, type Json } from '../../../util/json.ts';
import { writeYaml } from '../../../yaml/write-yaml.ts';
import { isCore } from './pod-template.ts';

/** One text of YAML documents. */
export const manifestText = (objects: readonly KubeObject[]): string =>
  objects.map(obj => `---\n${writeYaml(obj as unknown as Json)}`).join('');

/** The same for logs, without what Secrets hold. */
export const maskedText = (objects: readonly KubeObject[]): string => manifestText(objects.map(masked));

function masked(obj: KubeObject): KubeObject {
  if (!isCore(obj, 'Secret')) return obj;
  const hidden = (field: 'data' | 'stringData'): Record<string, unknown> => {
    const values = obj[field];
    return isJsonObject(values) ? { [field]: Object.fromEntries(Object.keys(values).map(key => [key, '***'])) } : {};
  };
  const annotations = Object.entries(obj.metadata.annotations ?? {}).filter(([key]) => key !== lastAppliedAnnotation);
  const metadata = obj.metadata.annotations ? { ...obj.metadata, annotations: Object.fromEntries(annotations) } : obj.metadata;
  return { ...obj, metadata, ...hidden('data'), ...hidden('stringData') };
}
