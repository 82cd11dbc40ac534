/** The smallest object of a built-in kind that the API server accepts, and a change it accepts later. */
export interface MinimalObject {
  readonly kind: string;
  /** Path of the collection. */
  readonly path: string;
  readonly name: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** A merge patch that changes something beyond metadata, where the kind allows it. */
  readonly change?: Readonly<Record<string, unknown>>;
  readonly hasStatus?: boolean;
  readonly hasScale?: boolean;
}

type Extra = Pick<MinimalObject, 'change' | 'hasStatus' | 'hasScale'>;

const container = { name: 'c', image: 'registry.example/app:1' };
const labels = { app: 'web' };
const podSpec = { containers: [container] };
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };
const never = { metadata: { labels }, spec: { ...podSpec, restartPolicy: 'Never' } };

const clusterScoped = (kind: string, path: string, object: Record<string, unknown>, extra: Extra = {}): MinimalObject => ({
  kind,
  path,
  name: '{{id}}',
  object,
  ...extra,
});
const core = (kind: string, plural: string, object: Record<string, unknown>, extra: Extra = {}): MinimalObject => ({
  kind,
  path: `/api/v1/namespaces/{{ns}}/${plural}`,
  name: 'a',
  object: { apiVersion: 'v1', ...object },
  ...extra,
});
const grouped = (
  groupVersion: string,
  kind: string,
  plural: string,
  object: Record<string, unknown>,
  extra: Extra = {},
): MinimalObject => ({
  kind,
  path: `/apis/${groupVersion}/namespaces/{{ns}}/${plural}`,
  name: 'a',
  object: { apiVersion: groupVersion, ...object },
  ...extra,
});
const cluster = (groupVersion: string, kind: string, plural: string, object: Record<string, unknown>, extra: Extra = {}): MinimalObject =>
  clusterScoped(
    kind,
    groupVersion === 'v1' ? `/api/v1/${plural}` : `/apis/${groupVersion}/${plural}`,
    { apiVersion: groupVersion, ...object },
    extra,
  );

