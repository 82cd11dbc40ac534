import { get, merge, post, until, type Case, type Step } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const pods = `${ns}/pods`;
const container = (resources: object = {}): object => ({ name: 'c', image: 'i', resources });
const pod = (name: string, resources: object = {}): object => ({ metadata: { name }, spec: { containers: [container(resources)] } });
const quota = (hard: object, extra: object = {}): object => ({ metadata: { name: 'q' }, spec: { hard, ...extra } });
/** The controller fills status a moment later; until then the quota refuses what it limits. */
const make = (hard: object, extra: object = {}): Step[] => [
  post(`${ns}/resourcequotas`, quota(hard, extra), { codeOnly: true }),
  until(`${ns}/resourcequotas/q`, b => Boolean((b as { status?: { hard?: object; used?: object } }).status?.used)),
];

export const cases: readonly Case[] = [
  {
    name: 'pods over a count',
    steps: [
      ...make({ pods: '1' }),
      post(pods, pod('a'), { codeOnly: true }),
      post(pods, pod('b')),
      get(`${ns}/resourcequotas/q`, { ignore: ['metadata.*'] }),
    ],
  },
  {
    name: 'configmaps over a count',
    steps: [
      ...make({ configmaps: '2' }),
      post(`${ns}/configmaps`, { metadata: { name: 'a' } }),
      post(`${ns}/configmaps`, { metadata: { name: 'b' } }),
      post(`${ns}/configmaps?dryRun=All`, { metadata: { name: 'b' } }),
    ],
  },
  {
    name: 'custom counts',
    steps: [
      ...make({ 'count/deployments.apps': '0' }),
      post('/apis/apps/v1/namespaces/{{ns}}/deployments', {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()] } },
        },
      }),
    ],
  },
  {
    name: 'requests must be given and fit',
    steps: [
      ...make({ 'requests.cpu': '1', 'limits.memory': '1Gi' }),
      post(pods, pod('a')),
      post(pods, pod('b', { requests: { cpu: '600m' }, limits: { memory: '100Mi' } }), { codeOnly: true }),
      post(pods, pod('c', { requests: { cpu: '600m' }, limits: { memory: '2Gi' } })),
    ],
  },
  {
    name: 'scopes',
    steps: [
      ...make({ pods: '0' }, { scopes: ['BestEffort'] }),
      post(pods, pod('a')),
      post(pods, pod('b', { requests: { cpu: '1' } }), { codeOnly: true }),
    ],
  },
  {
    name: 'services by type',
    steps: [
      ...make({ 'services.nodeports': '0', 'services.loadbalancers': '0' }),
      post(`${ns}/services`, { metadata: { name: 's' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
      post(`${ns}/services`, { metadata: { name: 't' }, spec: { ports: [{ port: 80 }] } }),
      merge(`${ns}/services/t`, { spec: { type: 'LoadBalancer' } }),
    ],
  },
  {
    name: 'claims by size',
    steps: [
      ...make({ 'requests.storage': '1Gi', persistentvolumeclaims: '5' }),
      post(`${ns}/persistentvolumeclaims`, {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
      }),
    ],
  },
  {
    name: 'limit ranges fill and refuse',
    steps: [
      post(`${ns}/limitranges`, {
        metadata: { name: 'l' },
        spec: {
          limits: [
            {
              type: 'Container',
              default: { cpu: '500m' },
              defaultRequest: { cpu: '100m' },
              max: { cpu: '1' },
              min: { cpu: '50m' },
              maxLimitRequestRatio: { cpu: '10' },
            },
          ],
        },
      }),
      until(`${ns}/limitranges?resourceVersion=0`, b => ((b as { items?: unknown[] }).items?.length ?? 0) === 1),
      post(pods, pod('a')),
      post(pods, pod('b', { limits: { cpu: '2' } })),
      post(pods, pod('c', { requests: { cpu: '10m' } })),
      post(pods, pod('d', { requests: { cpu: '50m' }, limits: { cpu: '1' } })),
    ],
  },
  {
    name: 'limits of pods and claims',
    steps: [
      post(`${ns}/limitranges`, {
        metadata: { name: 'l' },
        spec: {
          limits: [
            { type: 'Pod', max: { memory: '1Gi' } },
            { type: 'PersistentVolumeClaim', max: { storage: '1Gi' }, min: { storage: '500Mi' } },
          ],
        },
      }),
      until(`${ns}/limitranges?resourceVersion=0`, b => ((b as { items?: unknown[] }).items?.length ?? 0) === 1),
      post(pods, pod('a')),
      post(pods, pod('b', { limits: { memory: '2Gi' } })),
      post(`${ns}/persistentvolumeclaims`, {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
      }),
      post(`${ns}/persistentvolumeclaims`, {
        metadata: { name: 'd' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
      }),
    ],
  },
  {
    name: 'pod security',
    steps: [
      merge('/api/v1/namespaces/{{ns}}', {
        metadata: {
          labels: {
            'pod-security.kubernetes.io/enforce': 'restricted',
            'pod-security.kubernetes.io/warn': 'restricted',
            'pod-security.kubernetes.io/audit': 'baseline',
          },
        },
      }),
      until('/api/v1/namespaces/{{ns}}?resourceVersion=0', b => JSON.stringify(b).includes('pod-security')),
      post(pods, pod('a')),
      post(pods, {
        metadata: { name: 'b' },
        spec: {
          hostNetwork: true,
          hostPID: true,
          volumes: [{ name: 'v', hostPath: { path: '/x' } }],
          containers: [{ name: 'c', image: 'i', securityContext: { privileged: true, capabilities: { add: ['NET_ADMIN'] } } }],
        },
      }),
      post('/apis/apps/v1/namespaces/{{ns}}/deployments', {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' } },
          template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()] } },
        },
      }),
      post(pods, {
        metadata: { name: 'ok' },
        spec: {
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [{ name: 'c', image: 'i', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
        },
      }),
      merge('/api/v1/namespaces/{{ns}}', {
        metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'odd', 'pod-security.kubernetes.io/warn-version': 'x' } },
      }),
    ],
  },
];
