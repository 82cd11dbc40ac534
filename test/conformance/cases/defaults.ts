import { get, merge, post, put, type Case } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const pods = `${ns}/pods`;
const services = `${ns}/services`;
const container = { name: 'c', image: 'i' };
const pod = (spec: object, metadata: object = {}): object => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [container], ...spec },
});
const withContainer = (extra: object): object => pod({ containers: [{ ...container, ...extra }] });
const service = (spec: object, name = 's'): object => ({ metadata: { name }, spec });
const apps = '/apis/apps/v1/namespaces/{{ns}}';
const labels = { a: 'b' };
const template = (spec: object = {}): object => ({ metadata: { labels }, spec: { containers: [container], ...spec } });
const selector = { matchLabels: labels };

const podCases: readonly [string, object][] = [
  [
    'image tags',
    pod({
      containers: ['i', 'i:latest', 'i:1', 'r.example:5000/i', 'i@sha256:' + 'a'.repeat(64)].map((image, i) => ({ name: `c${i}`, image })),
    }),
  ],
  [
    'probes',
    withContainer({
      livenessProbe: { httpGet: { port: 80 } },
      readinessProbe: { tcpSocket: { port: 'http' } },
      startupProbe: { exec: { command: ['x'] } },
      ports: [{ containerPort: 80, name: 'http' }],
    }),
  ],
  [
    'grpc and lifecycle',
    withContainer({
      livenessProbe: { grpc: { port: 80 } },
      lifecycle: { preStop: { httpGet: { port: 80 } }, postStart: { exec: { command: ['x'] } } },
    }),
  ],
  ['limits become requests', withContainer({ resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: '0.5' } } })],
  [
    'quantities',
    withContainer({ resources: { limits: { cpu: '0.1', memory: '1e3', 'example.com/x': '1k', 'ephemeral-storage': '1.5Gi' } } }),
  ],
  [
    'env sources',
    withContainer({
      env: [
        { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
        { name: 'B', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
        { name: 'C', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        { name: 'D', value: '' },
      ],
    }),
  ],
  [
    'volumes',
    pod({
      volumes: [
        { name: 'a', configMap: { name: 'm' } },
        { name: 'b', secret: { secretName: 's' } },
        { name: 'c', hostPath: { path: '/x' } },
        { name: 'd', downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.labels' } }] } },
        { name: 'e', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
        { name: 'f', iscsi: { targetPortal: '1.2.3.4', iqn: 'iqn.2000-01.a:b', lun: 0 } },
        { name: 'g' },
      ],
    }),
  ],
  ['host network ports', pod({ hostNetwork: true, containers: [{ ...container, ports: [{ containerPort: 80 }] }] })],
  ['tolerations and priority', pod({ tolerations: [{ key: 'x', operator: 'Exists' }], priorityClassName: 'system-cluster-critical' })],
  ['an unknown priority class', pod({ priorityClassName: 'missing' })],
  ['a priority of its own', pod({ priority: 5 })],
  [
    'init and sidecar containers',
    pod({
      initContainers: [
        { name: 'i1', image: 'i' },
        { name: 'i2', image: 'i', restartPolicy: 'Always' },
      ],
    }),
  ],
  ['security contexts', pod({ securityContext: { runAsUser: 5 }, containers: [{ ...container, securityContext: { privileged: true } }] })],
  [
    'topology spread and affinity',
    pod({
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector }],
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'x' } }] },
      },
    }),
  ],
  [
    'a node name and restart policy',
    pod({ nodeName: 'n', restartPolicy: 'Never', activeDeadlineSeconds: 5, terminationGracePeriodSeconds: 0 }),
  ],
  ['guaranteed quality', withContainer({ resources: { limits: { cpu: '1', memory: '1Gi' } } })],
  ['os and runtime class', pod({ os: { name: 'linux' }, runtimeClassName: 'missing' })],
  [
    'ephemeral volumes',
    pod({
      volumes: [
        {
          name: 'e',
          ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } } },
        },
      ],
    }),
  ],
  [
    'deprecated annotations and labels',
    pod({ nodeSelector: { 'beta.kubernetes.io/os': 'linux' } }, { annotations: { 'scheduler.alpha.kubernetes.io/critical-pod': '' } }),
  ],
];

