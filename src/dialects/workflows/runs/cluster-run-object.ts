import { createHash } from 'node:crypto';
import { newObject } from '../../../api/define-kind.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { ClusterRun } from '../kinds/cluster-run.ts';
import { delivery } from '../kinds/group.ts';
import { deliveryLabels } from '../names.ts';
import type { RunWithStatus } from './run-facts.ts';
import type { RunOrder } from './run-status.ts';

const maxNameLength = 63;

/** `<run>-<id of the cluster>`, as far as that fits. */
export function clusterRunName(run: string, cluster: string): string {
  const name = `${run}-${cluster}`;
  if (name.length <= maxNameLength) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, maxNameLength - 9).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

/** The name of a run as the value of a label. */
export const runLabel = (name: string): string => name.slice(0, 63).replace(/[^a-zA-Z0-9]+$/, '');

/** The ClusterRun of a cluster as an order wants it. */
export function clusterRunObject(run: RunWithStatus, id: string, { grant, standing }: Omit<RunOrder, 'ids'>): ClusterRun {
  const { namespace = '', name = '', uid = '' } = run.metadata;
  const { resolvedClusters = [], waves = [] } = run.status ?? {};
  return newObject(
    ClusterRun,
    {
      namespace,
      name: clusterRunName(name, id),
      labels: { [deliveryLabels.run]: runLabel(name), [deliveryLabels.cluster]: id },
      ownerReferences: [{ apiVersion: apiVersionOf(delivery), kind: 'WorkflowRun', name, uid, controller: true }],
    },
    {
      runRef: { name, uid },
      cluster: { id, name: resolvedClusters.find(one => one.id === id)?.name ?? id },
      wave: waves.find(one => one.clusters.includes(id))?.name ?? '',
      ...(grant && { grant }),
      ...(standing && { standing }),
    },
  );
}

/** How informers of ClusterRuns find them. */
export const clusterRunIndexes = {
  /** The uid of the run. */
  runUid: ({ spec }: ClusterRun) => [spec.runRef.uid],
  /** The run, as namespace/name: one of the same name may have been there before. */
  run: ({ metadata, spec }: ClusterRun) => [`${metadata.namespace}/${spec.runRef.name}`],
  /** The id of the cluster. */
  cluster: ({ spec }: ClusterRun) => [spec.cluster.id],
} as const;
