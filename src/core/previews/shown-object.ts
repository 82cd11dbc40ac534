import { lastAppliedAnnotation, type KubeObject } from '../../api/object.ts';
import { isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';

/** An object before and after a delivery, as YAML. Empty where there is none. */
export interface ShownPair {
  readonly live: string;
  readonly merged: string;
}

/** What the server writes by itself, and what repeats the object. */
const noise = ['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp', 'selfLink'];

/** Both states without what changes on its own; of Secrets only whether values differ. */
export function showPair(live: KubeObject | undefined, merged: KubeObject | undefined): ShownPair {
  const [before, after] = [live, merged].map(obj => obj && withoutNoise(obj as unknown as JsonObject));
  const [shownBefore, shownAfter] = isSecret(live ?? merged) ? maskValues(before, after) : [before, after];
  return { live: yamlOf(shownBefore), merged: yamlOf(shownAfter) };
}

const yamlOf = (value: JsonObject | undefined): string => (value === undefined ? '' : writeYaml(value));

const isSecret = (obj: KubeObject | undefined): boolean => obj?.kind === 'Secret' && obj.apiVersion === 'v1';

/** A delivery never changes a status. */
function withoutNoise({ status: _, ...obj }: JsonObject): JsonObject {
  const metadata = isJsonObject(obj['metadata']) ? { ...obj['metadata'] } : {};
  for (const field of noise) delete metadata[field];
  if (isJsonObject(metadata['annotations'])) {
    // It holds the whole object once more, the values of Secrets included.
    const { [lastAppliedAnnotation]: _applied, ...annotations } = metadata['annotations'];
    if (Object.keys(annotations).length > 0) metadata['annotations'] = annotations;
    else delete metadata['annotations'];
  }
  return { ...obj, metadata };
}

type Maybe = JsonObject | undefined;

/** `***` for each value; where it differs, before and after can be told apart. */
function maskValues(before: Maybe, after: Maybe): [Maybe, Maybe] {
  let [left, right] = [before, after];
  for (const field of ['data', 'stringData']) {
    const [old, young] = [before?.[field], after?.[field]];
    const mask = (values: Json | undefined, others: Json | undefined, mark: string): Json | undefined => {
      if (!isJsonObject(values)) return values === undefined || values === null ? values : '***';
      return Object.fromEntries(
        Object.entries(values).map(([key, value]) => {
          const other = isJsonObject(others) ? others[key] : undefined;
          return [key, other === undefined || jsonEqual(value, other) ? '***' : `*** (${mark})`];
        }),
      );
    };
    left = withField(left, field, mask(old, young, 'before'));
    right = withField(right, field, mask(young, old, 'after'));
  }
  return [left, right];
}

const withField = (obj: Maybe, field: string, value: Json | undefined): Maybe =>
  obj === undefined || value === undefined ? obj : { ...obj, [field]: value };
