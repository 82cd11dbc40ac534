import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startMemoryCluster, type MemoryCluster } from '../../../../test/helpers/memory-cluster.ts';
import type { Service, ServiceSpec } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';

const services = { group: '', version: 'v1', resource: 'services' };
const service = (spec: ServiceSpec, name = 'a'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'ns' },
  spec,
});
const specOf = (obj: KubeObject) => (obj as unknown as Service).spec ?? {};
const web = { ports: [{ port: 80 }] };

let cluster: MemoryCluster;
beforeEach(async () => {
  cluster = await startMemoryCluster({ namespaces: ['ns'] });
});

const create = (obj: KubeObject) => cluster.create(services, obj);
async function refusal(act: Promise<unknown>): Promise<StatusError> {
  try {
    await act;
  } catch (e) {
    if (e instanceof StatusError) return e;
    throw e;
  }
  throw new Error('the service was accepted');
}
const problems = async (act: Promise<unknown>) => (await refusal(act)).details?.causes?.map(({ field, message }) => `${field}: ${message}`);

test('a plain service gets what the server decides', async () => {
  const obj = await create(service({ ...web, selector: { app: 'web' } }));
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
});

test('a headless service without selector asks for both families', async () => {
  const spec = specOf(await create(service({ ...web, clusterIP: 'None' })));
  assert.deepEqual([spec.clusterIPs, spec.ipFamilies, spec.ipFamilyPolicy], [['None'], ['IPv4', 'IPv6'], 'RequireDualStack']);
});

test('an external name has no addresses', async () => {
  const spec = specOf(await create(service({ type: 'ExternalName', externalName: 'example.com' })));
  assert.deepEqual(spec, { type: 'ExternalName', externalName: 'example.com', sessionAffinity: 'None' });
});

test('a load balancer gets node ports, shared by protocols of one port', async () => {
  const ports = [
    { name: 'tcp', port: 53 },
    { name: 'udp', port: 53, protocol: 'UDP' },
  ];
  const obj = await create(service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', ports }));
  const [tcp, udp] = specOf(obj).ports ?? [];
  assert.ok(tcp?.nodePort && tcp.nodePort >= 30000 && tcp.nodePort <= 32767);
  assert.equal(tcp.nodePort, udp?.nodePort);
  assert.ok(specOf(obj).healthCheckNodePort);
});

test('an address and a port are given to one service only', async () => {
  const first = await create(service({ ...web, type: 'NodePort', clusterIP: '10.0.0.7', ports: [{ port: 80, nodePort: 30007 }] }, 'first'));
  assert.equal(specOf(first).clusterIP, '10.0.0.7');
  assert.equal(
    (await refusal(create(service({ ...web, clusterIP: '10.0.0.7' })))).message,
    'Service "a" is invalid: spec.clusterIPs: Invalid value: ["10.0.0.7"]: failed to allocate IP 10.0.0.7: provided IP is already allocated',
  );
  assert.equal(
    (await refusal(create(service({ type: 'NodePort', ports: [{ port: 80, nodePort: 30007 }] })))).message,
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
  test(`refuses ${name}`, async () => assert.equal((await refusal(create(service(spec)))).message, expected));

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
  test(`validation names ${name}`, async () => assert.deepEqual(await problems(create(service(spec))), expected));

test('an update keeps the address it leaves out, and cannot change it', async () => {
  const old = await create(service({ ...web, type: 'NodePort' }));
  const next = await cluster.update(services, service({ ports: [{ port: 81 }], type: 'NodePort' }));
  assert.equal(specOf(next).clusterIP, specOf(old).clusterIP);
  assert.equal(specOf(next).ports?.[0]?.nodePort, specOf(old).ports?.[0]?.nodePort);

  const moved = service({ ...specOf(old), clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] });
  assert.deepEqual(await problems(cluster.update(services, moved)), [
    'spec.clusterIPs[0]: Invalid value: ["10.0.0.9"]: may not change once set',
  ]);
});

test('a service that becomes an external name lets go of its address', async () => {
  const old = await create(service({ type: 'NodePort', ...web, clusterIP: '10.0.0.7' }));
  const next = await cluster.update(services, service({ ...specOf(old), type: 'ExternalName', externalName: 'example.com' }));
  const spec = specOf(next);
  assert.deepEqual(
    [spec.clusterIP, spec.clusterIPs, spec.ipFamilies, spec.ports?.[0]?.nodePort],
    [undefined, undefined, undefined, undefined],
  );
  assert.equal(specOf(await create(service({ ...web, clusterIP: '10.0.0.7' }, 'heir'))).clusterIP, '10.0.0.7');
});

test('a dry run shows the network itself', async () => {
  assert.equal(specOf(await cluster.create(services, service(web), { dryRun: true })).clusterIP, '10.0.0.0');
});
