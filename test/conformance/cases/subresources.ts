import { del, get, merge, post, put, strategic, type Case } from '../case.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const pods = `${ns}/pods`;
const pod = (name: string, spec: object = {}, labels: object = {}): object => ({
  metadata: { name, labels },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const eviction = (name: string, extra: object = {}): object => ({
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  metadata: { name, namespace: '{{ns}}' },
  ...extra,
});
const binding = (name: string, target: object = { kind: 'Node', name: 'n1' }): object => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name },
  target,
});
const budgets = '/apis/policy/v1/namespaces/{{ns}}/poddisruptionbudgets';
const budget = (name: string): object => ({ metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } } });
const scaled = {
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' },
  status: {},
};

export const cases: readonly Case[] = [
  {
    name: 'a pod is bound to a node once',
    steps: [
      post(pods, pod('p')),
      post(`${pods}/p/binding`, binding('p')),
      post(`${pods}/p/binding`, binding('p')),
      post(`${pods}/p/binding`, binding('p', { kind: 'Node', name: 'n2' })),
      get(`${pods}/p`),
      post(`${pods}/missing/binding`, binding('missing')),
      post(`${ns}/bindings`, binding('p')),
    ],
  },
  {
    name: 'bindings that are wrong',
    steps: [
      post(pods, pod('p')),
      post(`${pods}/p/binding`, binding('p', { kind: 'Pod', name: 'n' })),
      post(`${pods}/p/binding`, binding('p', { name: '' })),
      post(`${pods}/p/binding`, binding('q')),
      post(`${pods}/p/binding`, {}),
      post(`${pods}/p/binding`, { ...binding('p'), metadata: { name: 'p', annotations: { a: 'b' }, labels: { c: 'd' } } }),
      get(`${pods}/p`),
    ],
  },
  {
    name: 'a scheduling gate stops a binding',
    steps: [
      post(pods, pod('p', { schedulingGates: [{ name: 'x.io/g' }] })),
      post(`${pods}/p/binding`, binding('p')),
      merge(`${pods}/p`, { spec: { schedulingGates: [] } }),
      post(`${pods}/p/binding`, binding('p')),
    ],
  },
  {
    name: 'evictions',
    steps: [
      post(pods, pod('p', { nodeName: 'n' })),
      post(`${pods}/p/eviction?dryRun=All`, eviction('p')),
      post(`${pods}/p/eviction`, eviction('p')),
      get(`${pods}/p`),
      post(`${pods}/missing/eviction`, eviction('missing')),
      post(`${pods}/p/eviction`, eviction('q')),
      post(`${pods}/p/eviction`, { ...eviction('p'), apiVersion: 'policy/v1beta1' }),
    ],
  },
  {
    name: 'evictions over budget',
    steps: [
      post(pods, pod('p', { nodeName: 'n' }, { app: 'x' })),
      merge(`${pods}/p/status`, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }),
      post(budgets, budget('b')),
      post(`${pods}/p/eviction`, eviction('p')),
      merge(`${budgets}/b/status`, {
        status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, observedGeneration: 1 },
      }),
      post(`${pods}/p/eviction`, eviction('p')),
      merge(`${budgets}/b/status`, { status: { disruptionsAllowed: 1 } }),
      post(`${pods}/p/eviction`, eviction('p')),
      get(`${budgets}/b`),
    ],
  },
  {
    name: 'evictions under two budgets',
    steps: [
      post(pods, pod('p', { nodeName: 'n' }, { app: 'x' })),
      merge(`${pods}/p/status`, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } }),
      post(budgets, budget('b1')),
      post(budgets, budget('b2')),
      post(`${pods}/p/eviction`, eviction('p')),
    ],
  },
  {
    name: 'ephemeral containers',
    steps: [
      post(pods, pod('p', { nodeName: 'n' })),
      strategic(`${pods}/p/ephemeralcontainers`, {
        spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox', targetContainerName: 'c' }] },
      }),
      strategic(`${pods}/p/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: 'debug', image: 'other' }] } }),
      strategic(`${pods}/p/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: 'c', image: 'other' }] } }),
      merge(`${pods}/p`, { spec: { ephemeralContainers: [] } }),
      get(`${pods}/p/ephemeralcontainers`),
      post(pods, pod('q', { ephemeralContainers: [{ name: 'x', image: 'i' }] })),
    ],
  },
  {
    name: 'resizing',
    steps: [
      post(pods, pod('p', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] })),
      merge(`${pods}/p`, { spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '200m' } } }] } }),
      strategic(`${pods}/p/resize`, { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '200m' } } }] } }),
      get(`${pods}/p/resize`),
    ],
  },
  {
    name: 'logs, exec and proxy of a pod that runs nowhere',
    steps: [
      post(pods, pod('p')),
      get(`${pods}/p/log`, { codeOnly: true }),
      get(`${pods}/p/log?container=missing`),
      get(`${pods}/p/log?tailLines=-1`),
      get(`${pods}/p/log?sinceSeconds=x`),
      get(`${pods}/missing/log`),
      get(`${pods}/p/exec?command=x`, { codeOnly: true }),
      post(`${pods}/missing/exec?command=x`, ''),
    ],
  },
  {
    name: 'pod status',
    steps: [
      post(pods, { ...pod('p'), status: { phase: 'Running' } }),
      merge(`${pods}/p/status`, {
        status: {
          phase: 'Running',
          podIP: '192.0.2.7',
          hostIP: '192.0.2.8',
          containerStatuses: [{ name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0, state: { running: {} } }],
        },
      }),
      merge(`${pods}/p/status`, { metadata: { labels: { a: 'b' } }, spec: { nodeName: 'x' } }),
      merge(`${pods}/p/status`, { status: { qosClass: 'Guaranteed' } }),
      put(`${pods}/p/status`, { metadata: { name: 'p' }, status: {} }),
    ],
  },
  {
    name: 'node status',
    steps: [
      post('/api/v1/nodes', { metadata: { name: '{{id}}' }, status: { capacity: { cpu: '2000m' } } }),
      merge('/api/v1/nodes/{{id}}/status', {
        status: { conditions: [{ type: 'Ready', status: 'True' }], addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
      }),
      strategic('/api/v1/nodes/{{id}}/status', { status: { conditions: [{ type: 'DiskPressure', status: 'False' }] } }),
      merge('/api/v1/nodes/{{id}}', {
        spec: { taints: [{ key: 'a', effect: 'NoSchedule' }], podCIDR: '192.0.2.0/24', providerID: 'x://y' },
      }),
      merge('/api/v1/nodes/{{id}}', { spec: { podCIDR: '198.51.100.0/24', providerID: 'x://z' } }),
      get('/api/v1/nodes/{{id}}/proxy/x', { codeOnly: true }),
    ],
  },
  {
    name: 'scale with bad bodies',
    steps: [
      post('/apis/apps/v1/namespaces/{{ns}}/deployments', {
        metadata: { name: 'd' },
        spec: {
          selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'In', values: ['x', 'y'] }] },
          template: { metadata: { labels: { a: 'b', c: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
        },
      }),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale'),
      put('/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale', {}),
      put('/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale', {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'other' },
        spec: { replicas: 1 },
      }),
      put('/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale', {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'd', resourceVersion: '1' },
        spec: { replicas: 1 },
      }),
      merge('/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale', { spec: { replicas: 'x' } }),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/missing/scale'),
      merge('/apis/apps/v1/namespaces/{{ns}}/deployments/missing/scale', {}),
      del('/apis/apps/v1/namespaces/{{ns}}/deployments/d/scale'),
    ],
  },
  {
    name: 'status and scale of custom resources',
    steps: [
      post(
        crdPath,
        crd({
          spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
          status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
          subresources: scaled,
        }),
      ),
      established,
      served,
      post(widgetPath, widget({ replicas: 1 }, {}, { status: { replicas: 9 } })),
      get(`${widgetPath}/a/scale`),
      merge(`${widgetPath}/a/scale`, { spec: { replicas: 4 } }),
      merge(`${widgetPath}/a/status`, {
        spec: { replicas: 8 },
        status: { replicas: 4, selector: 'a=b' },
        metadata: { labels: { a: 'b' } },
      }),
      get(`${widgetPath}/a/scale`),
      merge(`${widgetPath}/a`, { status: { replicas: 1 } }),
      put(`${widgetPath}/a/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 5 } }),
      merge(`${widgetPath}/a/scale`, { spec: { replicas: -1 } }),
      merge(`${widgetPath}/missing/scale`, { spec: { replicas: 1 } }),
      merge(`${widgetPath}/missing/status`, {}),
      put(`${widgetPath}/a/status`, widget({})),
      get(`${widgetPath}/a/nothing`),
      post(widgetPath, widget({}, { name: 'b' })),
      get(`${widgetPath}/b/scale`),
    ],
  },
  {
    name: 'custom resources without subresources',
    steps: [
      post(crdPath, crd({ status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }), { codeOnly: true }),
      established,
      served,
      post(widgetPath, widget({}, {}, { status: { a: 1 } })),
      merge(`${widgetPath}/a`, { status: { a: 2 } }),
      get(`${widgetPath}/a/status`),
      merge(`${widgetPath}/a/status`, {}),
      get(`${widgetPath}/a/scale`),
    ],
  },
  {
    name: 'service and claim status',
    steps: [
      post(`${ns}/services`, { metadata: { name: 's' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } }),
      merge(`${ns}/services/s/status`, { status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }),
      merge(`${ns}/services/s/status`, { status: { loadBalancer: { ingress: [{ ip: 'x' }] } }, spec: { ports: [] } }),
      merge(`${ns}/services/s`, { status: { loadBalancer: {} } }),
      post(`${ns}/persistentvolumeclaims`, {
        metadata: { name: 'c' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
      merge(`${ns}/persistentvolumeclaims/c/status`, { status: { phase: 'Bound', capacity: { storage: '1024Mi' } } }),
    ],
  },
];
