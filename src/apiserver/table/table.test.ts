import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import type { Resource } from '../resource.ts';
import { humanDuration } from './human-duration.ts';
import { ageOf, partialObjectMetadata, tableOf, type PrinterColumn } from './table.ts';

const now = new Date('2026-01-01T01:00:00Z');
const listMeta = { resourceVersion: '7' };

function resourceOf(apiVersion: string, kind: string, isCustom = false): Resource {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group, version, kind, isCustom } as unknown as Resource;
}

function cellsOf(apiVersion: string, kind: string, body: object, meta: object = {}): unknown[] {
  const obj = { apiVersion, kind, metadata: { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z', ...meta }, ...body };
  const table = tableOf(resourceOf(apiVersion, kind), [obj], { includeObject: 'Metadata', listMeta, now });
  const row = table.rows[0];
  const hasAgeTwice = kind === 'IPAddress';
  if (!hasAgeTwice) assert.equal(row?.cells.length, table.columnDefinitions?.length, kind);
  return row?.cells ?? [];
}

for (const [seconds, expected] of [
  [-5, '<invalid>'],
  [-1, '0s'],
  [77, '77s'],
  [120, '2m'],
  [324, '5m24s'],
  [2520, '42m'],
  [11_100, '3h5m'],
  [10_800, '3h'],
  [90_000, '25h'],
  [183_600, '2d3h'],
  [172_800, '2d'],
  [400 * 86_400, '400d'],
  [750 * 86_400, '2y20d'],
  [730 * 86_400, '2y'],
  [3300 * 86_400, '9y'],
] as [number, string][]) {
  test(`${seconds} seconds are ${expected}`, () => assert.equal(humanDuration(seconds * 1000), expected));
}

test('an age that is not known says so', () => assert.equal(ageOf(undefined, now), '<unknown>'));

test('a table names its columns and shows metadata only, unless asked otherwise', () => {
  const obj = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: '1' }, binaryData: { b: '' } };
  const resource = resourceOf('v1', 'ConfigMap');
  const table = tableOf(resource, [obj], { includeObject: 'Metadata', listMeta, now });
  assert.deepEqual(table.metadata, listMeta);
  assert.deepEqual(table.columnDefinitions?.[0], { name: 'Name', type: 'string', format: 'name', description: '', priority: 0 });
  assert.deepEqual(table.rows, [{ cells: ['x', 2, '<unknown>'], object: partialObjectMetadata(obj) }]);
  assert.equal(tableOf(resource, [obj], { includeObject: 'None', listMeta, now }).rows[0]?.object, null);
  assert.equal(tableOf(resource, [obj], { includeObject: 'Object', listMeta, now }).rows[0]?.object, obj);
  assert.equal(tableOf(resource, [], { includeObject: 'None', listMeta, now, noHeaders: true }).columnDefinitions, null);
});

test('kinds without a printer show when they were created', () => {
  assert.deepEqual(cellsOf('rbac.authorization.k8s.io/v1', 'Role', {}), ['x', '2026-01-01T00:00:00Z']);
});

const container = (name: string) => ({ name, image: `${name}:1` });
const running = (name: string, ready = true, restartCount = 0) => ({ name, ready, restartCount, state: { running: {} } });
const ended = (name: string, exitCode: number, reason?: string) => ({
  name,
  state: { terminated: { exitCode, ...(reason && { reason }) } },
});

