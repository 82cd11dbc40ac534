import type { KubeObject } from '../../api/object.ts';
import { agentAccountName, agentDeployment, agentNamespace, managedBy, optionalParts, podLabels } from './agent-names.ts';
import type { ManifestOptions } from './manifest-options.ts';

const credentialsPath = '/cattle-credentials';
const agentUserId = 65_532;
const healthPort = 8080;

/** The Deployment of the agent. */
export function agentDeploymentObject(options: ManifestOptions, credentials: string): KubeObject {
  const { agent = {} } = options;
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
          serviceAccountName: agentAccountName,
          ...(agent.priority && { priorityClassName: optionalParts.priorityClass }),
          affinity: agent.affinity ?? { nodeAffinity: preferControlPlane(), podAntiAffinity: preferOtherNode() },
          tolerations: [
            { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'node-role.kubernetes.io/master', operator: 'Exists', effect: 'NoSchedule' },
            { key: 'node.cloudprovider.kubernetes.io/uninitialized', operator: 'Exists', effect: 'NoSchedule' },
            ...(agent.tolerations ?? []),
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

function container(options: ManifestOptions, credentials: string) {
  const { image, agent = {} } = options;
  return {
    name: 'cluster-register',
    image,
    imagePullPolicy: 'IfNotPresent',
    args: ['agent', `--health-port=${healthPort}`],
    env: environment(options, credentials),
    ports: [{ name: 'health', containerPort: healthPort }],
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, periodSeconds: 20, timeoutSeconds: 5, failureThreshold: 3 },
    // A successor takes over when it is connected, and not before.
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 3, timeoutSeconds: 3 },
    resources: agent.resources ?? { requests: { cpu: '20m', memory: '96Mi' }, limits: { memory: '512Mi' } },
    securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    volumeMounts: [{ name: 'cattle-credentials', mountPath: credentialsPath, readOnly: true }],
  };
}

/** What people say about a variable wins over what the hub says. */
function environment(options: ManifestOptions, credentials: string): { name: string; value?: string }[] {
  const { server, caChecksum, version, isStrict = true, registry = '', installUuid, agent = {} } = options;
  const env = new Map([
    ['CATTLE_SERVER', server],
    ['CATTLE_CA_CHECKSUM', caChecksum],
    ['CATTLE_CLUSTER', 'true'],
    ['CATTLE_K8S_MANAGED', 'true'],
    ['CATTLE_CREDENTIAL_NAME', credentials],
    ['CATTLE_SYSTEM_DEFAULT_REGISTRY', registry],
    ['CATTLE_SERVER_VERSION', version],
    ...(installUuid === undefined ? [] : [['CATTLE_INSTALL_UUID', installUuid] as const]),
    ['STRICT_VERIFY', String(isStrict)],
    ...(agent.env ?? []).map(({ name, value }) => [name, value] as const),
  ]);
  // API servers leave empty values out, and whoever applies the manifest again would find a difference.
  return [...env].map(([name, value]) => (value === '' ? { name } : { name, value }));
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
