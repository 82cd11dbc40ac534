import { restoredFields, workAnnotations, type Work } from '../../api/work.ts';
import { sourceDigest, sourceOf } from '../../core/sources/wanted-content.ts';
import { jsonEqual, type JsonObject } from '../../util/json.ts';

/** The changes, as a JSON patch, that bring an earlier spec back. Empty when the Work has it already. */
export function patchTo(data: JsonObject, work: Work): JsonObject[] {
  const present = work.spec as unknown as JsonObject;
  const changes = restoredFields.flatMap((field): JsonObject[] => {
    const [old, now] = [data[field], present[field]];
    if (jsonEqual(old, now)) return [];
    if (old === undefined) return [{ op: 'remove', path: `/spec/${field}` }];
    return [{ op: 'add', path: `/spec/${field}`, value: old }];
  });
  if (changes.length === 0) return [];
  // Whoever else has changed the spec since must not be undone unseen. Its status may change at any moment, and does not count.
  const test = { op: 'test', path: '/metadata/generation', value: work.metadata.generation ?? 1 };
  return [test, ...changes, ...sourceChange(data, work)];
}

/** The bytes of then are meant, not those that the source would give for the same version today. */
function sourceChange(data: JsonObject, work: Work): JsonObject[] {
  if (work.metadata.annotations?.[workAnnotations.contentOf] === undefined) return [];
  const { chart: _chart, kustomization: _kustomization, ...rest } = work.spec;
  const source = sourceOf({ ...work, spec: { ...rest, ...data } });
  const path = `/metadata/annotations/${workAnnotations.contentOf.replaceAll('/', '~1')}`;
  return [source ? { op: 'add', path, value: sourceDigest(source) } : { op: 'remove', path }];
}
