import { lastAppliedAnnotation, type KubeObject } from '../../api/object.ts';
import { escapeHtmlInJson } from '../../util/go-print.ts';
import { isJsonObject, parseJson, printJson, type Json, type JsonObject } from '../../util/json.ts';
import type { MergeType } from '../schema/merge-type.ts';
import { difference, type FieldSet } from './field-set.ts';
import { withoutManagedFields, type Write } from './managed-fields.ts';
import { compareTyped } from './typed-compare.ts';
import { fieldsOf } from './typed-set.ts';
import { validateTyped } from './typed-validate.ts';

const maxAnnotationBytes = 256 * 1024;

/**
 * For `kubectl apply --server-side` on an object made by client-side apply: takes from a set the fields that the annotation shows
 * to be kubectl's own. Undefined when the annotation says nothing.
 */
export function allowedByLastApplied({ live, apiVersion }: Write, type: MergeType): ((set: FieldSet) => FieldSet) | undefined {
  const text = live?.metadata.annotations?.[lastAppliedAnnotation];
  if (live === undefined || text === undefined || text === '') return undefined;
  try {
    const last = parseJson(text);
    if (!isJsonObject(last) || last['apiVersion'] !== apiVersion) return undefined;
    const current = withoutManagedFields(live);
    validateTyped(type, current);
    validateTyped(type, last);
    const { added, modified, removed } = compareTyped(type, last, current);
    const owned = difference(difference(difference(fieldsOf(type, last), modified), added), removed);
    return set => difference(set, owned);
  } catch {
    return undefined;
  }
}

/** Keeps the annotation of client-side apply in step when kubectl applies on the server. In place. */
export function refreshLastApplied(obj: KubeObject, applied: KubeObject): void {
  const annotations = obj.metadata.annotations;
  if (annotations === undefined || (annotations[lastAppliedAnnotation] ?? '') === '') return;
  annotations[lastAppliedAnnotation] = printLastApplied(applied);
  let bytes = 0;
  for (const key of Object.keys(annotations)) bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? '');
  if (bytes > maxAnnotationBytes) delete annotations[lastAppliedAnnotation];
}

function printLastApplied(applied: KubeObject): string {
  const { annotations, ...metadata } = applied.metadata;
  const kept: Record<string, string> = { ...annotations };
  delete kept[lastAppliedAnnotation];
  const stripped = { ...applied, metadata: annotations === undefined ? metadata : { ...metadata, annotations: kept } };
  return `${escapeHtmlInJson(printJson(sortKeys(stripped as unknown as Json)))}\n`;
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isJsonObject(value)) return value;
  const out: JsonObject = {};
  for (const key of Object.keys(value).sort()) out[key] = sortKeys(value[key] as Json);
  return out;
}
