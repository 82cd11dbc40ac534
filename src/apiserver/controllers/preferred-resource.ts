import type { GroupResource } from '../../api/object.ts';
import type { Catalog } from '../cluster-api.ts';
import type { Resource } from '../resource.ts';

/** Finds the preferred version of a resource: a lookup table that is rebuilt when the catalog changes. */
export function preferredResources(catalog: Catalog): { find(gr: GroupResource): Resource | undefined; all(): Iterable<Resource> } {
  let generation = -1;
  let table = new Map<string, Resource>();

  return { find: gr => current().get(`${gr.group}/${gr.resource}`), all: () => current().values() };

  function current(): Map<string, Resource> {
    if (generation === catalog.generation) return table;
    generation = catalog.generation;
    table = new Map();
    for (const resource of catalog.all()) {
      const key = `${resource.group}/${resource.resource}`;
      if (!table.has(key)) table.set(key, resource);
    }
    return table;
  }
}
