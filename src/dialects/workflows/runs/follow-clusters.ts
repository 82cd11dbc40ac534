import { allClusters, stand, stateOf, type Draft } from './run-step.ts';

const over: ReadonlySet<string> = new Set(['Skipped', 'Succeeded', 'RolledBack', 'Aborted']);

/** Clusters that went, are not meant any more, or are cordoned before the run came to them, are left out. A run never ends because of that. */
export function followClusters(draft: Draft): void {
  const { blind = [] } = draft.engine;
  for (const id of allClusters(draft)) {
    if (over.has(stateOf(draft, id))) continue;
    const seen = draft.input.seeCluster(id);
    const isThere = seen !== undefined && (seen.isMeant || blind.includes(id));
    if (!isThere) stand(draft, id, { state: 'Skipped', reason: 'ClusterRemoved' });
    else if (seen.isKeptAway) stand(draft, id, { state: 'Skipped', reason: 'ClusterCordoned' });
  }
}
