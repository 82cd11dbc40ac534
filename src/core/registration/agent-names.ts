import type { KubeObject } from '../../api/object.ts';

/** Rancher's names, so that what looks for its agent or cleans up after it finds ours. */
export const agentNamespace = 'cattle-system';
export const agentDeployment = 'cattle-cluster-agent';
export const agentAccountName = 'cattle';
export const adminRole = 'cattle-admin';
const kubeletRole = 'proxy-clusterrole-kubeapiserver';
/** Names of what the manifest makes outside of its namespace. */
export const importedRoles = {
  roles: [kubeletRole, adminRole],
  bindings: ['proxy-role-binding-kubernetes-master', 'cattle-admin-binding'],
} as const;
/** What the manifest makes only for those who ask for it. */
export const optionalParts = {
  priorityClass: 'cattle-cluster-agent-priority-class',
  budget: 'cattle-cluster-agent-pod-disruption-budget',
} as const;

export const managedBy = { 'app.kubernetes.io/managed-by': 'drover', 'app.kubernetes.io/part-of': 'drover' };
export const ownedByRancher = { ...managedBy, 'cattle.io/creator': 'norman' };
export const podLabels = { app: agentDeployment };

export const isImportedByDrover = ({ metadata: { labels } }: KubeObject): boolean =>
  Object.entries(managedBy).every(([key, value]) => labels?.[key] === value);