const serviceCases: readonly [string, object][] = [
  ['headless', { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] }],
  ['headless without selector', { clusterIP: 'None' }],
  ['external name', { type: 'ExternalName', externalName: 'x.example.com' }],
  ['node port', { type: 'NodePort', ports: [{ port: 80 }] }],
  ['load balancer', { type: 'LoadBalancer', ports: [{ port: 80 }], externalTrafficPolicy: 'Local' }],
  ['load balancer without node ports', { type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] }],
  ['session affinity', { sessionAffinity: 'ClientIP', ports: [{ port: 80 }] }],
  [
    'many ports',
    {
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80, protocol: 'UDP' },
        { name: 'c', port: 81, targetPort: 'web' },
      ],
    },
  ],
  ['an explicit ip', { clusterIP: '10.0.77.77', ports: [{ port: 80 }] }],
  ['an ip out of range', { clusterIP: '192.0.2.1', ports: [{ port: 80 }] }],
  ['a bad ip', { clusterIP: 'x', ports: [{ port: 80 }] }],
  ['two families', { ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] }],
  ['two required families', { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] }],
  ['no ports', { selector: labels }],
  ['unnamed ports', { ports: [{ port: 80 }, { port: 81 }] }],
  ['bad ports', { ports: [{ port: 0 }, { port: 70000, protocol: 'ODD', name: 'Bad_Name', targetPort: '' }] }],
  [
    'the same port twice',
    {
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
      ],
    },
  ],
  ['a node port out of range', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }],
  ['external ips', { externalIPs: ['192.0.2.1', 'x'], ports: [{ port: 80 }] }],
  ['a bad type', { type: 'Odd', ports: [{ port: 80 }] }],
  ['traffic policies', { internalTrafficPolicy: 'Local', externalTrafficPolicy: 'Local', ports: [{ port: 80 }] }],
];

