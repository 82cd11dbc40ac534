import type { Cluster } from '../../../api/cluster.ts';
import { Time } from '../../parts/time.tsx';

/** When a cluster was last heard of. Of one that is connected the hub notes that only now and then. */
export function LastSeen({ cluster: { status }, isAgo = false }: { cluster: Cluster; isAgo?: boolean }) {
  const isConnected = status?.conditions?.some(one => one.type === 'Connected' && one.status === 'True') ?? false;
  return isConnected ? <>now</> : <Time at={status?.lastSeen} isAgo={isAgo} />;
}
