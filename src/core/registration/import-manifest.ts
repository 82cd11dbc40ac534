import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import type { Json } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { agentDeploymentObject } from './agent-deployment.ts';
import {
  adminRole,
  agentAccountName,
  agentNamespace,
  importedRoles,
  managedBy,
  optionalParts,
  ownedByRancher,
  podLabels,
} from './agent-names.ts';
import type { AgentWishes, ManifestOptions } from './manifest-options.ts';

const [kubeletRole] = importedRoles.roles;
const [kubeletBinding, adminBinding] = importedRoles.bindings;

/** Everything a cluster needs to become a member, for `kubectl apply`. */
export function importManifest(options: ManifestOptions): string {
  return importObjects(options)
    .map(obj => writeYaml(obj as Json))
    .join('---\n');
}

export function importObjects(options: ManifestOptions): KubeObject[] {
  const credentials = credentialsName(options);
  const { keepsNamespace = false, agent = {} } = options;
  return [
    ...kubeletAccess(),
    ...(keepsNamespace ? [] : [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentNamespace, labels: managedBy } }]),
    ...agentAccount(),
    credentialsSecret(options, credentials),
    ...disruption(agent),
    agentDeploymentObject(options, credentials),
  ];
}

/** Named after its content: another token or address rolls the Deployment over. */
function credentialsName({ server, token, clusterId }: ManifestOptions): string {
  const digest = createHash('sha256').update(`${server}.${token}.${clusterId}`).digest('hex');
  return `cattle-credentials-${digest.slice(0, 10)}`;
}

/** Lets API servers that identify as "kube-apiserver" reach their kubelets, which logs and exec through the hub depend on. */
function kubeletAccess(): KubeObject[] {
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: kubeletRole, labels: ownedByRancher },
      rules: [
        {
          apiGroups: [''],
          resources: ['nodes/metrics', 'nodes/proxy', 'nodes/stats', 'nodes/log', 'nodes/spec'],
          verbs: ['get', 'list', 'watch', 'create'],
        },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: kubeletBinding, labels: ownedByRancher },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: kubeletRole },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'kube-apiserver' }],
    },
  ];
}

function agentAccount(): KubeObject[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: agentAccountName, namespace: agentNamespace, labels: managedBy } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: adminRole, labels: ownedByRancher },
      rules: [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
        { nonResourceURLs: ['*'], verbs: ['*'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: adminBinding, labels: ownedByRancher },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: adminRole },
      subjects: [{ kind: 'ServiceAccount', name: agentAccountName, namespace: agentNamespace }],
    },
  ];
}

function credentialsSecret({ server, token, clusterId }: ManifestOptions, name: string): KubeObject {
  const encode = (text: string) => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: agentNamespace, labels: managedBy },
    type: 'Opaque',
    data: { url: encode(server), token: encode(token), namespace: encode(clusterId) },
  };
}

function disruption({ priority, disruptionBudget }: AgentWishes): KubeObject[] {
  const { priorityClass, budget } = optionalParts;
  return [
    ...(priority
      ? [
          {
            apiVersion: 'scheduling.k8s.io/v1',
            kind: 'PriorityClass',
            metadata: { name: priorityClass, labels: ownedByRancher },
            description: 'The agent of Drover',
            ...priority,
          },
        ]
      : []),
    ...(disruptionBudget
      ? [
          {
            apiVersion: 'policy/v1',
            kind: 'PodDisruptionBudget',
            metadata: { name: budget, namespace: agentNamespace, labels: managedBy },
            spec: { selector: { matchLabels: podLabels }, ...disruptionBudget },
          },
        ]
      : []),
  ];
}
