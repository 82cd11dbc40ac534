import { createHash } from 'node:crypto';
import { lastAppliedAnnotation, type KubeObject } from '../../../api/object.ts';
import { isJsonObject, printJson, sortKeys, type Json } from '../../../util/json.ts';
import { isCore } from '../release/pod-template.ts';

/** Which of them the server writes itself. */
const serverFields = new Set(['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink']);
const volatileMarks = new Set(['kubernetes.io/change-cause', 'drover.io/work', 'deployment.kubernetes.io/revision', lastAppliedAnnotation]);

/** What people mean by an object. Of Secrets only whether a value is another one. */
export function substance(obj: KubeObject): Json {
  const { status: _status, metadata, ...rest } = obj as unknown as Record<string, Json>;
  const kept = Object.entries(metadata as Record<string, Json>).filter(([field]) => !serverFields.has(field));
  const { annotations, ...others } = Object.fromEntries(kept) as Record<string, Json>;
  const marks = Object.entries(isJsonObject(annotations) ? annotations : {}).filter(([key]) => !volatileMarks.has(key));
  const plain = { ...rest, metadata: { ...others, ...(marks.length > 0 && { annotations: Object.fromEntries(marks) }) } };
  return (isCore(obj, 'Secret') ? masked(plain) : plain) as Json;
}

function masked(secret: Record<string, unknown>): Record<string, unknown> {
  const hashed = (values: unknown) =>
    Object.fromEntries(Object.entries(isJsonObject(values) ? values : {}).map(([key, value]) => [key, hashOf(value)]));
  return { ...secret, ...(secret['data'] !== undefined && { data: hashed(secret['data']) }) };
}

const hashOf = (value: Json): string => `sha256:${createHash('sha256').update(String(value)).digest('hex').slice(0, 16)}`;

/** Two that differ in nothing that people mean have the same. Empty for what is not there. */
export const substanceDigest = (obj: KubeObject | undefined): string => (obj ? hashOf(printJson(sortKeys(substance(obj)))) : '');
