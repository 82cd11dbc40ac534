import { merge, post, put, type Case } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const apps = '/apis/apps/v1/namespaces/{{ns}}';
const batch = '/apis/batch/v1/namespaces/{{ns}}';
const networking = '/apis/networking.k8s.io/v1/namespaces/{{ns}}';
const labels = { a: 'b' };
const selector = { matchLabels: labels };
const container = { name: 'c', image: 'i' };
const template = (spec: object = {}, metadata: object = { labels }): object => ({ metadata, spec: { containers: [container], ...spec } });
const workload = (spec: object): object => ({ metadata: { name: 'x' }, spec: { selector, template: template(), ...spec } });
const pod = (spec: object): object => ({ metadata: { name: 'x' }, spec: { containers: [container], ...spec } });
const job = (spec: object, podSpec: object = {}): object => ({
  metadata: { name: 'x' },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [container], ...podSpec } }, ...spec },
});
const ingress = (spec: object): object => ({ metadata: { name: 'x' }, spec });

const invalid: readonly [string, string, object][] = [
  ['deployment without selector', `${apps}/deployments`, { metadata: { name: 'x' }, spec: { template: template() } }],
  ['deployment with an empty selector', `${apps}/deployments`, workload({ selector: {} })],
  ['deployment whose selector does not match', `${apps}/deployments`, workload({ template: template({}, { labels: { c: 'd' } }) })],
  [
    'deployment with negative numbers',
    `${apps}/deployments`,
    workload({ replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1, progressDeadlineSeconds: -1 }),
  ],
  ['deployment with a bad strategy', `${apps}/deployments`, workload({ strategy: { type: 'Odd' } })],
  ['deployment that never moves', `${apps}/deployments`, workload({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } })],
  [
    'deployment with bad percentages',
    `${apps}/deployments`,
    workload({ strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '200%' } } }),
  ],
  [
    'deployment with a bad selector operator',
    `${apps}/deployments`,
    workload({
      selector: {
        matchExpressions: [
          { key: 'a', operator: 'Odd' },
          { key: 'b', operator: 'In' },
        ],
      },
    }),
  ],
  ['deployment that never restarts', `${apps}/deployments`, workload({ template: template({ restartPolicy: 'Never' }) })],
  ['replica set without template', `${apps}/replicasets`, { metadata: { name: 'x' }, spec: { selector } }],
  [
    'stateful set with bad policies',
    `${apps}/statefulsets`,
    workload({ podManagementPolicy: 'Odd', updateStrategy: { type: 'Odd' }, replicas: -1 }),
  ],
  [
    'daemon set with a bad strategy',
    `${apps}/daemonsets`,
    workload({ updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } }),
  ],
  ['pod without containers', `${ns}/pods`, { metadata: { name: 'x' }, spec: {} }],
  ['pod with empty containers', `${ns}/pods`, pod({ containers: [] })],
  ['pod with nameless containers', `${ns}/pods`, pod({ containers: [{}, { name: 'Bad Name', image: ' i' }] })],
  ['pod with the same container twice', `${ns}/pods`, pod({ containers: [container, container], initContainers: [container] })],
  [
    'pod with bad ports',
    `${ns}/pods`,
    pod({
      containers: [
        {
          ...container,
          ports: [
            { containerPort: 0 },
            { containerPort: 70000, protocol: 'ODD', name: 'name-that-is-too-long' },
            { containerPort: 1, hostPort: 99999 },
            { containerPort: 2, name: 'a' },
            { containerPort: 3, name: 'a' },
          ],
        },
      ],
    }),
  ],
  [
    'pod with bad env',
    `${ns}/pods`,
    pod({
      containers: [
        {
          ...container,
          env: [
            { name: '' },
            { name: 'a=b' },
            { name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'spec.nope' } } },
            { name: 'B', valueFrom: {} },
          ],
        },
      ],
    }),
  ],
  [
    'pod with bad volumes',
    `${ns}/pods`,
    pod({
      volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/x' } }, { name: 'v' }, { name: 'Bad' }, { name: 'w', configMap: {} }],
      containers: [
        {
          ...container,
          volumeMounts: [
            { name: 'missing', mountPath: '' },
            { name: 'v', mountPath: '/a' },
            { name: 'v', mountPath: '/a' },
          ],
        },
      ],
    }),
  ],
  [
    'pod with bad resources',
    `${ns}/pods`,
    pod({ containers: [{ ...container, resources: { requests: { cpu: '2', odd: '1' }, limits: { cpu: '1', memory: '-1' } } }] }),
  ],
  ['pod with unparsable quantities', `${ns}/pods`, pod({ containers: [{ ...container, resources: { requests: { cpu: 'lots' } } }] })],
  [
    'pod with bad probes',
    `${ns}/pods`,
    pod({
      containers: [
        {
          ...container,
          livenessProbe: { periodSeconds: -1 },
          readinessProbe: { httpGet: { port: 0 }, tcpSocket: { port: 1 }, successThreshold: -2 },
        },
      ],
    }),
  ],
  [
    'pod with bad policies',
    `${ns}/pods`,
    pod({ restartPolicy: 'Odd', dnsPolicy: 'Odd', terminationGracePeriodSeconds: -1, activeDeadlineSeconds: 0, preemptionPolicy: 'Odd' }),
  ],
  [
    'pod with a bad image policy',
    `${ns}/pods`,
    pod({ containers: [{ ...container, imagePullPolicy: 'Odd', terminationMessagePolicy: 'Odd' }] }),
  ],
  [
    'pod with bad tolerations',
    `${ns}/pods`,
    pod({
      tolerations: [
        { operator: 'Odd' },
        { key: 'a b', operator: 'Exists', value: 'x' },
        { effect: 'Odd', operator: 'Exists' },
        { key: 'a', operator: 'Exists', tolerationSeconds: 5 },
      ],
    }),
  ],
  [
    'pod with bad affinity',
    `${ns}/pods`,
    pod({
      affinity: {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: '' }] },
      },
    }),
  ],
  [
    'pod with bad names',
    `${ns}/pods`,
    pod({
      nodeName: 'Bad Node',
      hostname: 'Bad_Host',
      subdomain: 'Bad_Sub',
      schedulerName: '',
      serviceAccountName: 'default',
      nodeSelector: { 'a b': 'c d' },
    }),
  ],
  [
    'pod with bad security contexts',
    `${ns}/pods`,
    pod({
      securityContext: { runAsUser: -1, sysctls: [{ name: 'Bad', value: 'x' }], seccompProfile: { type: 'Odd' } },
      containers: [{ ...container, securityContext: { privileged: true, allowPrivilegeEscalation: false, procMount: 'Odd' } }],
    }),
  ],
  [
    'pod with bad host aliases',
    `${ns}/pods`,
    pod({ hostAliases: [{ ip: 'x', hostnames: ['Bad_'] }], dnsConfig: { nameservers: ['x'] }, imagePullSecrets: [{}] }),
  ],
  ['pod with bad topology', `${ns}/pods`, pod({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Odd' }] })],
  [
    'pod on host network with wrong host port',
    `${ns}/pods`,
    pod({ hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80, hostPort: 81 }] }] }),
  ],
  ['job that restarts always', `${batch}/jobs`, job({}, { restartPolicy: 'Always' })],
  ['job without restart policy', `${batch}/jobs`, { metadata: { name: 'x' }, spec: { template: { spec: { containers: [container] } } } }],
  [
    'job with negative numbers',
    `${batch}/jobs`,
    job({ parallelism: -1, completions: -1, backoffLimit: -1, activeDeadlineSeconds: -1, ttlSecondsAfterFinished: -1 }),
  ],
  ['job with a selector of its own', `${batch}/jobs`, job({ selector })],
  ['job with bad modes', `${batch}/jobs`, job({ completionMode: 'Odd', podReplacementPolicy: 'Odd' })],
  [
    'cron job with bad fields',
    `${batch}/cronjobs`,
    {
      metadata: { name: 'x' },
      spec: { schedule: 'never', concurrencyPolicy: 'Odd', timeZone: 'Moon/Base', startingDeadlineSeconds: -1, jobTemplate: { spec: {} } },
    },
  ],
  [
    'cron job with a long name',
    `${batch}/cronjobs`,
    { metadata: { name: 'x'.repeat(53) }, spec: { schedule: '* * * * *', jobTemplate: job({}) } },
  ],
  [
    'cron job with a zone in the schedule',
    `${batch}/cronjobs`,
    { metadata: { name: 'x' }, spec: { schedule: 'TZ=UTC * * * * *', jobTemplate: job({}) } },
  ],
  ['ingress without anything', `${networking}/ingresses`, ingress({})],
  ['ingress without path type', `${networking}/ingresses`, ingress({ rules: [{ http: { paths: [{ path: 'x', backend: {} }] } }] })],
  [
    'ingress with a bad host',
    `${networking}/ingresses`,
    ingress({ rules: [{ host: '1.2.3.4' }, { host: '*.' }, { host: 'Bad_' }], tls: [{ hosts: ['*.*'] }] }),
  ],
  [
    'ingress with both backends',
    `${networking}/ingresses`,
    ingress({ defaultBackend: { service: { name: 'a', port: { number: 1, name: 'x' } }, resource: { kind: 'K', name: 'n' } } }),
  ],
  [
    'network policy with bad peers',
    `${networking}/networkpolicies`,
    {
      metadata: { name: 'x' },
      spec: {
        podSelector: {},
        policyTypes: ['Odd'],
        ingress: [
          {
            from: [{}, { ipBlock: { cidr: 'x' }, podSelector: {} }, { ipBlock: { cidr: '192.0.2.0/24', except: ['10.1.0.0/16'] } }],
            ports: [{ port: 0 }, { port: 80, endPort: 70 }],
          },
        ],
      },
    },
  ],
  [
    'autoscaler with bad numbers',
    '/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers',
    {
      metadata: { name: 'x' },
      spec: { minReplicas: 5, maxReplicas: 1, scaleTargetRef: {}, metrics: [{ type: 'Odd' }, { type: 'Resource' }] },
    },
  ],
  [
    'disruption budget with both',
    '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets',
    { metadata: { name: 'x' }, spec: { minAvailable: 1, maxUnavailable: 1 } },
  ],
  [
    'disruption budget with bad percentages',
    '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets',
    { metadata: { name: 'x' }, spec: { minAvailable: '101%' } },
  ],
  ['claim without anything', `${ns}/persistentvolumeclaims`, { metadata: { name: 'x' }, spec: {} }],
  [
    'claim with bad fields',
    `${ns}/persistentvolumeclaims`,
    {
      metadata: { name: 'x' },
      spec: {
        accessModes: ['Odd', 'ReadWriteOncePod', 'ReadWriteOnce'],
        resources: { requests: { storage: '-1Gi' } },
        volumeMode: 'Odd',
        storageClassName: 'Bad Name',
      },
    },
  ],
  ['volume without anything', '/api/v1/persistentvolumes', { metadata: { name: '{{id}}' }, spec: {} }],
  [
    'volume with two sources',
    '/api/v1/persistentvolumes',
    {
      metadata: { name: '{{id}}' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a/../b' }, nfs: { server: '', path: 'x' } },
    },
  ],
  [
    'quota with bad names',
    `${ns}/resourcequotas`,
    {
      metadata: { name: 'x' },
      spec: { hard: { odd: '1', pods: '-1', 'requests.cpu': '1.0001' }, scopes: ['Odd', 'BestEffort', 'NotBestEffort'] },
    },
  ],
  [
    'limit range with bad bounds',
    `${ns}/limitranges`,
    {
      metadata: { name: 'x' },
      spec: {
        limits: [
          { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' }, default: { cpu: '5' } },
          { type: 'Odd' },
          { type: 'Pod', default: { cpu: '1' } },
        ],
      },
    },
  ],
  [
    'endpoints with bad addresses',
    `${ns}/endpoints`,
    { metadata: { name: 'x' }, subsets: [{ addresses: [{ ip: 'x' }, { ip: '127.0.0.1' }], ports: [{ port: 0 }, { port: 1 }] }, {}] },
  ],
  [
    'endpoint slice with bad fields',
    '/apis/discovery.k8s.io/v1/namespaces/{{ns}}/endpointslices',
    {
      metadata: { name: 'x' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['::1', '127.0.0.1'] }, { addresses: [] }],
      ports: [{ name: 'a' }, { name: 'a' }],
    },
  ],
  [
    'endpoint slice of an odd type',
    '/apis/discovery.k8s.io/v1/namespaces/{{ns}}/endpointslices',
    { metadata: { name: 'x' }, addressType: 'Odd', endpoints: [] },
  ],
  [
    'lease with bad numbers',
    '/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases',
    { metadata: { name: 'x' }, spec: { leaseDurationSeconds: 0, leaseTransitions: -1, holderIdentity: '' } },
  ],
  [
    'lease with a bad time',
    '/apis/coordination.k8s.io/v1/namespaces/{{ns}}/leases',
    { metadata: { name: 'x' }, spec: { renewTime: 'yesterday' } },
  ],
  ['priority class that is too high', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: '{{id}}' }, value: 2_000_000_000 }],
  ['priority class of the system', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'system-{{id}}' }, value: 1 }],
  [
    'storage class without provisioner',
    '/apis/storage.k8s.io/v1/storageclasses',
    { metadata: { name: '{{id}}' }, reclaimPolicy: 'Odd', volumeBindingMode: 'Odd' },
  ],
  ['runtime class with a bad handler', '/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: '{{id}}' }, handler: 'Bad Handler' }],
  [
    'node with bad fields',
    '/api/v1/nodes',
    { metadata: { name: '{{id}}' }, spec: { taints: [{ key: 'a b', effect: 'Odd' }], podCIDRs: ['x'], podCIDR: 'y' } },
  ],
  [
    'api service with bad fields',
    '/apis/apiregistration.k8s.io/v1/apiservices',
    { metadata: { name: 'odd' }, spec: { group: 'g', version: 'v1', groupPriorityMinimum: 0, versionPriority: 0 } },
  ],
  [
    'flow schema with bad fields',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    { metadata: { name: '{{id}}' }, spec: { matchingPrecedence: 0, priorityLevelConfiguration: {}, rules: [{ subjects: [] }] } },
  ],
  ['controller revision without data', `${apps}/controllerrevisions`, { metadata: { name: 'x' }, revision: -1 }],
  [
    'resource claim with bad requests',
    '/apis/resource.k8s.io/v1/namespaces/{{ns}}/resourceclaims',
    {
      metadata: { name: 'x' },
      spec: { devices: { requests: [{ name: 'a' }, { name: 'a', exactly: { deviceClassName: '', allocationMode: 'Odd' } }] } },
    },
  ],
];

