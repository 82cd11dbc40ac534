import { Cluster } from '../api/cluster.ts';
import { Content } from '../api/content.ts';
import type { DeclaredKind } from '../api/define-kind.ts';
import { Work } from '../api/work.ts';
import { k0rdentKinds } from '../dialects/k0rdent/k0rdent-kinds.ts';
import { KarmadaCluster } from '../dialects/karmada/karmada-cluster.ts';
import { rancherKinds } from '../dialects/rancher/rancher-kinds.ts';
import { workflowKinds } from '../dialects/workflows/workflow-kinds.ts';

/** Every kind that a hub serves besides those of Kubernetes. */
export const hubKinds: readonly DeclaredKind[] = [
  Cluster,
  Work,
  Content,
  KarmadaCluster,
  ...k0rdentKinds,
  ...rancherKinds,
  ...workflowKinds,
];
