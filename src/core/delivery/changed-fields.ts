import { lastAppliedAnnotation, type KubeObject } from '../../api/object.ts';
import type { PlannedField } from '../../api/work.ts';
import { getMember, isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { printPath, type Step } from './drift-path.ts';
import { shownAt } from './find-drift.ts';

/** A field that is not the same before and after. */
export interface FieldChange {
  readonly steps: readonly Step[];
  /** Undefined: it is new. */
  readonly before: Json | undefined;
  /** Undefined: it is gone. */
  readonly after: Json | undefined;
}

/** What servers note by themselves. */
const noted = new Set(['managedFields', 'resourceVersion', 'generation', 'uid', 'creationTimestamp']);

/** Every field of an object that a write would change, as deep as both sides have the same form. Status is not among them. */
export function findChanges(before: KubeObject, after: KubeObject): FieldChange[] {
  const found: FieldChange[] = [];
  compare(substance(before), substance(after), []);
  return found;

  function compare(a: Json | undefined, b: Json | undefined, steps: readonly Step[]): void {
    if (jsonEqual(a, b)) return;
    if (isJsonObject(a) && isJsonObject(b)) {
      for (const field of new Set([...Object.keys(a), ...Object.keys(b)]))
        compare(getMember(a, field), getMember(b, field), [...steps, { field }]);
      return;
    }
    if (Array.isArray(a) && Array.isArray(b)) return compareLists(a, b, steps);
    found.push({ steps, before: a, after: b });
  }

  function compareLists(a: readonly Json[], b: readonly Json[], steps: readonly Step[]): void {
    const [left, right] = [byName(a), byName(b)];
    if (left && right) {
      for (const name of new Set([...left.keys(), ...right.keys()]))
        compare(left.get(name), right.get(name), [...steps, { keys: { name } }]);
      return;
    }
    if (a.length !== b.length) return void found.push({ steps, before: [...a], after: [...b] });
    a.forEach((item, index) => compare(item, b[index], [...steps, { index }]));
  }
}

/** The fields as people may see them. */
export const plannedFields = (live: KubeObject, next: KubeObject): PlannedField[] =>
  findChanges(live, next).map(({ steps, before, after }) => {
    const show = shownAt(next, steps);
    return {
      path: printPath(steps),
      ...(before !== undefined && { have: show(before) }),
      ...(after !== undefined && { want: show(after) }),
    } as PlannedField;
  });

function substance({ metadata, status: _status, ...rest }: KubeObject & { status?: unknown }): JsonObject {
  const kept = Object.entries(metadata).filter(([name]) => !noted.has(name) && name !== 'annotations');
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => name !== lastAppliedAnnotation);
  return {
    ...rest,
    metadata: { ...Object.fromEntries(kept), ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }) },
  } as unknown as JsonObject;
}

/** Items by their names, where each has one of its own. */
function byName(items: readonly Json[]): ReadonlyMap<string, Json> | undefined {
  const named = new Map<string, Json>();
  for (const item of items) {
    const name = isJsonObject(item) ? item['name'] : undefined;
    if (typeof name !== 'string' || named.has(name)) return undefined;
    named.set(name, item);
  }
  return named;
}