const rbac = 'rbac.authorization.k8s.io/v1';
const admission = 'admissionregistration.k8s.io/v1';
const rule = { apiGroups: ['never.example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] };
const webhook = {
  name: 'a.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://127.0.0.1:1/never' },
  rules: [rule],
};

const table: readonly MinimalObject[] = [
  core('ConfigMap', 'configmaps', { data: { k: 'v' } }, { change: { data: { k: 'w' } } }),
  core('Secret', 'secrets', { stringData: { k: 'v' } }, { change: { data: { x: 'eA==' } } }),
  core('ServiceAccount', 'serviceaccounts', {}, { change: { automountServiceAccountToken: false } }),
  core(
    'Service',
    'services',
    { spec: { selector: labels, ports: [{ port: 80 }] } },
    { change: { spec: { sessionAffinity: 'ClientIP' } }, hasStatus: true },
  ),
  core('Pod', 'pods', { spec: podSpec }, { change: { spec: { activeDeadlineSeconds: 5 } }, hasStatus: true }),
  core('PodTemplate', 'podtemplates', { template }, { change: { template: { metadata: { labels: { more: 'yes' } } } } }),
  core(
    'ReplicationController',
    'replicationcontrollers',
    { spec: { selector: labels, template } },
    { change: { spec: { replicas: 2 } }, hasStatus: true, hasScale: true },
  ),
  core('Endpoints', 'endpoints', { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] }, { change: { subsets: [] } }),
  core(
    'LimitRange',
    'limitranges',
    { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
    { change: { spec: { limits: [{ type: 'Pod', max: { cpu: '2' } }] } } },
  ),
  core(
    'ResourceQuota',
    'resourcequotas',
    { spec: { hard: { pods: '10' } } },
    { change: { spec: { hard: { pods: '11' } } }, hasStatus: true },
  ),
  core(
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } } },
    { hasStatus: true },
  ),
  core(
    'Event',
    'events',
    { involvedObject: { kind: 'Pod', namespace: '{{ns}}', name: 'p' }, reason: 'Tested', message: 'it was', type: 'Normal' },
    { change: { count: 2 } },
  ),
  cluster('v1', 'Namespace', 'namespaces', {}, { hasStatus: true }),
  cluster('v1', 'Node', 'nodes', {}, { change: { spec: { unschedulable: true } }, hasStatus: true }),
  cluster(
    'v1',
    'PersistentVolume',
    'persistentvolumes',
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } } },
    { change: { spec: { persistentVolumeReclaimPolicy: 'Delete' } }, hasStatus: true },
  ),

  grouped(
    'apps/v1',
    'Deployment',
    'deployments',
    { spec: { selector, template } },
    { change: { spec: { replicas: 3 } }, hasStatus: true, hasScale: true },
  ),
  grouped(
    'apps/v1',
    'ReplicaSet',
    'replicasets',
    { spec: { selector, template } },
    { change: { spec: { replicas: 3 } }, hasStatus: true, hasScale: true },
  ),
  grouped(
    'apps/v1',
    'StatefulSet',
    'statefulsets',
    { spec: { selector, template, serviceName: 's' } },
    { change: { spec: { replicas: 3 } }, hasStatus: true, hasScale: true },
  ),
  grouped(
    'apps/v1',
    'DaemonSet',
    'daemonsets',
    { spec: { selector, template } },
    { change: { spec: { minReadySeconds: 3 } }, hasStatus: true },
  ),
  grouped('apps/v1', 'ControllerRevision', 'controllerrevisions', { data: { any: 'thing' }, revision: 1 }, { change: { revision: 2 } }),
  grouped('batch/v1', 'Job', 'jobs', { spec: { template: never } }, { change: { spec: { parallelism: 2 } }, hasStatus: true }),
  grouped(
    'batch/v1',
    'CronJob',
    'cronjobs',
    { spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: never } } } },
    { change: { spec: { suspend: true } }, hasStatus: true },
  ),
  grouped(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } } },
    { change: { spec: { maxReplicas: 4 } }, hasStatus: true },
  ),
  grouped(
    'autoscaling/v1',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    {
      spec: {
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      },
    },
    { change: { spec: { maxReplicas: 4 } }, hasStatus: true },
  ),
  grouped(
    'networking.k8s.io/v1',
    'Ingress',
    'ingresses',
    { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    { change: { spec: { ingressClassName: 'x' } }, hasStatus: true },
  ),
  grouped(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    'networkpolicies',
    { spec: { podSelector: {} } },
    { change: { spec: { egress: [{}] } } },
  ),
  cluster('networking.k8s.io/v1', 'IngressClass', 'ingressclasses', { spec: { controller: 'example.com/c' } }),
  grouped(
    'policy/v1',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    { spec: { minAvailable: 1, selector } },
    { change: { spec: { minAvailable: '50%' } }, hasStatus: true },
  ),
  grouped(rbac, 'Role', 'roles', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }, { change: { rules: [] } }),
  grouped(
    rbac,
    'RoleBinding',
    'rolebindings',
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' }, subjects: [{ kind: 'User', name: 'u' }] },
    { change: { subjects: null } },
  ),
  cluster(rbac, 'ClusterRole', 'clusterroles', { rules: [{ nonResourceURLs: ['/x'], verbs: ['get'] }] }, { change: { rules: [] } }),
  cluster(
    rbac,
    'ClusterRoleBinding',
    'clusterrolebindings',
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'Group', name: 'g' }] },
    { change: { subjects: null } },
  ),
  cluster(
    'storage.k8s.io/v1',
    'StorageClass',
    'storageclasses',
    { provisioner: 'example.com/p' },
    { change: { allowVolumeExpansion: true } },
  ),
  cluster('storage.k8s.io/v1', 'CSIDriver', 'csidrivers', {}, { change: { spec: { requiresRepublish: true } } }),
  cluster(
    'storage.k8s.io/v1',
    'CSINode',
    'csinodes',
    { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n' }] } },
    { change: { spec: { drivers: [] } } },
  ),
  grouped(
    'storage.k8s.io/v1',
    'CSIStorageCapacity',
    'csistoragecapacities',
    { storageClassName: 's', capacity: '1Gi' },
    { change: { capacity: '2Gi' } },
  ),
  cluster(
    'storage.k8s.io/v1',
    'VolumeAttachment',
    'volumeattachments',
    { spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    { hasStatus: true },
  ),
  cluster('storage.k8s.io/v1', 'VolumeAttributesClass', 'volumeattributesclasses', { driverName: 'example.com', parameters: { a: 'b' } }),
  grouped(
    'coordination.k8s.io/v1',
    'Lease',
    'leases',
    { spec: { holderIdentity: 'me' } },
    { change: { spec: { leaseDurationSeconds: 10 } } },
  ),
  grouped(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    'endpointslices',
    { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 80 }] },
    { change: { endpoints: [] } },
  ),
  grouped('events.k8s.io/v1', 'Event', 'events', {
    eventTime: '2024-01-02T03:04:05.000006Z',
    reportingController: 'c',
    reportingInstance: 'i',
    action: 'Act',
    reason: 'Why',
    type: 'Normal',
    regarding: { kind: 'Pod', namespace: '{{ns}}', name: 'p' },
  }),
  cluster('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', { value: 5 }, { change: { description: 'changed' } }),
  cluster('node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', { handler: 'runc' }),
  cluster(
    admission,
    'ValidatingWebhookConfiguration',
    'validatingwebhookconfigurations',
    { webhooks: [webhook] },
    { change: { webhooks: [{ ...webhook, failurePolicy: 'Ignore' }] } },
  ),
  cluster(
    admission,
    'MutatingWebhookConfiguration',
    'mutatingwebhookconfigurations',
    { webhooks: [webhook] },
    { change: { webhooks: [{ ...webhook, failurePolicy: 'Ignore' }] } },
  ),
  cluster(
    admission,
    'ValidatingAdmissionPolicy',
    'validatingadmissionpolicies',
    { spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'object.metadata.name != "x"' }] } },
    { change: { spec: { failurePolicy: 'Ignore' } }, hasStatus: true },
  ),
  cluster(
    admission,
    'ValidatingAdmissionPolicyBinding',
    'validatingadmissionpolicybindings',
    { spec: { policyName: 'none', validationActions: ['Deny'] } },
    { change: { spec: { validationActions: ['Warn'] } } },
  ),
  cluster(
    admission,
    'MutatingAdmissionPolicy',
    'mutatingadmissionpolicies',
    {
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [rule] },
        mutations: [
          { patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' } },
        ],
      },
    },
    { change: { spec: { failurePolicy: 'Ignore' } } },
  ),
  cluster(admission, 'MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings', { spec: { policyName: 'none' } }),
  cluster(
    'flowcontrol.apiserver.k8s.io/v1',
    'FlowSchema',
    'flowschemas',
    {
      spec: {
        matchingPrecedence: 9000,
        priorityLevelConfiguration: { name: 'catch-all' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'nobody-at-all' } }],
            nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/never'] }],
          },
        ],
      },
    },
    { change: { spec: { matchingPrecedence: 9001 } } },
  ),
  cluster(
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } } },
    { change: { spec: { limited: { nominalConcurrencyShares: 2 } } } },
  ),
  cluster(
    'resource.k8s.io/v1',
    'DeviceClass',
    'deviceclasses',
    { spec: {} },
    { change: { spec: { selectors: [{ cel: { expression: 'device.driver == "x"' } }] } } },
  ),
  grouped(
    'resource.k8s.io/v1',
    'ResourceClaim',
    'resourceclaims',
    { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } },
    { hasStatus: true },
  ),
  grouped('resource.k8s.io/v1', 'ResourceClaimTemplate', 'resourceclaimtemplates', {
    spec: { spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } },
  }),
  cluster('resource.k8s.io/v1', 'ResourceSlice', 'resourceslices', {
    spec: { driver: 'd.example.com', nodeName: 'n', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices: [{ name: 'x' }] },
  }),
  cluster('apiregistration.k8s.io/v1', 'APIService', 'apiservices', {}),
];

/** An APIService is named after what it serves. */
export const minimalObjects: readonly MinimalObject[] = table.map(entry => {
  if (entry.kind === 'APIService')
    return {
      ...entry,
      name: 'v1.{{group}}',
      object: {
        ...entry.object,
        spec: {
          group: '{{group}}',
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          insecureSkipTLSVerify: true,
          service: { namespace: 'default', name: 'nothing' },
        },
      },
    };
  return entry;
});

/** The object as it is sent, with kind and name. */
export function named({ kind, object, name }: MinimalObject, metadata: Record<string, unknown> = {}): Record<string, unknown> {
  return { kind, ...object, metadata: { name, ...metadata } };
}

export function titleOf({ kind, object }: MinimalObject): string {
  return `${kind} of ${String(object['apiVersion'])}`;
}
