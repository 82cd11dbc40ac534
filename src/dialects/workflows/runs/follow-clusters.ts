import { allClusters, stand, stateOf, type Draft } from './run-step.ts';

const over: ReadonlySet<string> = new Set(['Skipped', 'Succeeded', 'RolledBack', 'Aborted']);

/** Clusters that went, or are not meant any more, are left out. A run never ends because of that. */
export function followClusters(draft: Draft): void {
  const { blind = [] } = draft.engine;
  for (const id of allClusters(draft)) {
    if (over.has(stateOf(draft, id))) continue;
    const seen = draft.input.seeCluster(id);
    const isThere = seen !== undefined && (seen.isMeant || blind.includes(id));
    if (isThere) continue;
    stand(draft, id, { state: 'Skipped', reason: 'ClusterRemoved' });
  }
}
