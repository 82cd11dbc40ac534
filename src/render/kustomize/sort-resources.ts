import { KustomizeError } from './kustomize-error.ts';
import type { SortOptions } from './kustomization.ts';
import { compareText, gvkSortText, gvkText, kindRanks, orderFirst, orderLast, sameGvk, type ResId } from './res-id.ts';
import type { ResourceMap } from './resource-map.ts';

/** Puts resources in the order asked for: by kind (`legacy`, also when nothing is asked), or as they came (`fifo`). */
export function sortResources(resources: ResourceMap, options: SortOptions = { order: 'legacy' }): void {
  const { order = '', legacySortOptions } = options;
  if (order !== 'fifo' && order !== 'legacy') throw new KustomizeError("the field 'sortOptions.order' must be one of [fifo, legacy]");
  if (order === 'fifo') {
    if (!legacySortOptions) return;
    throw new KustomizeError("the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'");
  }
  const { orderFirst: first = [], orderLast: last = [] } = legacySortOptions ?? { orderFirst, orderLast };
  const ranks = kindRanks(first, last);
  resources.list = resources.list
    .map(resource => ({ resource, id: resource.id }))
    .sort((a, b) => compareIds(a.id, b.id, ranks))
    .map(({ resource }) => resource);
}

function compareIds(a: ResId, b: ResId, ranks: ReadonlyMap<string, number>): number {
  if (sameGvk(a, b)) return compareText(idSortText(a), idSortText(b));
  const byRank = (ranks.get(a.kind) ?? 0) - (ranks.get(b.kind) ?? 0);
  if (byRank !== 0) return byRank;
  const byText = compareText(gvkSortText(a), gvkSortText(b));
  // The real Namespace goes before those of other groups.
  return a.kind === 'Namespace' && b.kind === 'Namespace' && (a.group === '' || b.group === '') ? -byText : byText;
}

const idSortText = (id: ResId): string => `${gvkText(id)}|${id.namespace || '~X'}|${id.name || '~N'}`;
