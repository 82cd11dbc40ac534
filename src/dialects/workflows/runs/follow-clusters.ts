import { allClusters, stand, stateOf, type Draft } from './run-step.ts';

const over: ReadonlySet<string> = new Set(['Skipped', 'Succeeded', 'RolledBack', 'Aborted']);

/** Clusters that went are left out. A run never ends because of that. */
export function followClusters(draft: Draft): void {
  for (const id of allClusters(draft)) {
    if (draft.input.seeCluster(id) || over.has(stateOf(draft, id))) continue;
    stand(draft, id, { state: 'Skipped', reason: 'ClusterRemoved' });
  }
}
