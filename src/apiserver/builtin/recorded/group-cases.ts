import { creates, updates, type AnswerCase } from './answer-case.ts';

const csr =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlISU1HOENBUUF3RFRFTE1Ba0dBMVVFQXd3Q2JXVXdXVEFUQmdjcWhrak9QUUlCQmdncWhrak9QUU1CQndOQwpBQVRSKzVCaXJqeTl4VmpqZENFKzJpdTk1NVFsV0tJZDB4SmdmbUVlN09ZQnRPRGR5Zko1TlhaV1B5cVAyejZ0ClBFLzQ5TEwyZ0cwVlJ1Wk9ra0pRZ2RNcG9BQXdDZ1lJS29aSXpqMEVBd0lEU1FBd1JnSWhBUFRxVytqOXcyVloKZWNjZmpqZE50b0ZUVTNKTnpzWE1YYXV5Y1d1OFZCVU5BaUVBNUZYQmJtdG1vYkEyemNZUjhoMys5Mkw5VklWcgo2RmRmTW03YXJMNjdOd1k9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';
const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
const hpa = (extra: object) => ({ spec: { scaleTargetRef: target, maxReplicas: 3, ...extra } });
const path = (extra: object) => ({
  spec: {
    rules: [
      {
        host: 'a.b',
        http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 80 } } }, ...extra }] },
      },
    ],
  },
});
const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const binding = (extra: object) => ({ roleRef: { kind: 'Role', name: 'r' }, ...extra });
const hook = (extra: object = {}) => ({
  name: 'a.example.com',
  clientConfig: { url: 'https://example.com' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...extra,
});
const match = { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }] };
const policy = (extra: object) => ({ spec: { matchConstraints: match, validations: [{ expression: 'true' }], ...extra } });
const mutation = (extra: object) => ({
  spec: {
    matchConstraints: match,
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/a"}]' } }],
    ...extra,
  },
});
const request = (extra: object) => ({ spec: { request: csr, signerName: 'example.com/s', usages: ['client auth'], ...extra } });
const slice = (extra: object) => ({ addressType: 'IPv4', endpoints: [{ addresses: ['1.2.3.4'] }], ports: [{ port: 80 }], ...extra });
const flow = (extra: object) => ({
  spec: {
    priorityLevelConfiguration: { name: 'p' },
    rules: [
      {
        subjects: [{ kind: 'User', user: { name: 'u' } }],
        resourceRules: [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
      },
    ],
    ...extra,
  },
});
const devices = (extra: object) => ({ spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'c', ...extra } }] } } });
const deviceSlice = (extra: object) => ({
  spec: { driver: 'd.example.com', pool: { name: 'p', resourceSliceCount: 1 }, nodeName: 'n', devices: [{ name: 'dev' }], ...extra },
});
const rbac = 'rbac.authorization.k8s.io/v1';
const registration = 'admissionregistration.k8s.io/v1';
const storage = 'storage.k8s.io/v1';

