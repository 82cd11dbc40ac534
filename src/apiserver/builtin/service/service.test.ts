import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { Service, ServiceSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import type { Change } from '../../cluster-api.ts';
import { testCluster, type TestCluster } from '../test-cluster.ts';
import { serviceKind } from './service.ts';

const { strategy } = serviceKind;
const service = (spec: ServiceSpec, name = 'a'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'ns' },
  spec,
});
const specOf = (obj: KubeObject) => (obj as unknown as Service).spec ?? {};
const web = { ports: [{ port: 80 }] };

let cluster: TestCluster;
beforeEach(() => {
  cluster = testCluster();
});

function create(obj: KubeObject): KubeObject {
  serviceKind.setDefaults?.(obj);
  strategy.prepareForCreate?.(obj, cluster.context());
  return obj;
}
const commit = (obj: KubeObject, old?: KubeObject): KubeObject => {
  cluster.emit({ type: old ? 'MODIFIED' : 'ADDED', resource: { group: '', resource: 'services' }, obj, old } as unknown as Change);
  return obj;
};
const problems = (obj: KubeObject) => (strategy.validate?.(obj, cluster.context()) ?? []).map(e => `${e.field}: ${e.message}`);
const refusal = (act: () => unknown): string => {
  try {
    act();
  } catch (e) {
    if (e instanceof StatusError) return e.message;
    throw e;
  }
  return '';
};

test('a plain service gets what the server decides', () => {
  const obj = create(service({ ...web, selector: { app: 'web' } }));
  const { clusterIP = '', ...rest } = specOf(obj);
  assert.match(clusterIP, /^10\.0\.\d+\.\d+$/);
  assert.deepEqual(rest, {
    clusterIPs: [clusterIP],
    internalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
    selector: { app: 'web' },
    sessionAffinity: 'None',
    type: 'ClusterIP',
  });
  assert.deepEqual(obj['status'], { loadBalancer: {} });
  assert.deepEqual(problems(obj), []);
});

test('a headless service without selector asks for both families', () => {
  const spec = specOf(create(service({ ...web, clusterIP: 'None' })));
  assert.deepEqual([spec.clusterIPs, spec.ipFamilies, spec.ipFamilyPolicy], [['None'], ['IPv4', 'IPv6'], 'RequireDualStack']);
});

test('an external name has no addresses', () => {
  const spec = specOf(create(service({ type: 'ExternalName', externalName: 'example.com' })));
  assert.deepEqual(spec, { type: 'ExternalName', externalName: 'example.com', sessionAffinity: 'None' });
});

test('a load balancer gets node ports, shared by protocols of one port', () => {
  const ports = [
    { name: 'tcp', port: 53 },
    { name: 'udp', port: 53, protocol: 'UDP' },
  ];
  const obj = create(service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports }));
  const [tcp, udp] = specOf(obj).ports ?? [];
  assert.ok(tcp?.nodePort && tcp.nodePort >= 30000 && tcp.nodePort <= 32767);
  assert.equal(tcp.nodePort, udp?.nodePort);
  assert.ok(specOf(obj).healthCheckNodePort);
  assert.deepEqual(problems(obj), []);
});

test('an address and a port are given to one service only', () => {
  const first = commit(
    create(service({ ...web, type: 'NodePort', clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 30007 }] }, 'first')),
  );
  assert.equal(specOf(first).clusterIP, '10.0.0.7');
  assert.equal(
    refusal(() => create(service({ ...web, clusterIP: '10.0.0.7' }))),
    'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.7"]: failed to allocate IP 10.0.0.7: provided IP is already allocated',
  );
  assert.equal(
    refusal(() => create(service({ type: 'NodePort', ports: [{ port: 80, nodePort: 30007 }] }))),
    'Service "a" is invalid: spec.ports[0].nodePort: Invalid value: 30007: provided port is already allocated',
  );
});

const refused: [string, ServiceSpec, string][] = [
  [
    'an address from elsewhere',
    { ...web, clusterIP: '1.2.3.4' },
    'Service "a" is invalid: spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
  ],
  [
    'a port out of range',
    { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] },
    'Service "a" is invalid: spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
  ],
  [
    'two families',
    { ...web, ipFamilyPolicy: 'RequireDualStack', selector: { a: 'b' } },
    'Service "a" is invalid: spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  ],
];
for (const [name, spec, expected] of refused)
  test(`refuses ${name}`, () =>
    assert.equal(
      refusal(() => create(service(spec))),
      expected,
    ));

const invalids: [string, ServiceSpec, string[]][] = [
  ['no ports', {}, ['spec.ports: Required value']],
  [
    'two ports without names',
    { ports: [{ port: 80 }, { port: 81 }] },
    ['spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'],
  ],
  [
    'one port twice',
    {
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 80 },
      ],
    },
    ['spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}'],
  ],
  [
    'a node port on a cluster address',
    { ports: [{ port: 80, nodePort: 30001 }] },
    ["spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'"],
  ],
  [
    'an unknown affinity',
    { ...web, sessionAffinity: 'Sticky' },
    ['spec.sessionAffinity: Unsupported value: "Sticky": supported values: "ClientIP", "None"'],
  ],
  [
    'an external policy inside',
    { ...web, externalTrafficPolicy: 'Local' },
    ['spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services'],
  ],
];
for (const [name, spec, expected] of invalids)
  test(`validation names ${name}`, () => assert.deepEqual(problems(create(service(spec))), expected));

test('an update keeps the address it leaves out, and cannot change it', () => {
  const old = commit(create(service({ ...web, type: 'NodePort' })));
  const next = service({ ports: [{ port: 81 }], type: 'NodePort' });
  serviceKind.setDefaults?.(next);
  strategy.prepareForUpdate?.(next, old, cluster.context());
  assert.equal(specOf(next).clusterIP, specOf(old).clusterIP);
  assert.equal(specOf(next).ports?.[0]?.nodePort, specOf(old).ports?.[0]?.nodePort);

  const moved = service({ ...structuredClone(specOf(old)), clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] });
  strategy.prepareForUpdate?.(moved, old, cluster.context());
  const errors = strategy.validateUpdate?.(moved, old, cluster.context()) ?? [];
  assert.deepEqual(
    errors.map(e => `${e.field}: ${e.message}`),
    ['spec.clusterIPs[0]: Invalid value: ["10.0.0.9"]: may not change once set'],
  );
});

test('a service that becomes an external name lets go of its address', () => {
  const old = commit(create(service({ ...web, type: 'NodePort' })));
  const next = service({ ...structuredClone(specOf(old)), type: 'ExternalName', externalName: 'example.com' });
  serviceKind.setDefaults?.(next);
  strategy.prepareForUpdate?.(next, old, cluster.context());
  const spec = specOf(next);
  assert.deepEqual(
    [spec.clusterIP, spec.clusterIPs, spec.ipFamilies, spec.ports?.[0]?.nodePort],
    [undefined, undefined, undefined, undefined],
  );
});

test('a dry run shows the network itself', () => {
  const obj = service(web);
  serviceKind.setDefaults?.(obj);
  strategy.prepareForCreate?.(obj, cluster.context({ dryRun: true }));
  assert.equal(specOf(obj).clusterIP, '10.0.0.0');
});
