import { Cluster } from '../../api/cluster.ts';
import type { ClusterTaint } from '../../api/cluster-taints.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import type { Json } from '../../util/json.ts';
import type { DryRun } from '../dry-run.ts';

export interface TaintChange {
  /** The very same list when nothing is to change. */
  decide(taints: readonly ClusterTaint[] | undefined): readonly ClusterTaint[];
  readonly dryRun: DryRun;
  readonly signal: AbortSignal;
}

const fieldManager = 'drover-cordon';
const maxTries = 5;

/** False when the taints were so already. Others change the list as well, so it must be the one that was read. */
export async function changeTaints(hub: KubeClient, cluster: Cluster, { decide, dryRun, signal }: TaintChange): Promise<boolean> {
  let present = cluster;
  for (let tries = 1; ; tries++) {
    const { name = '', uid = '', resourceVersion = '' } = present.metadata;
    const before = present.spec.taints ?? [];
    const taints = decide(before);
    if (taints === before) return false;
    if (dryRun === 'client') return true;
    const body = { metadata: { uid, resourceVersion }, spec: { taints: taints.length > 0 ? (taints as unknown as Json) : null } };
    try {
      await hub.patch(Cluster, { name }, { type: 'merge', body }, { fieldManager, dryRun: dryRun === 'server', signal });
      return true;
    } catch (error) {
      if (!(error instanceof StatusError) || error.reason !== 'Conflict' || tries === maxTries) throw error;
      const now = await hub.get(Cluster, { name }, { signal });
      if (now?.metadata.uid !== uid) throw error;
      present = now;
    }
  }
}