for (const [name, spec, status, meta, expected] of [
  ['pending', {}, { phase: 'Pending' }, {}, ['0/1', 'Pending', '0']],
  ['running', {}, { phase: 'Running', containerStatuses: [running('c')] }, {}, ['1/1', 'Running', '0']],
  ['with a reason of its own', {}, { phase: 'Failed', reason: 'Evicted' }, {}, ['0/1', 'Evicted', '0']],
  [
    'gated',
    {},
    { phase: 'Pending', conditions: [{ type: 'PodScheduled', reason: 'SchedulingGated' }] },
    {},
    ['0/1', 'SchedulingGated', '0'],
  ],
  [
    'restarted',
    {},
    {
      phase: 'Running',
      containerStatuses: [{ ...running('c', true, 3), lastState: { terminated: { finishedAt: '2026-01-01T00:55:00Z' } } }],
    },
    {},
    ['1/1', 'Running', '3 (5m ago)'],
  ],
  [
    'waiting',
    {},
    { phase: 'Pending', containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ErrImagePull' } } }] },
    {},
    ['0/1', 'ErrImagePull', '0'],
  ],
  ['failed', {}, { phase: 'Failed', containerStatuses: [ended('c', 3)] }, {}, ['0/1', 'ExitCode:3', '0']],
  [
    'initializing',
    { initContainers: [container('i'), container('j')] },
    { phase: 'Pending', initContainerStatuses: [ended('i', 0), { name: 'j', state: { running: {} } }] },
    {},
    ['0/1', 'Init:1/2', '0'],
  ],
  [
    'failing to initialize',
    { initContainers: [container('i')] },
    { phase: 'Pending', initContainerStatuses: [ended('i', 1, 'Error')] },
    {},
    ['0/1', 'Init:Error', '0'],
  ],
  [
    'with a sidecar',
    { initContainers: [{ ...container('i'), restartPolicy: 'Always' }] },
    { phase: 'Running', initContainerStatuses: [{ ...running('i'), started: true }], containerStatuses: [running('c')] },
    {},
    ['2/2', 'Running', '0'],
  ],
  [
    'half completed',
    { containers: [container('c'), container('d')] },
    {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [ended('c', 0, 'Completed'), running('d')],
    },
    {},
    ['1/2', 'NotReady', '0'],
  ],
  ['being deleted', {}, { phase: 'Running', containerStatuses: [running('c')] }, { deletionTimestamp: 't' }, ['1/1', 'Terminating', '0']],
  ['lost', {}, { phase: 'Running', reason: 'NodeLost' }, { deletionTimestamp: 't' }, ['0/1', 'Unknown', '0']],
] as [string, object, object, object, string[]][]) {
  test(`a pod ${name}`, () => {
    const cells = cellsOf('v1', 'Pod', { spec: { containers: [container('c')], ...spec }, status }, meta);
    assert.deepEqual(cells.slice(1, 4), expected);
  });
}

test('a pod that has ended is a completed row', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, status: { phase: 'Succeeded' } };
  const table = tableOf(resourceOf('v1', 'Pod'), [pod], { includeObject: 'None', listMeta, now });
  assert.deepEqual(table.rows[0]?.conditions, [
    { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
  ]);
});

const template = { metadata: {}, spec: { containers: [container('a'), container('b')] } };
const selector = { matchLabels: { app: 'x' } };

