import type { ClusterEntry, RolloutState } from '../../api/rollout.ts';
import { entriesOf } from './cluster-states.ts';
import { waveOfLatecomer } from './plan-waves.ts';
import { move, type Draft } from './rollout-step.ts';

const removed = 'ClusterRemoved';

/** Clusters that went are left out, and those that came are taken in. A rollout never ends because of that. */
export function followMembers(draft: Draft): void {
  const { state, clusters } = draft;
  const known = new Map(entriesOf(state).map(entry => [entry.name, entry]));
  for (const entry of known.values()) {
    if (!clusters.has(entry.name) && entry.state !== 'Skipped') {
      const { revision } = entry;
      move(entry, 'Skipped', { reason: removed });
      // Where it was is no fact about it any more.
      if (revision !== undefined) delete entry.revision;
    }
  }
  for (const cluster of clusters.values()) {
    const entry = known.get(cluster.name);
    if (entry && !(entry.state === 'Skipped' && entry.reason === removed)) continue;
    if (entry) forget(state, entry);
    if (isUnderWay(state) && (draft.spec.latecomers ?? 'Append') === 'Append') append(draft, cluster.name);
  }
}

const isUnderWay = ({ phase }: RolloutState): boolean => phase === 'Progressing' || phase === 'Soaking' || phase === 'Paused';

function forget({ waves }: RolloutState, entry: ClusterEntry): void {
  for (const wave of waves) wave.clusters = wave.clusters.filter(one => one !== entry);
}

/** It has the verified revision until its wave, or what is left of the rollout, takes it along. */
function append({ state, clusters, spec }: Draft, name: string): void {
  const wanted = waveOfLatecomer(clusters.get(name)!, spec);
  const wave = state.waves.find(one => one.name === wanted) ?? state.waves.at(-1)!;
  const isLeftOut = wanted === undefined;
  wave.clusters.push(isLeftOut ? { name, state: 'Skipped', reason: 'NotSelected' } : { name, state: 'Pending' });
}
