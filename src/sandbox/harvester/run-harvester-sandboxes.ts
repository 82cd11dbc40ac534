import type { Cluster } from '../../api/cluster.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { MemberDirectory } from '../../core/clusters/member-directory.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import type { Informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import type { Egress } from '../../sources/egress.ts';
import { runClusterRegistration } from './cluster-registration.ts';
import { ensureHarvester } from './harvester-platform.ts';
import { playMachines } from './play-machines.ts';
import { playMigrations } from './play-migrations.ts';

export interface HarvesterSandboxesDeps {
  readonly clusters: Informer<Cluster>;
  readonly members: Pick<MemberDirectory, 'client' | 'subscribe'>;
  readonly egress: Egress;
  readonly version: string;
  readonly signal: AbortSignal;
}

const providerLabel = 'provider.cattle.io';

/** Makes sandbox clusters that are labelled as Harvester look like one, and do what it does about its registration. */
export function runHarvesterSandboxes({ clusters, members, egress, version, signal }: HarvesterSandboxesDeps): RunningController {
  const playing = new Map<Key, { readonly client: KubeClient; readonly stop: AbortController }>();
  const controller = runController(
    { name: 'harvester-sandbox', reconcile },
    { triggers: [changesOf(clusters, undefined, factsOf)], signal },
  );
  const subscription = members.subscribe(name => {
    if (playing.has(name)) controller.add(name);
  });
  signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
  return controller;

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const cluster = clusters.get(key);
    const isPlayed = cluster !== undefined && isHarvester(cluster) && cluster.status?.server !== undefined;
    const client = isPlayed ? members.client(key) : undefined;
    const present = playing.get(key);
    if (present && present.client !== client) {
      present.stop.abort();
      playing.delete(key);
    }
    if (!client || playing.has(key)) return settled;
    await ensureHarvester(client, { version, signal: ctx.signal });
    const stop = new AbortController();
    playing.set(key, { client, stop });
    const played = { client, signal: AbortSignal.any([signal, stop.signal]) };
    runClusterRegistration({ ...played, egress });
    playMachines(played);
    playMigrations(played);
    return settled;
  }
}

const isHarvester = ({ metadata, spec }: Cluster): boolean =>
  spec.connection.mode === 'Sandbox' && metadata.labels?.[providerLabel] === 'harvester' && metadata.deletionTimestamp === undefined;

const factsOf = ({ metadata, status }: Cluster): unknown => [
  metadata.uid,
  metadata.labels?.[providerLabel],
  metadata.deletionTimestamp,
  status?.server,
];