const updates: readonly [string, string, object, readonly object[]][] = [
  [
    'a deployment selector',
    `${apps}/deployments`,
    workload({}),
    [{ spec: { selector: { matchLabels: { c: 'd' } } } }, { spec: { replicas: -1 } }],
  ],
  ['a replica set selector', `${apps}/replicasets`, workload({}), [{ spec: { selector: { matchLabels: { c: 'd' } } } }]],
  [
    'a daemon set selector',
    `${apps}/daemonsets`,
    workload({}),
    [{ spec: { selector: { matchLabels: { c: 'd' } } } }, { spec: { template: { spec: { terminationGracePeriodSeconds: 1 } } } }],
  ],
  [
    'a stateful set',
    `${apps}/statefulsets`,
    workload({ serviceName: 's' }),
    [{ spec: { serviceName: 't' } }, { spec: { podManagementPolicy: 'Parallel' } }, { spec: { replicas: 2, minReadySeconds: 1 } }],
  ],
  [
    'a pod',
    `${ns}/pods`,
    pod({}),
    [
      { spec: { containers: [{ ...container, image: 'j' }] } },
      { spec: { containers: [{ ...container, command: ['x'] }] } },
      { spec: { nodeName: 'n' } },
      { spec: { tolerations: [{ key: 'new', operator: 'Exists' }] } },
      { spec: { activeDeadlineSeconds: 10 } },
      { spec: { activeDeadlineSeconds: 20 } },
      { spec: { activeDeadlineSeconds: null } },
      { spec: { restartPolicy: 'Never' } },
      { spec: { terminationGracePeriodSeconds: 1 } },
    ],
  ],
  [
    'a job',
    `${batch}/jobs`,
    job({}),
    [
      { spec: { completions: 5 } },
      { spec: { template: { spec: { containers: [{ name: 'c', image: 'j' }] } } } },
      { spec: { suspend: true, parallelism: 0 } },
      { spec: { completionMode: 'Indexed' } },
    ],
  ],
  [
    'a claim',
    `${ns}/persistentvolumeclaims`,
    { metadata: { name: 'x' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    [
      { spec: { resources: { requests: { storage: '2Gi' } } } },
      { spec: { accessModes: ['ReadWriteMany'] } },
      { spec: { storageClassName: 'x' } },
      { spec: { volumeName: 'v' } },
    ],
  ],
  [
    'a storage class',
    '/apis/storage.k8s.io/v1/storageclasses',
    { metadata: { name: '{{id}}' }, provisioner: 'a.example.com', parameters: { a: 'b' } },
    [
      { provisioner: 'b.example.com' },
      { parameters: { a: 'c' } },
      { reclaimPolicy: 'Retain' },
      { volumeBindingMode: 'WaitForFirstConsumer' },
    ],
  ],
  [
    'a priority class',
    '/apis/scheduling.k8s.io/v1/priorityclasses',
    { metadata: { name: '{{id}}' }, value: 1 },
    [{ value: 2 }, { preemptionPolicy: 'Never' }, { globalDefault: false }],
  ],
  ['a runtime class', '/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: '{{id}}' }, handler: 'a' }, [{ handler: 'b' }]],
  [
    'an endpoint slice',
    '/apis/discovery.k8s.io/v1/namespaces/{{ns}}/endpointslices',
    { metadata: { name: 'x' }, addressType: 'IPv4', endpoints: [] },
    [{ addressType: 'IPv6' }],
  ],
  [
    'an ingress class',
    '/apis/networking.k8s.io/v1/ingressclasses',
    { metadata: { name: '{{id}}' }, spec: { controller: 'a.example.com/x' } },
    [{ spec: { controller: 'b.example.com/x' } }],
  ],
  [
    'a volume',
    '/api/v1/persistentvolumes',
    { metadata: { name: '{{id}}' }, spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } } },
    [{ spec: { hostPath: { path: '/y' } } }, { spec: { capacity: { storage: '2Gi' } } }, { spec: { volumeMode: 'Block' } }],
  ],
  [
    'a csi driver',
    '/apis/storage.k8s.io/v1/csidrivers',
    { metadata: { name: '{{id}}' }, spec: {} },
    [{ spec: { attachRequired: false } }, { spec: { podInfoOnMount: true } }],
  ],
  ['a controller revision', `${apps}/controllerrevisions`, { metadata: { name: 'x' }, data: { a: 1 }, revision: 1 }, [{ data: { a: 2 } }]],
  [
    'a cron job',
    `${batch}/cronjobs`,
    { metadata: { name: 'x' }, spec: { schedule: '* * * * *', jobTemplate: job({}) } },
    [{ spec: { schedule: 'x' } }, { spec: { jobTemplate: { spec: { template: { spec: { restartPolicy: 'Always' } } } } } }],
  ],
  [
    'a resource claim',
    '/apis/resource.k8s.io/v1/namespaces/{{ns}}/resourceclaims',
    { metadata: { name: 'x' }, spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } },
    [{ spec: { devices: { requests: [] } } }],
  ],
  [
    'a resource quota',
    `${ns}/resourcequotas`,
    { metadata: { name: 'x' }, spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } },
    [{ spec: { scopes: ['Terminating'] } }, { spec: { hard: { pods: '-1' } } }],
  ],
  ['a secret type', `${ns}/secrets`, { metadata: { name: 'x' } }, [{ type: 'other' }, { data: { 'bad key': '' } }]],
];

export const cases: readonly Case[] = [
  ...invalid.map(([what, path, body]): Case => ({
    name: `refuses a ${what}`,
    steps: [post(path, body), post(`${path}?dryRun=All`, body)],
  })),
  ...updates.map(([what, path, body, patches]): Case => {
    const name = JSON.stringify(body).includes('{{id}}') ? '{{id}}' : 'x';
    return {
      name: `guards the update of ${what}`,
      steps: [post(path, body), ...patches.map(p => merge(`${path}/${name}`, p)), put(`${path}/${name}`, body)],
    };
  }),
];
