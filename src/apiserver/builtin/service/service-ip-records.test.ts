import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually, FakeClusterApi, fakeResource } from '../../../../test/helpers/fake-cluster-api.ts';
import { serviceIpRecords } from './service-ip-records.ts';

const ipAddresses = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
const services = { group: '', version: 'v1', resource: 'services' };
const service = (name: string, ...clusterIPs: string[]) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'ns' },
  spec: { type: 'ClusterIP', clusterIPs },
});

test('an address has a record for as long as a service holds it', async t => {
  const api = new FakeClusterApi(
    fakeResource('v1', 'services', 'Service'),
    fakeResource('networking.k8s.io/v1', 'ipaddresses', 'IPAddress', { namespaced: false }),
  );
  await api.add(service('a', '10.0.0.5'));
  const controller = serviceIpRecords(api);
  t.after(() => controller[Symbol.dispose]());
  await api.add(service('headless', 'None'));

  const record = await eventually(
    () => api.peek(ipAddresses, '', '10.0.0.5'),
    obj => obj !== undefined,
  );
  assert.deepEqual(record?.['spec'], { parentRef: { group: '', resource: 'services', namespace: 'ns', name: 'a' } });
  assert.equal(api.count(ipAddresses), 1);

  await api.delete(services, { namespace: 'ns', name: 'a' });
  await eventually(
    () => api.peek(ipAddresses, '', '10.0.0.5'),
    obj => obj === undefined,
  );
});
