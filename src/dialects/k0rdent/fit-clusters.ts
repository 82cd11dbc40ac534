import type { MatchingCluster } from './kinds/multi-cluster-service.ts';

/** etcd takes requests of 1.5 MiB. The rest is for everything else of the object. About 6,000 clusters without messages. */
export const maxClusterBytes = 1.2 * 1024 * 1024;
const maxCutMessage = 100;
/** An entry as JSON without the texts that differ in length. */
const bytesOfEntry = 177;
const bytesOfReason = 26;

/**
 * As many clusters as fit into one object, in their order. When not all do, messages are cut short, and then clusters that are deployed are left out: their
 * ServiceSets tell, and the conditions count them all.
 */
export function fitClusters(clusters: readonly MatchingCluster[], limitBytes = maxClusterBytes): readonly MatchingCluster[] {
  if (sizeOf(clusters) <= limitBytes) return clusters;
  const short = clusters.map(one => (one.message && one.message.length > maxCutMessage ? { ...one, message: cut(one.message) } : one));
  let excess = sizeOf(short) - limitBytes;
  const drop = (isWanted: (one: MatchingCluster) => boolean) => (one: MatchingCluster) => {
    if (excess <= 0 || !isWanted(one)) return true;
    excess -= sizeOf([one]);
    return false;
  };
  return short
    .toReversed()
    .filter(drop(one => one.deployed))
    .filter(drop(() => true))
    .toReversed();
}

const cut = (message: string): string => `${message.slice(0, maxCutMessage - 1)}…`;

function sizeOf(clusters: readonly MatchingCluster[]): number {
  let bytes = 0;
  for (const { namespace = '', name = '', reason = '', message } of clusters)
    bytes +=
      bytesOfEntry +
      namespace.length +
      name.length +
      reason.length +
      (message === undefined ? 0 : bytesOfReason + Buffer.byteLength(message));
  return bytes;
}