export const groupCases: readonly AnswerCase[] = [
  ...creates('autoscaling/v2', 'HorizontalPodAutoscaler', {
    plain: hpa({}),
    behaviour: hpa({ behavior: { scaleDown: { stabilizationWindowSeconds: 5 } } }),
    empty: { spec: {} },
    'bad numbers': hpa({ minReplicas: 5, maxReplicas: 2 }),
    'zero and below': hpa({ minReplicas: 0, maxReplicas: -1 }),
    'bad target': hpa({ scaleTargetRef: { apiVersion: 'v1', kind: 'a/b', name: '..' } }),
    'bad metrics': hpa({
      metrics: [
        { type: 'Foo' },
        { type: 'Resource' },
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } },
        { type: 'Pods', pods: { metric: { name: '' }, target: { type: 'X', averageValue: '-1' } } },
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } },
          pods: { metric: { name: 'a' }, target: { type: 'AverageValue', averageValue: '1' } },
        },
        {
          type: 'ContainerResource',
          containerResource: { name: 'foo', container: 'A', target: { type: 'Utilization', averageUtilization: 5, averageValue: '1' } },
        },
        { type: 'External', external: { metric: { name: 'a' }, target: { type: 'Value', value: '1', averageValue: '1' } } },
        { type: 'Object', object: { describedObject: { kind: '', name: '' }, metric: { name: 'm' }, target: { type: 'Value' } } },
      ],
    }),
    'bad behaviour': hpa({
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 4000, selectPolicy: 'X', policies: [{ type: 'Y', value: 0, periodSeconds: 2000 }] },
        scaleDown: { stabilizationWindowSeconds: -1 },
      },
    }),
  }),
  ...creates('autoscaling/v1', 'HorizontalPodAutoscaler', {
    'plain v1': hpa({ targetCPUUtilizationPercentage: 50 }),
    'bare v1': hpa({}),
    'bad v1': hpa({ maxReplicas: 0, targetCPUUtilizationPercentage: 0 }),
  }),

  ...creates('networking.k8s.io/v1', 'Ingress', {
    plain: path({}),
    empty: { spec: {} },
    'bad type': path({ pathType: 'Foo' }),
    'no type': path({ pathType: null }),
    'bad path': path({ path: 'a//b/../' }),
    'bad ends': path({ path: '/a/..' }),
    'bad backend': path({ backend: {} }),
    'both backends': path({ backend: { service: { name: 's' }, resource: { kind: 'K', name: 'n' } } }),
    'bad service': path({ backend: { service: { name: 'A.b', port: { name: 'x', number: 80 } } } }),
    'no port': path({ backend: { service: { name: 's' } } }),
    'bad resource': path({ backend: { resource: { apiGroup: 'A', kind: '', name: 'a/b' } } }),
    'bad hosts': {
      spec: {
        defaultBackend: { service: { name: 's', port: { name: 'HTTP_' } } },
        rules: [{ host: '1.2.3.4' }, { host: '*.A' }, { host: 'a_b', http: { paths: [] } }],
        tls: [{ hosts: ['*', 'A'], secretName: 'A' }],
        ingressClassName: 'A',
      },
    },
    'old class': { metadata: { annotations: { 'kubernetes.io/ingress.class': 'x' } }, ...path({}) },
    'two classes': { metadata: { annotations: { 'kubernetes.io/ingress.class': 'x' } }, spec: { ...path({}).spec, ingressClassName: 'y' } },
  }),
  ...updates(
    'networking.k8s.io/v1',
    'Ingress',
    path({}),
    { bad: { status: { loadBalancer: { ingress: [{ ip: 'x', hostname: '1.2.3.4' }] } } } },
    'status',
  ),
  ...creates('networking.k8s.io/v1', 'IngressClass', {
    plain: { spec: { controller: 'a.b/c', parameters: { kind: 'K', name: 'n' } } },
    bad: { spec: { controller: 'a', parameters: { apiGroup: 'A', kind: '', name: '', scope: 'X' } } },
    namespaced: { spec: { controller: 'a.b/ c', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } } },
    cluster: { spec: { controller: '', parameters: { kind: 'K', name: 'n', namespace: 'x' } } },
  }),
  ...updates('networking.k8s.io/v1', 'IngressClass', { spec: { controller: 'a.b/c' } }, { controller: { spec: { controller: 'a.b/d' } } }),
  ...creates('networking.k8s.io/v1', 'NetworkPolicy', {
    plain: { spec: { podSelector: {} } },
    egress: { spec: { podSelector: {}, egress: [{ ports: [{ port: 53 }] }] } },
    bad: {
      spec: {
        podSelector: { matchExpressions: [{ key: 'a', operator: 'X' }] },
        ingress: [
          {
            from: [
              {},
              { ipBlock: { cidr: 'x' }, podSelector: {} },
              { ipBlock: { cidr: '10.0.0.0/24', except: ['10.1.0.0/25', '10.0.0.0/24'] } },
            ],
            ports: [{ port: 0 }, { port: 'UP' }, { port: 80, endPort: 70 }, { port: 'a', endPort: 5 }, { endPort: 5 }, { protocol: 'X' }],
          },
        ],
        policyTypes: ['Foo'],
      },
    },
    'too many types': { spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] } },
  }),
  ...creates('networking.k8s.io/v1', 'ServiceCIDR', {
    plain: { spec: { cidrs: ['10.9.0.0/24'] } },
    empty: { spec: {} },
    bad: { spec: { cidrs: ['10.9.0.1/24', 'x'] } },
    many: { spec: { cidrs: ['10.9.0.0/24', '10.8.0.0/24', '10.7.0.0/24'] } },
    family: { spec: { cidrs: ['10.9.0.0/24', '10.8.0.0/24'] } },
  }),
  ...creates('networking.k8s.io/v1', 'IPAddress', {
    'bad name': { metadata: { name: 'x' }, spec: {} },
    'bad parent': { metadata: { name: '10.0.9.9' }, spec: { parentRef: { group: 'A', resource: 'a/b', namespace: '..' } } },
    leading: { metadata: { name: '010.0.0.1' }, spec: { parentRef: { resource: 'r', name: 'n' } } },
  }),

  ...creates('policy/v1', 'PodDisruptionBudget', {
    plain: { spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } },
    both: { spec: { minAvailable: 1, maxUnavailable: '50%' } },
    bad: { spec: { minAvailable: -1, unhealthyPodEvictionPolicy: 'X', selector: { matchLabels: { 'a b': 'c' } } } },
    percent: { spec: { maxUnavailable: '101%' } },
    text: { spec: { maxUnavailable: 'abc' } },
    'free name': { metadata: { name: 'A' }, spec: {} },
  }),

  ...creates(rbac, 'Role', {
    plain: { rules: [rule] },
    bad: { rules: [{}, { verbs: ['get'], nonResourceURLs: ['/x'], resources: ['a'] }, { verbs: ['get'], apiGroups: [''] }] },
    'free name': { metadata: { name: 'system:a' } },
    'bad name': { metadata: { name: 'a%b' } },
  }),
  ...creates(rbac, 'ClusterRole', {
    plain: { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] },
    'empty aggregation': { aggregationRule: {} },
    'bad aggregation': { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] } },
  }),
  ...creates(rbac, 'RoleBinding', {
    plain: binding({
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's' },
      ],
    }),
    'no ref': {},
    bad: {
      roleRef: { apiGroup: 'x', kind: 'X', name: 'a/b' },
      subjects: [{ kind: 'X' }, { kind: 'ServiceAccount', name: 'A', apiGroup: 'x' }, { kind: 'User', name: 'u', apiGroup: 'x' }],
    },
  }),
  ...updates(rbac, 'RoleBinding', binding({}), {
    ref: { roleRef: { name: 'other' } },
    subjects: { subjects: [{ kind: 'Group', name: 'g' }] },
  }),
  ...creates(rbac, 'ClusterRoleBinding', {
    bad: { roleRef: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'ServiceAccount', name: 's' }] },
  }),

  ...creates('coordination.k8s.io/v1', 'Lease', {
    plain: { spec: { holderIdentity: 'x', leaseDurationSeconds: 5, strategy: 'OldestEmulationVersion' } },
    bad: { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
  }),
  ...creates('discovery.k8s.io/v1', 'EndpointSlice', {
    plain: slice({}),
    empty: {},
    names: slice({ addressType: 'FQDN', endpoints: [{ addresses: ['a.b', 'a', 'A_'] }] }),
    bad: slice({
      addressType: 'X',
      ports: [{ name: 'A', protocol: 'Y', appProtocol: 'a b' }, { name: '' }, {}],
      endpoints: [{ addresses: [] }],
    }),
    'bad endpoints': slice({
      endpoints: [
        {
          addresses: ['x', '127.0.0.1', '::1'],
          hostname: 'A',
          nodeName: 'B_',
          hints: { forZones: [{ name: 'a b' }, { name: 'a b' }], forNodes: [{ name: 'A' }] },
        },
      ],
    }),
    sixes: slice({ addressType: 'IPv6', endpoints: [{ addresses: ['1.2.3.4', '2001:DB8::1', '2001:db8::1'] }] }),
  }),
  ...updates('discovery.k8s.io/v1', 'EndpointSlice', slice({}), { type: { addressType: 'IPv6' } }),
  ...creates('scheduling.k8s.io/v1', 'PriorityClass', {
    plain: { value: 5 },
    big: { value: 1000000001 },
    system: { metadata: { name: 'system-foo' }, value: 1 },
    policy: { value: 1, preemptionPolicy: 'X' },
  }),
  ...updates('scheduling.k8s.io/v1', 'PriorityClass', { value: 5 }, { value: { value: 6, preemptionPolicy: 'Never' } }),
  ...creates('node.k8s.io/v1', 'RuntimeClass', {
    plain: { handler: 'x' },
    bad: {
      handler: 'A',
      overhead: { podFixed: { foo: '1', cpu: '-1' } },
      scheduling: {
        nodeSelector: { 'a b': 'c', 'beta.kubernetes.io/os': 'x' },
        tolerations: [{ key: 'a' }, { key: 'a' }, { operator: 'X', effect: 'Y' }],
      },
    },
    empty: { handler: '' },
    warned: { handler: 'x', scheduling: { nodeSelector: { 'beta.kubernetes.io/os': 'x' } } },
  }),
  ...updates('node.k8s.io/v1', 'RuntimeClass', { handler: 'x' }, { handler: { handler: 'y' } }),

  ...creates(storage, 'StorageClass', {
    plain: { provisioner: 'a.b/c' },
    bad: {
      provisioner: 'a b',
      reclaimPolicy: 'X',
      volumeBindingMode: 'Y',
      parameters: { '': 'x' },
      allowedTopologies: [
        {
          matchLabelExpressions: [
            { key: 'a b', values: [] },
            { key: 'z', values: ['a', 'a'] },
            { key: 'z', values: ['b'] },
          ],
        },
        { matchLabelExpressions: [] },
        { matchLabelExpressions: [] },
      ],
    },
    empty: { provisioner: '' },
  }),
  ...updates(
    storage,
    'StorageClass',
    { provisioner: 'a.b/c' },
    { all: { provisioner: 'a.b/d', reclaimPolicy: 'Retain', parameters: { a: 'b' }, volumeBindingMode: 'WaitForFirstConsumer' } },
  ),
  ...creates(storage, 'VolumeAttributesClass', { plain: { driverName: 'a.b', parameters: { a: 'b' } }, bad: { driverName: '' } }),
  ...updates(
    storage,
    'VolumeAttributesClass',
    { driverName: 'a.b', parameters: { a: 'b' } },
    { all: { driverName: 'c.d', parameters: { a: 'c' } } },
  ),
  ...creates(storage, 'CSIDriver', {
    plain: { spec: {} },
    tokens: { spec: { tokenRequests: [{ audience: 'a' }] } },
    bad: {
      spec: { fsGroupPolicy: 'X', volumeLifecycleModes: ['Y'], nodeAllocatableUpdatePeriodSeconds: 1, serviceAccountTokenInSecrets: true },
    },
    'bad tokens': { spec: { tokenRequests: [{ audience: 'a', expirationSeconds: 5 }, { audience: 'a' }] } },
  }),
  ...updates(storage, 'CSIDriver', { spec: {} }, { fixed: { spec: { attachRequired: false, volumeLifecycleModes: ['Ephemeral'] } } }),
  ...creates(storage, 'CSINode', {
    plain: { spec: { drivers: [{ name: 'a.b', nodeID: 'n', topologyKeys: ['a'] }] } },
    bad: {
      spec: {
        drivers: [
          { name: 'A_', nodeID: '', topologyKeys: ['', 'a b'], allocatable: { count: -1 } },
          { name: 'a', nodeID: 'x' },
        ],
      },
    },
  }),
  ...creates(storage, 'CSIStorageCapacity', {
    plain: { storageClassName: 'a', capacity: '1Gi' },
    bad: { storageClassName: 'A', capacity: '-1', nodeTopology: { matchLabels: { 'a b': 'c' } } },
  }),
  ...creates(storage, 'VolumeAttachment', {
    plain: { spec: { attacher: 'a.b', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
    bad: { spec: { attacher: '', nodeName: 'A', source: {} } },
    'bad volume': { spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: '' } } },
  }),

  ...creates('certificates.k8s.io/v1', 'CertificateSigningRequest', {
    plain: request({}),
    bad: request({ request: 'eA==', usages: ['foo', 'any', 'any'], signerName: 'a', expirationSeconds: 1 }),
    empty: request({ usages: [], signerName: 'kubernetes.io/legacy-unknown' }),
    'bad signer': request({ signerName: 'A/B' }),
  }),
  ...updates(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    request({}),
    {
      approved: { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'r' }] } },
      bad: {
        status: {
          conditions: [
            { type: 'Approved', status: 'False' },
            { type: 'Denied', status: 'True' },
            { type: '', status: '' },
          ],
        },
      },
    },
    'approval',
  ),
  ...updates(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    request({}),
    { approved: { status: { conditions: [{ type: 'Approved', status: 'True' }] } }, signed: { status: { certificate: 'eA==' } } },
    'status',
  ),

  ...creates(registration, 'ValidatingWebhookConfiguration', {
    plain: {
      webhooks: [
        hook({
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['*'] }],
          clientConfig: { service: { name: 's', namespace: 'n' } },
        }),
      ],
    },
    bad: {
      webhooks: [
        hook({
          name: 'a',
          clientConfig: {},
          sideEffects: 'Some',
          admissionReviewVersions: ['v3', 'v3'],
          timeoutSeconds: 40,
          failurePolicy: 'X',
          matchPolicy: 'Y',
        }),
        hook({ sideEffects: null, admissionReviewVersions: [] }),
      ],
    },
    'bad rules': {
      webhooks: [
        hook({
          rules: [
            {},
            {
              apiGroups: ['*', 'a'],
              apiVersions: ['*', ''],
              resources: ['*/*', 'a', '', 'pods/*', 'pods/log', '*/scale', 'x/scale', '*'],
              operations: ['*', 'FOO'],
              scope: 'X',
            },
          ],
        }),
      ],
    },
    'bad urls': {
      webhooks: [
        hook({ clientConfig: { url: 'http://u:p@/x?y#z' } }),
        hook({ name: 'b.example.com', clientConfig: { service: { name: '', namespace: 'n', path: 'a//B', port: 0 } } }),
      ],
    },
    'same name': { webhooks: [hook(), hook()] },
    'bad conditions': {
      webhooks: [
        hook({
          matchConditions: [
            { name: 'a b', expression: 'foo' },
            { name: '', expression: '' },
            { name: 'a', expression: '1' },
            { name: 'a', expression: 'object.x == ' },
          ],
        }),
      ],
    },
  }),
  ...creates(registration, 'MutatingWebhookConfiguration', {
    plain: { webhooks: [hook()] },
    bad: { webhooks: [hook({ reinvocationPolicy: 'X' })] },
  }),
  ...updates(registration, 'MutatingWebhookConfiguration', { webhooks: [hook()] }, { name: { webhooks: [hook({ name: 'x' })] } }),
  ...creates(registration, 'ValidatingAdmissionPolicy', {
    plain: policy({
      variables: [{ name: 'v', expression: 'object.metadata' }],
      validations: [{ expression: "variables.v.name == 'x'", messageExpression: "'a'" }],
    }),
    empty: { spec: {} },
    'bad expressions': policy({
      validations: [
        { expression: 'foo' },
        { expression: '1' },
        { expression: ' ' },
        { expression: 'true', messageExpression: '1', reason: 'X' },
        { expression: 'true', message: 'a\nb' },
      ],
    }),
    'bad variables': policy({
      variables: [
        { name: 'a b', expression: '1' },
        { name: '', expression: '' },
      ],
      validations: [{ expression: 'variables.zzz' }],
    }),
    'bad kind': policy({ paramKind: { apiVersion: 'a/b/c', kind: 'A b' }, failurePolicy: 'X' }),
    'bad audit': policy({
      auditAnnotations: [
        { key: 'a b', valueExpression: '1' },
        { key: 'k', valueExpression: '' },
        { key: 'k', valueExpression: "'x'" },
      ],
    }),
    'no params': policy({ validations: [{ expression: 'params.x == 1' }] }),
  }),
  ...creates(registration, 'ValidatingAdmissionPolicyBinding', {
    plain: { spec: { policyName: 'p', validationActions: ['Deny'] } },
    bad: {
      spec: {
        policyName: 'A',
        validationActions: ['Deny', 'Warn', 'X', 'X'],
        paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Z' },
        matchResources: { matchPolicy: 'Y' },
      },
    },
    empty: { spec: { paramRef: {} } },
  }),
  ...creates(registration, 'MutatingAdmissionPolicy', {
    plain: mutation({}),
    empty: { spec: {} },
    bad: mutation({
      mutations: [
        { patchType: 'X' },
        { patchType: 'JSONPatch', applyConfiguration: { expression: 'a' } },
        { patchType: 'ApplyConfiguration', applyConfiguration: { expression: '1' } },
      ],
      reinvocationPolicy: 'Y',
    }),
    deletes: mutation({ matchConstraints: { resourceRules: [{ ...match.resourceRules[0], operations: ['DELETE'] }] } }),
  }),
  ...creates(registration, 'MutatingAdmissionPolicyBinding', { plain: { spec: { policyName: 'p' } }, bad: { spec: {} } }),

  ...creates('apiregistration.k8s.io/v1', 'APIService', {
    plain: {
      metadata: { name: 'v1.x.example.com' },
      spec: {
        group: 'x.example.com',
        version: 'v1',
        groupPriorityMinimum: 1,
        versionPriority: 1,
        service: { name: 's', namespace: 'n' },
        insecureSkipTLSVerify: true,
      },
    },
    bad: {
      metadata: { name: 'foo' },
      spec: { group: 'A', version: '1', groupPriorityMinimum: 0, versionPriority: 2000, insecureSkipTLSVerify: true },
    },
    empty: { metadata: { name: 'x' }, spec: { groupPriorityMinimum: 0, versionPriority: 0, service: { port: 0 } } },
  }),
  ...creates('flowcontrol.apiserver.k8s.io/v1', 'FlowSchema', {
    plain: flow({}),
    bad: flow({
      matchingPrecedence: 1,
      distinguisherMethod: { type: 'X' },
      priorityLevelConfiguration: { name: '' },
      rules: [
        { subjects: [] },
        {
          subjects: [
            { kind: 'X' },
            { kind: 'User', group: { name: 'g' } },
            { kind: 'ServiceAccount', serviceAccount: { name: 'A', namespace: '' } },
          ],
          resourceRules: [{ verbs: ['foo'], apiGroups: ['*', 'a'], resources: [], namespaces: ['A'] }, { verbs: [] }],
          nonResourceRules: [{ verbs: ['*', 'get'], nonResourceURLs: ['', 'a', '/a b', '//', '/*/a'] }],
        },
      ],
    }),
  }),
  ...creates('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', {
    plain: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: {} } } } },
    exempt: { spec: { type: 'Exempt', limited: { limitResponse: { type: 'Reject' } } } },
    bad: {
      spec: {
        type: 'Limited',
        exempt: {},
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: { type: 'Queue', queuing: { queues: 4, handSize: 5, queueLengthLimit: -1 } },
        },
      },
    },
    entropy: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 1000000, handSize: 10 } } } } },
    empty: { spec: { type: '' } },
    reject: { spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject', queuing: {} } } } },
  }),
  ...creates('resource.k8s.io/v1', 'ResourceClaim', {
    plain: devices({}),
    bad: devices({
      deviceClassName: 'A',
      allocationMode: 'X',
      selectors: [{}, { cel: { expression: 'foo' } }, { cel: { expression: '1' } }],
      tolerations: [
        { operator: 'X', effect: 'Y' },
        { key: 'a b', operator: 'Exists', value: 'v' },
      ],
    }),
    empty: {
      spec: {
        devices: {
          requests: [{ name: 'A' }, { name: 'b', exactly: { deviceClassName: 'c', allocationMode: 'All', count: 1 }, firstAvailable: [] }],
          constraints: [{ requests: ['x'], matchAttribute: 'a' }],
          config: [{ requests: ['a/b/c'] }, { opaque: { driver: '', parameters: [] } }],
        },
      },
    },
    choices: {
      spec: {
        devices: {
          requests: [
            {
              name: 'a',
              firstAvailable: [
                { name: 'x', deviceClassName: 'c' },
                { name: 'x', deviceClassName: '' },
              ],
            },
          ],
        },
      },
    },
    admin: devices({ adminAccess: true }),
  }),
  ...updates(
    'resource.k8s.io/v1',
    'ResourceClaim',
    devices({}),
    {
      'bad reservation': { status: { reservedFor: [{ resource: 'pods', name: 'a', uid: 'u' }] } },
      'bad device': { status: { devices: [{ driver: 'd', pool: 'p', device: 'x' }] } },
    },
    'status',
  ),
  ...creates('resource.k8s.io/v1', 'ResourceClaimTemplate', {
    plain: { spec: { spec: devices({}).spec } },
    bad: { spec: { metadata: { labels: { 'a b': 'c' } }, spec: devices({ deviceClassName: '' }).spec } },
  }),
  ...creates('resource.k8s.io/v1', 'DeviceClass', {
    plain: { spec: { selectors: [{ cel: { expression: "device.driver == 'x'" } }] } },
    bad: { spec: { selectors: [{ cel: { expression: 'x' } }], config: [{}], extendedResourceName: 'cpu' } },
  }),
  ...creates('resource.k8s.io/v1', 'ResourceSlice', {
    plain: deviceSlice({}),
    bad: deviceSlice({
      driver: 'A_',
      pool: { name: '', generation: -1, resourceSliceCount: 0 },
      allNodes: false,
      nodeName: '',
      devices: [
        {
          name: 'A',
          attributes: { 'a b': { string: 'x' }, c: {}, d: { string: 'x', int: 1 }, e: { version: 'v' } },
          capacity: { x: { value: '1', requestPolicy: { default: '1' } } },
          nodeName: 'n',
          bindingConditions: ['a', 'a'],
        },
        { name: 'A', taints: [{ key: '', effect: '' }] },
      ],
    }),
    many: deviceSlice({
      allNodes: true,
      perDeviceNodeSelection: true,
      devices: [{ name: 'a' }, { name: 'b', nodeName: 'n', allNodes: true }],
    }),
    upper: deviceSlice({ driver: 'D.example.com' }),
  }),
];
