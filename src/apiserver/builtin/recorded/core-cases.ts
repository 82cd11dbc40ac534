import { creates, updates, type AnswerCase } from './answer-case.ts';

const long = (length: number) => 'x'.repeat(length);
const base64 = (text: string) => Buffer.from(text).toString('base64');
// Admission gives every new node this taint.
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const web = { ports: [{ port: 80 }], selector: { app: 'web' } };
const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const volume = { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/data' } };
const limits = (...items: object[]) => ({ spec: { limits: items } });
const pv = (extra: object) => ({ spec: { ...volume, ...extra } });
const pvc = (extra: object) => ({ spec: { ...claim, ...extra } });
const svc = (extra: object) => ({ spec: { ...web, ...extra } });

export const coreCases: readonly AnswerCase[] = [
  ...creates('v1', 'Namespace', {
    plain: {},
    'bad name': { metadata: { name: 'A.b' } },
    'name with dots': { metadata: { name: 'a.b' } },
    'foreign finalizer': { spec: { finalizers: ['foo'] } },
    'own finalizer': { spec: { finalizers: ['example.com/x'] } },
    'bad labels': { metadata: { labels: { 'a b': '-x' }, annotations: { '/a': '' } } },
    'long label': { metadata: { labels: { [long(64)]: long(64) } } },
    'bad owner': { metadata: { ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] } },
    'bad finalizers': { metadata: { finalizers: ['a/b/c', '/x'] } },
  }),
  ...updates('v1', 'Namespace', {}, { labels: { metadata: { labels: { a: 'b' } } }, finalizers: { spec: { finalizers: ['a.b/c'] } } }),
  ...updates('v1', 'Namespace', {}, { 'wrong phase': { status: { phase: 'Terminating' } } }, 'status'),
  ...updates('v1', 'Namespace', {}, { 'bad finalizer': { spec: { finalizers: ['foo'] } } }, 'finalize'),

  ...creates('v1', 'ConfigMap', {
    plain: { data: { a: 'b' }, binaryData: { c: 'AAEC' } },
    'bad keys': { data: { 'a b': '', '..': '', '..x': '' } },
    'key in both': { data: { a: 'b' }, binaryData: { a: 'AAEC' } },
    'too big': { data: { a: long(1048577) } },
  }),
  ...updates(
    'v1',
    'ConfigMap',
    { data: { a: 'b' }, immutable: true },
    { 'of immutable data': { data: { a: 'c' } }, mutable: { immutable: false } },
  ),

  ...creates('v1', 'Secret', {
    'strings win': { data: { a: base64('1'), b: base64('2') }, stringData: { a: 'x' } },
    'token without account': { type: 'kubernetes.io/service-account-token' },
    'tls without keys': { type: 'kubernetes.io/tls' },
    'tls of nonsense': { type: 'kubernetes.io/tls', stringData: { 'tls.crt': 'x', 'tls.key': 'y' } },
    'docker config missing': { type: 'kubernetes.io/dockerconfigjson' },
    'docker config empty': { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': '' } },
    'docker config text': { type: 'kubernetes.io/dockerconfigjson', stringData: { '.dockerconfigjson': 'hello' } },
    'docker config list': { type: 'kubernetes.io/dockercfg', stringData: { '.dockercfg': '[]' } },
    'basic auth': { type: 'kubernetes.io/basic-auth' },
    'ssh auth': { type: 'kubernetes.io/ssh-auth' },
    'bad key': { data: { 'a/b': '' } },
  }),
  ...updates('v1', 'Secret', { stringData: { a: 'b' } }, { type: { type: 'x/y' }, strings: { stringData: { c: 'd' } } }),
  ...updates('v1', 'Secret', { stringData: { a: 'b' }, immutable: true }, { 'of immutable data': { stringData: { a: 'c' } } }),

  ...creates('v1', 'ServiceAccount', {
    'references are names': { secrets: [{ name: 'a', namespace: 'b', kind: 'Secret' }] },
    warned: { metadata: { annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } } },
  }),

  ...creates('v1', 'Endpoints', {
    plain: { subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }] }] },
    bad: {
      subsets: [
        {},
        {
          addresses: [
            { ip: '127.0.0.1', hostname: 'A', nodeName: 'B_' },
            { ip: '0.0.0.0' },
            { ip: '169.254.1.1' },
            { ip: '224.0.0.1' },
            { ip: 'x' },
          ],
          ports: [
            { port: 0, protocol: 'X' },
            { name: 'a.b', port: 70000, appProtocol: 'a b' },
          ],
        },
      ],
    },
    'odd address': { subsets: [{ addresses: [{ ip: '2001:DB8::1' }, { ip: '::ffff:1.2.3.4' }, { ip: '010.1.1.1' }] }] },
  }),

  ...creates('v1', 'LimitRange', {
    defaults: limits({ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' }, default: { 'ephemeral-storage': '1Gi' } }),
    'bad type': limits({ type: 'foo' }, { type: '' }, { type: 'a/b' }),
    twice: limits({ type: 'Pod' }, { type: 'Pod' }),
    'pod defaults': limits({ type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } }),
    'claim without storage': limits({ type: 'PersistentVolumeClaim' }),
    'bad names': limits({ type: 'Container', max: { foo: '1', 'a b': '1', pods: '1' } }),
    order: limits({
      type: 'Container',
      min: { cpu: '3' },
      max: { cpu: '2' },
      default: { cpu: '4' },
      defaultRequest: { cpu: '5' },
      maxLimitRequestRatio: { cpu: '500m' },
    }),
    ratio: limits({ type: 'Container', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } }),
    'no overcommit': limits({ type: 'Container', default: { 'a.b/c': '2' }, defaultRequest: { 'a.b/c': '1' } }),
  }),

  ...creates('v1', 'ResourceQuota', {
    plain: { spec: { hard: { cpu: '1', 'requests.memory': '1Gi', 'count/pods': '3' } } },
    warned: { spec: { hard: { cpu: '2', 'limits.cpu': '1' } } },
    'bad names': { spec: { hard: { foo: '1', 'a b': '1', storage: '1' } } },
    'bad amounts': { spec: { hard: { cpu: '-1', pods: '1500m' } } },
    'bad scopes': { spec: { hard: { cpu: '1' }, scopes: ['Foo', 'BestEffort', 'NotBestEffort'] } },
    'bad selector': {
      spec: {
        hard: { pods: '1', secrets: '2' },
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'Terminating', operator: 'In' },
            { scopeName: 'NotTerminating', operator: 'Exists', values: ['a'] },
            { scopeName: 'Foo', operator: 'Bar' },
          ],
        },
      },
    },
  }),
  ...updates(
    'v1',
    'ResourceQuota',
    { spec: { hard: { pods: '1' }, scopes: ['BestEffort'] } },
    { scopes: { spec: { scopes: ['NotBestEffort'] } } },
  ),
  ...updates(
    'v1',
    'ResourceQuota',
    { spec: { hard: { pods: '1' } } },
    { bad: { status: { hard: { foo: '1' }, used: { pods: '-1' } } } },
    'status',
  ),

  ...creates('v1', 'Event', {
    plain: { involvedObject: { kind: 'Pod', name: 'x', namespace: 'the-namespace' }, reason: 'R', message: 'm' },
    'of elsewhere': { involvedObject: { kind: 'Pod', name: 'x', namespace: 'other' } },
    'of nowhere': { involvedObject: { kind: 'Pod', name: 'x' } },
    'new style': { eventTime: '2026-01-01T00:00:00.000000Z', involvedObject: { namespace: 'the-namespace' } },
    'free name': { metadata: { name: 'A B' }, involvedObject: { namespace: 'the-namespace' } },
  }),
  ...creates('events.k8s.io/v1', 'Event', {
    plain: {
      eventTime: '2026-01-01T00:00:00.000000Z',
      regarding: { kind: 'Pod', name: 'x', namespace: 'the-namespace' },
      reason: 'R',
      action: 'A',
      note: 'n',
      type: 'Normal',
      reportingController: 'a.b/c',
      reportingInstance: 'i',
    },
    bad: {
      regarding: { namespace: 'the-namespace' },
      deprecatedCount: 1,
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedSource: { component: 'x' },
      series: { count: 1, lastObservedTime: null },
      type: 'Odd',
    },
  }),

  ...creates('v1', 'Node', {
    plain: { spec: { podCIDR: '10.1.0.0/24', taints: [notReady] }, status: { capacity: { cpu: '1' } } },
    'bad taints': {
      spec: {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a b', value: '-', effect: 'X' },
          { key: 'b' },
        ],
      },
    },
    'bad ranges': { spec: { podCIDRs: ['10.0.0.1/24', '10.0.0.0/24', 'x'] } },
    'bad amounts': { status: { capacity: { cpu: '-1', pods: '100m' } } },
    warned: { spec: { externalID: 'x', taints: [notReady] } },
  }),
  ...updates(
    'v1',
    'Node',
    { spec: { podCIDR: '10.1.0.0/24', providerID: 'a' } },
    {
      fixed: { spec: { podCIDR: '10.2.0.0/24', podCIDRs: ['10.2.0.0/24'], providerID: 'b' } },
      schedule: { spec: { unschedulable: true } },
    },
  ),
  ...updates(
    'v1',
    'Node',
    {},
    {
      'same address twice': {
        status: {
          addresses: [
            { type: 'Hostname', address: 'a' },
            { type: 'Hostname', address: 'a' },
          ],
        },
      },
    },
    'status',
  ),

  ...creates('v1', 'PersistentVolume', {
    plain: { spec: volume },
    csi: { spec: { ...volume, hostPath: undefined, csi: { driver: 'd.example.com', volumeHandle: 'h' } } },
    'no source': { spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } } },
    empty: { spec: {} },
    'two sources': pv({ nfs: { server: 's', path: '/p' } }),
    'bad modes': pv({ accessModes: ['X', 'ReadWriteOncePod', 'ReadWriteOnce'], volumeMode: 'Y', persistentVolumeReclaimPolicy: 'Z' }),
    'bad capacity': pv({ capacity: { storage: '-1', cpu: '1' } }),
    'bad host path': pv({ hostPath: { path: '/a/../b', type: 'X' }, storageClassName: 'A' }),
    'recycled root': pv({ hostPath: { path: '/' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    'bad nfs': { spec: { ...volume, hostPath: undefined, nfs: { path: 'a' } } },
    'bad csi': { spec: { ...volume, hostPath: undefined, csi: { driver: 'A_', nodePublishSecretRef: { name: 'A' } } } },
    'bad local': { spec: { ...volume, hostPath: undefined, local: { path: '' } } },
    'bad iscsi': { spec: { ...volume, hostPath: undefined, iscsi: { iqn: 'x', lun: 300, chapAuthSession: true } } },
    'bad affinity': pv({ nodeAffinity: {} }),
    'bad terms': pv({
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'a b', operator: 'X' }], matchFields: [{ key: 'x', operator: 'In' }] }],
        },
      },
    }),
    'class without csi': pv({ volumeAttributesClassName: '' }),
    'old annotations': {
      metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'a', 'volume.beta.kubernetes.io/mount-options': 'x' } },
      spec: volume,
    },
  }),
  ...updates(
    'v1',
    'PersistentVolume',
    { spec: volume },
    {
      source: { spec: { hostPath: { path: '/other' } } },
      mode: { spec: { volumeMode: 'Block' } },
      size: { spec: { capacity: { storage: '2Gi' } } },
    },
  ),

  ...creates('v1', 'PersistentVolumeClaim', {
    plain: { spec: claim },
    empty: { spec: {} },
    'bad modes': pvc({ accessModes: ['X', 'ReadWriteOncePod', 'ReadWriteMany'], volumeMode: 'Y', storageClassName: 'A_' }),
    'no storage': pvc({ resources: { requests: { storage: '0' } } }),
    fractional: pvc({ resources: { requests: { storage: '1500m' }, limits: { storage: '100m' } } }),
    snapshot: pvc({ dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' } }),
    'unknown source': pvc({ dataSource: { apiGroup: 'x.example.com', kind: 'Foo', name: 's' } }),
    'any source': pvc({ dataSourceRef: { apiGroup: 'x.example.com', kind: 'Foo', name: 's' } }),
    'bad source': pvc({ dataSourceRef: { kind: 'Foo', name: '' } }),
    'two sources': pvc({
      dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
      dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
    }),
    'bad selector': pvc({ selector: { matchLabels: { 'a b': 'c' } } }),
  }),
  ...updates(
    'v1',
    'PersistentVolumeClaim',
    { spec: claim },
    {
      size: { spec: { resources: { requests: { storage: '2Gi' } } } },
      class: { spec: { storageClassName: 'x' } },
      modes: { spec: { accessModes: ['ReadWriteMany'], volumeMode: 'Block' } },
      volume: { spec: { volumeName: 'v' } },
    },
  ),
  ...updates(
    'v1',
    'PersistentVolumeClaim',
    { spec: claim },
    { bad: { status: { capacity: { storage: '-1' }, allocatedResources: { cpu: '1' }, allocatedResourceStatuses: { storage: 'X' } } } },
    'status',
  ),

  ...creates('v1', 'Service', {
    plain: svc({}),
    headless: svc({ clusterIP: 'None' }),
    'headless without selector': { spec: { clusterIP: 'None' } },
    'node port': svc({ type: 'NodePort' }),
    'load balancer': svc({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
    'load balancer without node ports': svc({ type: 'LoadBalancer', allocateLoadBalancerNodePorts: false, loadBalancerClass: 'a.b/c' }),
    'external name': { spec: { type: 'ExternalName', externalName: 'example.com.' } },
    sticky: svc({ sessionAffinity: 'ClientIP' }),
    'digit first': { metadata: { name: '1a' }, ...svc({}) },
    'bad name': { metadata: { name: 'a.b' }, ...svc({}) },
    empty: { spec: {} },
    'bad type': svc({ type: 'Foo', sessionAffinity: 'Bar', internalTrafficPolicy: 'X', trafficDistribution: 'Y' }),
    'bad external name': { spec: { type: 'ExternalName', externalName: 'A_', clusterIP: '10.0.0.9', ipFamilies: ['IPv4'] } },
    'bad ports': {
      spec: {
        ports: [
          { name: 'A', port: 0, targetPort: 'UPPER_', protocol: 'X', appProtocol: 'a b' },
          { port: 70000, nodePort: 30001 },
          { name: 'A', port: 5 },
          { name: 'c', port: 5 },
        ],
      },
    },
    'address elsewhere': svc({ clusterIP: '1.2.3.4' }),
    'no address': svc({ clusterIP: 'foo' }),
    'addresses disagree': svc({ clusterIP: '10.0.0.20', clusterIPs: ['10.0.0.21'] }),
    'two stacks': svc({ ipFamilyPolicy: 'RequireDualStack' }),
    'preferred two stacks': svc({ ipFamilyPolicy: 'PreferDualStack' }),
    'wrong family': svc({ ipFamilies: ['IPv6'] }),
    'unknown family': svc({ ipFamilies: ['IPv5', 'IPv5'], ipFamilyPolicy: 'X' }),
    'low node port': svc({ type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
    'node ports of two protocols': {
      spec: {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 53, protocol: 'UDP' },
          { name: 'b', port: 53 },
        ],
      },
    },
    'headless balancer': svc({ type: 'LoadBalancer', clusterIP: 'None' }),
    'bad selector': svc({ selector: { 'a b': '-' } }),
    'external addresses': svc({ externalIPs: ['1.2.3.4'] }),
    'bad external addresses': svc({ externalIPs: ['127.0.0.1', 'x'] }),
    'source ranges': svc({ loadBalancerSourceRanges: ['10.0.0.0/8', 'x'] }),
    'balancer fields': svc({
      loadBalancerClass: 'x',
      allocateLoadBalancerNodePorts: true,
      healthCheckNodePort: 30100,
      externalTrafficPolicy: 'Local',
    }),
    'affinity config': svc({ sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } }),
    warned: svc({ externalName: 'a.b', trafficDistribution: 'PreferClose', clusterIP: 'None', loadBalancerIP: '1.2.3.4' }),
    'topology differs': {
      metadata: { annotations: { 'service.kubernetes.io/topology-aware-hints': 'a', 'service.kubernetes.io/topology-mode': 'b' } },
      ...svc({}),
    },
  }),
  ...updates('v1', 'Service', svc({}), {
    'to node port': { spec: { type: 'NodePort' } },
    'to external name': { spec: { type: 'ExternalName', externalName: 'a.b' } },
    'to headless': { spec: { clusterIP: 'None', clusterIPs: ['None'] } },
    address: { spec: { clusterIP: '10.0.0.30', clusterIPs: ['10.0.0.30'] } },
    'address left out': { spec: { clusterIP: null, clusterIPs: null, ipFamilies: null, ipFamilyPolicy: null } },
    ports: { spec: { ports: [{ port: 81 }] } },
    family: { spec: { ipFamilies: ['IPv6'] } },
  }),
  ...updates('v1', 'Service', svc({ type: 'NodePort' }), {
    'to cluster address': { spec: { type: 'ClusterIP' } },
    'port renamed': { spec: { ports: [{ name: 'x', port: 80 }] } },
  }),
  ...updates('v1', 'Service', svc({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }), {
    class: { spec: { loadBalancerClass: 'x' } },
    'health port': { spec: { healthCheckNodePort: 30999 } },
    'to cluster address': { spec: { type: 'ClusterIP' } },
  }),
  ...updates(
    'v1',
    'Service',
    svc({ type: 'LoadBalancer' }),
    {
      good: { status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'a.b' }] } } },
      bad: {
        status: {
          loadBalancer: {
            ingress: [
              { ip: 'x', ipMode: 'Y' },
              { hostname: '1.2.3.4', ipMode: 'VIP' },
            ],
          },
        },
      },
    },
    'status',
  ),
];
