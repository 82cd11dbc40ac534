import type { KubeObject } from '../../../api/object.ts';

/** Takes top-level fields from the stored object, which a writer of this subresource may not change. In place. */
export function keepFields(obj: KubeObject, old: KubeObject, names: readonly string[]): void {
  for (const name of names) {
    if (old[name] === undefined) delete obj[name];
    else obj[name] = old[name];
  }
}