for (const [apiVersion, kind, body, expected] of [
  [
    'apps/v1',
    'Deployment',
    { spec: { replicas: 3, selector, template }, status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 } },
    ['x', '1/3', 2, 1, '60m', 'a,b', 'a:1,b:1', 'app=x'],
  ],
  ['apps/v1', 'ReplicaSet', { spec: { replicas: 3, selector, template } }, ['x', 3, 0, 0, '60m', 'a,b', 'a:1,b:1', 'app=x']],
  ['apps/v1', 'StatefulSet', { spec: { replicas: 2, template } }, ['x', '0/2', '60m', 'a,b', 'a:1,b:1']],
  [
    'batch/v1',
    'Job',
    { spec: { completions: 2, template, selector }, status: { succeeded: 1, startTime: '2026-01-01T00:59:00Z' } },
    ['x', 'Running', '1/2', '60s', '60m', 'a,b', 'a:1,b:1', 'app=x'],
  ],
  [
    'batch/v1',
    'CronJob',
    { spec: { schedule: '* * * * *', suspend: false, jobTemplate: { spec: { template } } } },
    ['x', '* * * * *', '<none>', 'False', 0, '<none>', '60m', 'a,b', 'a:1,b:1', '<none>'],
  ],
  [
    'v1',
    'Service',
    {
      spec: {
        type: 'NodePort',
        clusterIPs: ['10.0.0.1'],
        ports: [{ port: 80, nodePort: 30_080, protocol: 'TCP' }],
        selector: { b: '2', a: '1' },
      },
    },
    ['x', 'NodePort', '10.0.0.1', '<none>', '80:30080/TCP', '60m', 'a=1,b=2'],
  ],
  [
    'v1',
    'Service',
    { spec: { type: 'LoadBalancer', clusterIPs: ['None'] }, status: { loadBalancer: {} } },
    ['x', 'LoadBalancer', 'None', '<pending>', '<none>', '60m', '<none>'],
  ],
  [
    'v1',
    'Endpoints',
    { subsets: [{ addresses: ['1', '2', '3', '4'].map(n => ({ ip: `10.0.0.${n}` })), ports: [{ port: 80 }] }] },
    ['x', '10.0.0.1:80,10.0.0.2:80,10.0.0.3:80 + 1 more...', '60m'],
  ],
  [
    'discovery.k8s.io/v1',
    'EndpointSlice',
    { addressType: 'IPv4', ports: [{ port: 80 }, { name: 'n' }], endpoints: [] },
    ['x', 'IPv4', '80,n', '<unset>', '60m'],
  ],
  [
    'networking.k8s.io/v1',
    'Ingress',
    { spec: { rules: ['a', 'b', 'c', 'd'].map(host => ({ host })), tls: [{}] } },
    ['x', '<none>', 'a,b,c + 1 more...', '', '80, 443', '60m'],
  ],
  [
    'v1',
    'Node',
    {
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1', kernelVersion: '6', architecture: 'amd64' },
      },
    },
    ['x', 'Ready,SchedulingDisabled', '<none>', '60m', 'v1', '<none>', '<none>', '<unknown>', '6 (amd64)', '<unknown>'],
  ],
  [
    'v1',
    'Event',
    {
      type: 'Normal',
      reason: 'R',
      message: ' m\n',
      involvedObject: { kind: 'Pod', name: 'p' },
      source: { component: 'c', host: 'h' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:59:30Z',
      count: 4,
    },
    ['30s', 'Normal', 'R', 'pod/p', '', 'c, h', 'm', '60m', 4, 'x'],
  ],
  [
    'events.k8s.io/v1',
    'Event',
    {
      type: 'Normal',
      reason: 'R',
      note: 'm',
      regarding: { kind: 'Pod', name: 'p' },
      reportingController: 'c',
      eventTime: '2026-01-01T00:59:30.000000Z',
    },
    ['30s', 'Normal', 'R', 'pod/p', '', 'c', 'm', '30s', 1, 'x'],
  ],
  [
    'v1',
    'PersistentVolumeClaim',
    {
      spec: { storageClassName: 's', volumeName: 'v' },
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
    },
    ['x', 'Bound', 'v', '1Gi', 'RWO,RWX', 's', '<unset>', '60m', '<unset>'],
  ],
  [
    'v1',
    'ResourceQuota',
    { status: { hard: { pods: '4', 'limits.cpu': '2', cpu: '1' }, used: { pods: '1', cpu: '500m', 'limits.cpu': '1' } } },
    ['x', 'cpu: 500m/1, pods: 1/4', 'limits.cpu: 1/2', '60m'],
  ],
  [
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    {
      spec: {
        scaleTargetRef: { kind: 'Deployment', name: 'd' },
        minReplicas: 1,
        maxReplicas: 9,
        metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } }],
      },
      status: { currentReplicas: 2 },
    },
    ['x', 'Deployment/d', 'cpu: <unknown>/80%', '1', 9, 2, '60m'],
  ],
  ['policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: '50%' } }, ['x', '50%', 'N/A', 0, '60m']],
  [
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', namespace: 'n', name: 's' },
      ],
    },
    ['x', 'Role/r', '60m', 'u', '', 'n/s'],
  ],
  [
    'apiregistration.k8s.io/v1',
    'APIService',
    {
      spec: { service: { namespace: 'n', name: 's' } },
      status: { conditions: [{ type: 'Available', status: 'False', reason: 'Missing' }] },
    },
    ['x', 'n/s', 'False (Missing)', '60m'],
  ],
] as [string, string, object, unknown[]][]) {
  test(`the row of a ${kind} in ${apiVersion}: ${JSON.stringify(expected).slice(0, 50)}`, () =>
    assert.deepEqual(cellsOf(apiVersion, kind, body), expected));
}

function customCells(columns: PrinterColumn[], obj: object): unknown[] {
  const body = { apiVersion: 'a.io/v1', kind: 'A', metadata: { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' }, ...obj };
  const options = { includeObject: 'None' as const, listMeta, now, columns };
  return tableOf(resourceOf('a.io/v1', 'A', true), [body as KubeObject], options).rows[0]?.cells ?? [];
}

test('a custom resource without columns shows its age', () => assert.deepEqual(customCells([], {}), ['x', '60m']));

test('columns of custom resources are typed', () => {
  const of = (type: string, jsonPath: string): PrinterColumn => ({ name: 'C', type, jsonPath });
  const columns = [
    of('string', '.s'),
    of('string', '.l'),
    of('integer', '.f'),
    of('number', '.f'),
    of('integer', '.s'),
    of('boolean', '.b'),
    of('date', '.d'),
    of('date', '.s'),
    of('string', '.missing'),
    of('string', '.conditions[?(@.type=="Ready")].status'),
    of('string', '.l[9]'),
  ];
  const obj = { s: 't', l: [1, 'a'], f: 2.7, b: true, d: '2026-01-01T00:30:00Z', conditions: [{ type: 'Ready', status: 'True' }] };
  assert.deepEqual(customCells(columns, obj), ['x', 't', '[1,"a"]', 2, 2.7, null, true, '30m', '<invalid>', null, 'True', null]);
});
