import { Cluster } from '../../api/cluster.ts';
import { newObject } from '../../api/define-kind.ts';
import type { Transport } from '../../client/transport.ts';
import { localClusterName } from './local-cluster.ts';
import type { WayOpener } from './member-directory.ts';

/** Stands for the hub where people name clusters, while nothing has made it a member. It is no object of the hub. */
const hubAsCluster = newObject(Cluster, { name: localClusterName, uid: 'hub' }, { id: localClusterName, connection: { mode: 'Local' } });

export const hubNamed = (ref: string): Cluster | undefined => (ref === localClusterName ? hubAsCluster : undefined);

/** Ways to clusters, with one to the hub among them. */
export function withWayToHub(local: WayOpener, transportOf: (cluster: Cluster) => Transport): (cluster: Cluster) => Transport {
  const { transport } = local.open(hubAsCluster);
  return cluster => (cluster === hubAsCluster ? transport : transportOf(cluster));
}
