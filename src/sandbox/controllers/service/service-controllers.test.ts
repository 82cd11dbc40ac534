import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoints, EndpointSlice, Service } from '../../../api/kubernetes.ts';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startPlatformRig, type PlatformRig } from '../../../../test/helpers/platform-rig.ts';

const serviceKind = { apiVersion: 'v1', kind: 'Service' };
const endpointsKind = { apiVersion: 'v1', kind: 'Endpoints' };
const sliceKind = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' };
const podKind = { apiVersion: 'v1', kind: 'Pod' };

const pod = (name: string, extra: { annotations?: object; spec?: object; port?: number } = {}): object => ({
  ...podKind,
  metadata: { name, labels: { app: 'web' }, ...(extra.annotations && { annotations: extra.annotations }) },
  spec: { containers: [{ name: 'c', image: 'web:1', ports: [{ name: 'http', containerPort: extra.port ?? 8080 }] }], ...extra.spec },
});
const service = (spec: object = {}): object => ({
  ...serviceKind,
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ name: 'main', port: 80, targetPort: 'http' }], ...spec },
});

const slices = (rig: PlatformRig) => rig.list<EndpointSlice>(sliceKind);
const addressesIn = (list: readonly EndpointSlice[]) =>
  list.flatMap(slice => (slice.endpoints ?? []).flatMap(({ addresses }) => addresses)).toSorted();

test('pods behind a service are its endpoints, by the number that their port name means', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(service());
  await rig.apply(pod('a'));
  await rig.apply(pod('b'));
  await rig.settle();
  const [slice] = slices(rig);
  assert.deepEqual(slice?.ports, [{ name: 'main', port: 8080, protocol: 'TCP' }]);
  assert.deepEqual(slice?.metadata?.labels, {
    'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
    'kubernetes.io/service-name': 'web',
  });
  const [endpoint] = slice?.endpoints ?? [];
  assert.deepEqual(endpoint?.conditions, { ready: true, serving: true, terminating: false });
  assert.match(endpoint?.zone ?? '', /^sandbox-/);
  assert.equal(addressesIn(slices(rig)).length, 2);
  const [subset] = rig.get<Endpoints>(endpointsKind, 'web')?.subsets ?? [];
  assert.deepEqual(subset?.addresses?.map(({ ip }) => ip).toSorted(), addressesIn(slices(rig)));
  assert.deepEqual(rig.problems, []);
});

test('pods that are not ready are listed as such, and published when the service says so', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(service());
  await rig.apply(pod('a', { annotations: { 'sandbox.drover.io/behavior': 'not-ready' } }));
  await rig.settle();
  assert.equal(slices(rig)[0]?.endpoints?.[0]?.conditions?.ready, false);
  assert.equal(rig.get<Endpoints>(endpointsKind, 'web')?.subsets?.[0]?.notReadyAddresses?.length, 1);
  await rig.change(serviceKind, 'web', { spec: { publishNotReadyAddresses: true } });
  await rig.settle();
  assert.deepEqual(slices(rig)[0]?.endpoints?.[0]?.conditions, { ready: true, serving: false, terminating: false });
  assert.equal(rig.get<Endpoints>(endpointsKind, 'web')?.subsets?.[0]?.addresses?.length, 1);
});

test('pods with the same port name and other numbers are in a slice of their own', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(service());
  await rig.apply(pod('a', { port: 8080 }));
  await rig.apply(pod('b', { port: 9090 }));
  await rig.settle();
  assert.deepEqual(
    slices(rig)
      .map(slice => slice.ports?.[0]?.port)
      .toSorted(),
    [8080, 9090],
  );
  assert.equal(rig.get<Endpoints>(endpointsKind, 'web')?.subsets?.length, 2);
});

test('more pods than a slice holds need another, and few pods need few', async t => {
  const rig = await startPlatformRig(t, { nodes: 3 });
  await rig.apply(service());
  for (let i = 0; i < 120; i++) await rig.apply(pod(`p-${i}`));
  await rig.settle();
  assert.deepEqual(
    slices(rig)
      .map(slice => slice.endpoints?.length)
      .toSorted(),
    [100, 20],
  );
  for (let i = 0; i < 119; i++)
    await rig.cluster.delete(rig.cluster.resourceOf(podKind), { namespace: 'test', name: `p-${i}` }, { gracePeriodSeconds: 0 });
  await rig.settle();
  assert.deepEqual(
    slices(rig).map(slice => slice.endpoints?.length),
    [1],
  );
});

test('a headless service names the pods that ask to be named', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(service({ clusterIP: 'None' }));
  await rig.apply(pod('a', { spec: { hostname: 'a', subdomain: 'web' } }));
  await rig.settle();
  assert.equal(slices(rig)[0]?.endpoints?.[0]?.hostname, 'a');
  assert.equal(slices(rig)[0]?.metadata?.labels?.['service.kubernetes.io/headless'], '');
});

test('what goes with a service is gone after it', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply(service());
  await rig.apply(pod('a'));
  await rig.settle();
  await rig.cluster.delete(rig.cluster.resourceOf(serviceKind), { namespace: 'test', name: 'web' }, { propagationPolicy: 'Background' });
  await eventually(() => slices(rig).length === 0 && rig.get(endpointsKind, 'web') === undefined);
});

test('endpoints that people write are mirrored, and no others', async t => {
  const rig = await startPlatformRig(t);
  await rig.apply({ ...serviceKind, metadata: { name: 'db' }, spec: { ports: [{ port: 5432 }] } });
  await rig.apply({
    ...endpointsKind,
    metadata: { name: 'db' },
    subsets: [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 5432 }] }],
  });
  await rig.settle();
  assert.deepEqual(addressesIn(slices(rig)), ['192.0.2.7']);
  await rig.change(endpointsKind, 'db', { subsets: [{ addresses: [{ ip: '192.0.2.8' }], ports: [{ port: 5432 }] }] });
  await rig.settle();
  assert.deepEqual(addressesIn(slices(rig)), ['192.0.2.8']);
});

test('load balancers have addresses of their own, until they are none', async t => {
  const rig = await startPlatformRig(t);
  const ingressOf = (name: string) => rig.get<Service>(serviceKind, name)?.status?.loadBalancer?.ingress?.[0]?.ip;
  for (const name of ['a', 'b'])
    await rig.apply({ ...serviceKind, metadata: { name }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: name } } });
  await rig.settle();
  assert.deepEqual([ingressOf('a'), ingressOf('b')].toSorted(), ['203.0.113.1', '203.0.113.2']);
  await rig.change(serviceKind, 'a', { spec: { type: 'ClusterIP' } });
  await rig.settle();
  assert.equal(ingressOf('a'), undefined);
});