const others: readonly [string, string, object][] = [
  [
    'a stateful set with claims',
    `${apps}/statefulsets`,
    {
      spec: {
        selector,
        template: template(),
        volumeClaimTemplates: [
          { metadata: { name: 'v' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
        ],
      },
    },
  ],
  ['a daemon set on delete', `${apps}/daemonsets`, { spec: { selector, template: template(), updateStrategy: { type: 'OnDelete' } } }],
  ['a recreated deployment', `${apps}/deployments`, { spec: { selector, template: template(), strategy: { type: 'Recreate' } } }],
  [
    'a deployment with surge',
    `${apps}/deployments`,
    {
      spec: {
        selector,
        template: template(),
        strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } },
        paused: true,
        minReadySeconds: 3,
      },
    },
  ],
  [
    'an indexed job',
    '/apis/batch/v1/namespaces/{{ns}}/jobs',
    { spec: { completions: 3, completionMode: 'Indexed', template: { spec: { restartPolicy: 'OnFailure', containers: [container] } } } },
  ],
  [
    'a job with policies',
    '/apis/batch/v1/namespaces/{{ns}}/jobs',
    {
      spec: {
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
        ttlSecondsAfterFinished: 5,
        template: { spec: { restartPolicy: 'Never', containers: [container] } },
      },
    },
  ],
  [
    'a job with a manual selector',
    '/apis/batch/v1/namespaces/{{ns}}/jobs',
    {
      spec: {
        manualSelector: true,
        selector,
        template: { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [container] } },
      },
    },
  ],
  [
    'a cron job with a zone',
    '/apis/batch/v1/namespaces/{{ns}}/cronjobs',
    {
      spec: {
        schedule: '@daily',
        timeZone: 'Etc/UTC',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } } },
      },
    },
  ],
  [
    'an ingress',
    '/apis/networking.k8s.io/v1/namespaces/{{ns}}/ingresses',
    {
      spec: {
        tls: [{ hosts: ['a.example.com'], secretName: 's' }],
        rules: [
          {
            host: 'a.example.com',
            http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { name: 'web' } } } }] },
          },
        ],
      },
    },
  ],
  [
    'a network policy',
    '/apis/networking.k8s.io/v1/namespaces/{{ns}}/networkpolicies',
    {
      spec: {
        podSelector: selector,
        ingress: [
          {
            ports: [{ port: 80 }, { port: 'web', protocol: 'UDP' }],
            from: [{ ipBlock: { cidr: '192.0.2.0/24' } }, { namespaceSelector: {} }],
          },
        ],
        egress: [{ to: [{ podSelector: {} }] }],
      },
    },
  ],
  [
    'an autoscaler of memory',
    '/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers',
    {
      spec: {
        maxReplicas: 5,
        scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' },
        metrics: [{ type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '1024Mi' } } }],
        behavior: { scaleDown: { policies: [{ type: 'Pods', value: 1, periodSeconds: 15 }] } },
      },
    },
  ],
  [
    'an endpoint slice',
    '/apis/discovery.k8s.io/v1/namespaces/{{ns}}/endpointslices',
    { addressType: 'FQDN', endpoints: [{ addresses: ['a.example.com'] }], ports: [{ port: 80, name: 'x' }, { name: 'y' }] },
  ],
  [
    'a limit range',
    `${ns}/limitranges`,
    {
      spec: {
        limits: [
          { type: 'Container', max: { cpu: '1000m' }, min: { cpu: '100m' }, default: { memory: '1024Mi' } },
          { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
        ],
      },
    },
  ],
  [
    'a claim with a class',
    `${ns}/persistentvolumeclaims`,
    {
      spec: {
        storageClassName: '',
        accessModes: ['ReadWriteMany'],
        resources: { requests: { storage: '1.5Gi' } },
        dataSource: { kind: 'PersistentVolumeClaim', name: 'x' },
      },
    },
  ],
  [
    'a disruption budget',
    '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets',
    { spec: { maxUnavailable: '25%', selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' } },
  ],
  ['a replication controller without selector', `${ns}/replicationcontrollers`, { spec: { template: template() } }],
];

export const cases: readonly Case[] = [
  ...podCases.map(([what, body]): Case => ({ name: `a pod with ${what}`, steps: [post(pods, body)] })),
  ...serviceCases.map(([what, spec]): Case => ({
    name: `a service that is ${what}`,
    steps: [post(services, service(spec)), get(`${services}/s`)],
  })),
  ...others.map(([what, path, body]): Case => ({ name: what, steps: [post(path, { metadata: { name: 'x' }, ...body })] })),
  {
    name: 'a service keeps what was allocated',
    steps: [
      post(services, service({ type: 'NodePort', ports: [{ port: 80 }] }), {
        capture: { rv: 'metadata.resourceVersion', ip: 'spec.clusterIP' },
      }),
      put(`${services}/s`, service({ type: 'NodePort', ports: [{ port: 81 }] })),
      put(`${services}/s`, service({ type: 'ClusterIP', ports: [{ port: 80 }] })),
      put(`${services}/s`, service({ clusterIP: '10.0.99.99', ports: [{ port: 80 }] })),
      merge(`${services}/s`, { spec: { type: 'LoadBalancer' } }),
      merge(`${services}/s`, { spec: { type: 'ClusterIP', clusterIP: 'None' } }),
      post(services, service({ clusterIP: '{{ip}}', ports: [{ port: 80 }] }, 'thief')),
      put(`${services}/made`, service({ ports: [{ port: 80 }] }, 'made')),
      post(`${services}?dryRun=All`, service({ ports: [{ port: 80 }] }, 'dry')),
    ],
  },
  {
    name: 'the service of the server itself',
    steps: [
      get('/api/v1/namespaces/default/services/kubernetes', {
        ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion', 'spec\\.ports\\.0\\.targetPort'],
      }),
    ],
  },
  {
    name: 'events in both groups are one',
    steps: [
      post(`${ns}/events`, {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', namespace: '{{ns}}', name: 'p' },
        reason: 'R',
        message: 'M',
        type: 'Normal',
        source: { component: 'c', host: 'h' },
        firstTimestamp: '2024-01-01T00:00:00Z',
        lastTimestamp: '2024-01-01T00:00:00Z',
        count: 3,
      }),
      get('/apis/events.k8s.io/v1/namespaces/{{ns}}/events/e'),
      merge('/apis/events.k8s.io/v1/namespaces/{{ns}}/events/e', { note: 'N' }),
      get(`${ns}/events/e`),
      post(`${ns}/events`, { metadata: { name: 'f' }, involvedObject: { kind: 'Pod', namespace: 'other', name: 'p' } }),
      post('/apis/events.k8s.io/v1/namespaces/{{ns}}/events', { metadata: { name: 'g' }, regarding: { namespace: '{{ns}}' } }),
      post(`${ns}/events`, { metadata: { name: 'h' }, involvedObject: { kind: 'Node', name: 'n' } }),
    ],
  },
  {
    name: 'autoscalers in both versions are one',
    steps: [
      post('/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers', {
        metadata: { name: 'h' },
        spec: {
          maxReplicas: 5,
          scaleTargetRef: { kind: 'D', name: 'd' },
          metrics: [
            { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } } },
            { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
          ],
        },
      }),
      get('/apis/autoscaling/v1/namespaces/{{ns}}/horizontalpodautoscalers/h'),
      merge('/apis/autoscaling/v1/namespaces/{{ns}}/horizontalpodautoscalers/h', { spec: { targetCPUUtilizationPercentage: 60 } }),
      get('/apis/autoscaling/v2/namespaces/{{ns}}/horizontalpodautoscalers/h'),
    ],
  },
];
