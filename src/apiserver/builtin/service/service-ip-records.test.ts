import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryCluster } from '../../../../test/helpers/memory-cluster.ts';
import { serviceIpRecords } from './service-ip-records.ts';

const ipAddresses = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
const services = { group: '', version: 'v1', resource: 'services' };
const service = (name: string, clusterIP: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'ns' },
  spec: { clusterIP, ports: [{ port: 80 }] },
});

test('an address has a record for as long as a service holds it', async () => {
  using api = await startMemoryCluster({ namespaces: ['ns'] });
  await api.add(service('a', '10.0.0.5'));
  using _controller = serviceIpRecords(api);
  await api.add(service('headless', 'None'));

  const record = await eventually(
    () => api.peek(ipAddresses, '', '10.0.0.5'),
    obj => obj !== undefined,
  );
  assert.deepEqual(record?.['spec'], { parentRef: { resource: 'services', namespace: 'ns', name: 'a' } });
  assert.equal(api.count(ipAddresses), 1);

  await api.delete(services, { namespace: 'ns', name: 'a' });
  await eventually(
    () => api.peek(ipAddresses, '', '10.0.0.5'),
    obj => obj === undefined,
  );
});
