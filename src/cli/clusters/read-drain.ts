import type { Cluster } from '../../api/cluster.ts';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { planDrain, releaseText, type DrainedWork } from '../../api/plan-drain.ts';
import { StatusError } from '../../api/status.ts';
import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { MultiClusterService } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from '../../dialects/k0rdent/kinds/namespaced-multi-cluster-service.ts';
import { ServiceSet } from '../../dialects/k0rdent/kinds/service-set.ts';
import { keyOf } from '../../runtime/key.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { visibleLine } from '../output/visible-text.ts';

export interface ClusterDrain {
  readonly cluster: Cluster;
  readonly name: string;
  readonly works: readonly DrainedWork[];
}

export const clustersAtOnce = 16;

/** What a drain would take off each cluster, and what would stay. */
export async function readDrains(hub: KubeClient, clusters: readonly Cluster[], signal: AbortSignal): Promise<ClusterDrain[]> {
  const list = async <T extends KubeObject>(kind: KindRef<T>): Promise<readonly T[]> => {
    try {
      return (await hub.list(kind, { signal })).items;
    } catch (error) {
      // A hub without k0rdent has no services.
      if (error instanceof StatusError && error.code === 404) return [];
      throw error;
    }
  };
  const [sets, ...services] = await Promise.all([list(ServiceSet), list(MultiClusterService), list(NamespacedMultiClusterService)]);
  const keeping = new Set(services.flat().flatMap(one => (one.spec.keepServicesOnSelectorMismatch ? [keyOf(one)] : [])));
  return mapBounded(clusters, clustersAtOnce, async cluster => {
    const { items: works } = await hub.list(Work, { namespace: clusterId(cluster), signal });
    return { cluster, name: cluster.metadata.name ?? '', works: planDrain({ works, sets, isKeeping: name => keeping.has(name) }) };
  });
}

/** What goes and what stays, a line for each. */
export function drainText({ name, works }: ClusterDrain): string {
  const going = works.filter(one => one.whyItStays === undefined);
  const staying = works.filter(one => one.whyItStays !== undefined);
  const line = (mark: string, { work, owner, whyItStays }: DrainedWork) =>
    visibleLine(`  ${mark} ${releaseText(work)} of ${owner}${whyItStays === undefined ? '' : `: ${whyItStays}`}`);
  const title =
    going.length === 0 ? `${name}: nothing goes` : `${name}: ${going.length === 1 ? 'one release goes' : `${going.length} releases go`}`;
  return [title, ...going.map(one => line('goes ', one)), ...staying.map(one => line('stays', one)), ''].join('\n');
}
