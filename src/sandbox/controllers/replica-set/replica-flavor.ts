import type { LabelSelector, ReplicaSet, ReplicaSetSpec, ReplicaSetStatus, ReplicationController } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { asStored, type Stored } from '../stored-object.ts';
import { replicaSets, replicationControllers, type WorkloadResource } from '../workload-resources.ts';

/** What a ReplicaSet and a ReplicationController have in common, in the words of the former. */
export type Replicas = Stored<ReplicaSet>;

/** The two kinds that keep a number of equal pods; they differ in words only. */
export interface ReplicaFlavor {
  readonly resource: WorkloadResource;
  readonly component: string;
  /** Whether the status tells how many pods are about to end. */
  readonly countsTerminating: boolean;
  read(obj: KubeObject): Replicas;
}

export const replicaSetFlavor: ReplicaFlavor = {
  resource: replicaSets,
  component: 'replicaset-controller',
  countsTerminating: true,
  read: obj => asStored<ReplicaSet>(obj),
};

export const replicationControllerFlavor: ReplicaFlavor = {
  resource: replicationControllers,
  component: 'replication-controller',
  countsTerminating: false,
  read: obj => {
    const rc = asStored<ReplicationController>(obj);
    const selector: LabelSelector = { matchLabels: rc.spec.selector ?? {} };
    const spec: ReplicaSetSpec = { ...rc.spec, selector };
    return { ...rc, spec, status: rc.status as ReplicaSetStatus };
  },
};
