import { createHash } from 'node:crypto';
import type { KubeObject } from '../../api/object.ts';
import type { Json } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';

export interface ManifestOptions {
  readonly clusterId: string;
  readonly token: string;
  /** The URL under which members find the hub. */
  readonly server: string;
  /** SHA-256 of the hub's authorities, in hex: the agent believes no others. */
  readonly caChecksum: string;
  readonly image: string;
  /** The version of the hub. */
  readonly version: string;
}

/** Rancher's names, so that what looks for its agent or cleans up after it finds ours. */
export const agentNamespace = 'cattle-system';
export const agentDeployment = 'cattle-cluster-agent';
const account = 'cattle';
const role = 'cattle-admin';
const kubeletRole = 'proxy-clusterrole-kubeapiserver';
/** Names of what the manifest makes outside of its namespace. */
export const importedRoles = {
  roles: [kubeletRole, role],
  bindings: ['proxy-role-binding-kubernetes-master', 'cattle-admin-binding'],
} as const;
const [kubeletBinding, adminBinding] = importedRoles.bindings;
const credentialsPath = '/cattle-credentials';
const agentUserId = 65_532;
const healthPort = 8080;

const managedBy = { 'app.kubernetes.io/managed-by': 'drover', 'app.kubernetes.io/part-of': 'drover' };
const ownedByRancher = { ...managedBy, 'cattle.io/creator': 'norman' };
const podLabels = { app: agentDeployment };

export const isImportedByDrover = ({ metadata: { labels } }: KubeObject): boolean =>
  Object.entries(managedBy).every(([key, value]) => labels?.[key] === value);

/** Everything a cluster needs to become a member, for `kubectl apply`. */
export function importManifest(options: ManifestOptions): string {
  return importObjects(options)
    .map(obj => writeYaml(obj as Json))
    .join('---\n');
}

export function importObjects(options: ManifestOptions): KubeObject[] {
  const credentials = credentialsName(options);
  return [...kubeletAccess(), ...agentAccount(), credentialsSecret(options, credentials), deployment(options, credentials)];
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
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: agentNamespace, labels: managedBy } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account, namespace: agentNamespace, labels: managedBy } },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role, labels: ownedByRancher },
      rules: [
        { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
        { nonResourceURLs: ['*'], verbs: ['*'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: adminBinding, labels: ownedByRancher },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: agentNamespace }],
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

function deployment(options: ManifestOptions, credentials: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: agentDeployment,
      namespace: agentNamespace,
      labels: { ...managedBy, ...podLabels },
      annotations: { 'management.cattle.io/scale-available': '2' },
    },
    spec: {
      replicas: 1,
      selector: { matchLabels: podLabels },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: {
        metadata: { labels: { ...managedBy, ...podLabels } },
        spec: {
          serviceAccountName: account,
          affinity: { nodeAffinity: preferControlPlane(), podAntiAffinity: preferOtherNode() },
          tolerations: [
            { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'node-role.kubernetes.io/master', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'node.cloudprovider.kubernetes.io/uninitialized', operator: 'Exists', effect: 'NoSchedule' },
          ],
          securityContext: {
            runAsNonRoot: true,
            runAsUser: agentUserId,
            runAsGroup: agentUserId,
            fsGroup: agentUserId,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [container(options, credentials)],
          volumes: [{ name: 'cattle-credentials', secret: { secretName: credentials, defaultMode: 0o440 } }],
        },
      },
    },
  };
}

function container({ server, caChecksum, image, version }: ManifestOptions, credentials: string) {
  const env = {
    CATTLE_SERVER: server,
    CATTLE_CA_CHECKSUM: caChecksum,
    CATTLE_CLUSTER: 'true',
    CATTLE_K8S_MANAGED: 'true',
    CATTLE_CREDENTIAL_NAME: credentials,
    CATTLE_SERVER_VERSION: version,
    STRICT_VERIFY: 'true',
  };
  return {
    name: 'cluster-register',
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['agent', `--health-port=${healthPort}`],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    ports: [{ name: 'health', containerPort: healthPort }],
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 3 },
    // A successor takes over when it is connected, and not before.
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 3, timeoutSeconds: 3 },
    resources: { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '512Mi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'cattle-credentials', mountPath: credentialsPath, readOnly: true }],
  };
}

function preferControlPlane() {
  const term = (key: string, weight: number) => ({ weight, preference: { matchExpressions: [{ key, operator: 'Exists' }] } });
  return {
    preferredDuringSchedulingIgnoredDuringExecution: [term('node-role.kubernetes.io/control-plane', 100)],
  };
}

function preferOtherNode() {
  const podAffinityTerm = { labelSelector: { matchLabels: podLabels }, topologyKey: 'kubernetes.io/hostname' };
  return { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm }] };
}
