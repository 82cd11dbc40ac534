import type { Json, JsonObject } from '../../../util/json.ts';

/** `{'approvedBy.name': 'ada'}` as expressions walk through it. */
export function nestedOutputs(flat: Readonly<Record<string, string>>): JsonObject {
  const tree: Record<string, Json> = {};
  for (const [path, value] of Object.entries(flat)) {
    const keys = path.split('.');
    let at = tree;
    for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Record<string, Json>;
    at[keys.at(-1)!] = value;
  }
  return tree;
}
