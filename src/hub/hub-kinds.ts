import { Cluster } from '../api/cluster.ts';
import type { Kind } from '../api/define-kind.ts';
import { KarmadaCluster } from '../dialects/karmada/karmada-cluster.ts';

/** Every kind that a hub serves besides those of Kubernetes. */
export const hubKinds: readonly Kind[] = [Cluster, KarmadaCluster];
