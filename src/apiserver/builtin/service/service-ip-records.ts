import type { IPAddress, Service } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { StatusError } from '../../../api/status.ts';
import { workQueue } from '../../../runtime/work-queue.ts';
import type { ClusterApi } from '../../cluster-api.ts';
import type { ControllerOptions, RunningController } from '../../controllers/running-controller.ts';
import { isIpv6, parseIp, printIp } from '../../validation/ip.ts';
import { addressesOf } from './service-network.ts';

const ipAddresses = { group: 'networking.k8s.io', version: 'v1', resource: 'ipaddresses' };
const services = { group: '', version: 'v1', resource: 'services' };
const managedBy = 'ipaddress.kubernetes.io/managed-by';
const manager = 'ipallocator.k8s.io';

/** The IPAddress by which the server shows that a service holds an address. */
function ipAddressFor(service: KubeObject, address: string): KubeObject | undefined {
  const ip = parseIp(address);
  if (!ip) return undefined;
  const { namespace = '', name = '' } = service.metadata;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: { name: printIp(ip), labels: { 'ipaddress.kubernetes.io/ip-family': isIpv6(ip) ? 'IPv6' : 'IPv4', [managedBy]: manager } },
    spec: { parentRef: { group: '', resource: 'services', namespace, name } },
  };
}

/** Keeps one IPAddress for every cluster address of a service. The real server does it while it writes the service. */
export function serviceIpRecords(api: ClusterApi, options: ControllerOptions = {}): RunningController {
  const queue = workQueue({ reconcile, concurrency: 4, ...(options.onError && { onError: options.onError }) });
  const holders = new Map<string, KubeObject>();
  const subscription = api.subscribe(({ type, resource, obj, old, name }) => {
    if (resource.group === '' && resource.resource === 'services') {
      if (old) forget(old);
      if (type === 'DELETED') forget(obj);
      else remember(obj);
    } else if (resource.group === ipAddresses.group && resource.resource === 'ipaddresses') queue.add(name);
  });
  api.peekAll(services).forEach(remember);
  for (const record of api.peekAll(ipAddresses)) queue.add(record.metadata.name ?? '');

  return {
    idle: () => queue.idle(),
    [Symbol.dispose]() {
      subscription[Symbol.dispose]();
      queue[Symbol.dispose]();
    },
  };

  function remember(service: KubeObject): void {
    for (const address of addressesOf(service)) {
      holders.set(address, service);
      queue.add(address);
    }
  }

  function forget(service: KubeObject): void {
    for (const address of addressesOf(service)) {
      if (holders.get(address)?.metadata.uid === service.metadata.uid) holders.delete(address);
      queue.add(address);
    }
  }

  async function reconcile(address: string): Promise<void> {
    const record = api.peek(ipAddresses, '', address);
    const holder = holders.get(address);
    if (!record) {
      const wanted = holder && ipAddressFor(holder, address);
      if (wanted) await unless(409, api.create(ipAddresses, wanted, { fieldManager: 'kube-apiserver' }));
    } else if (record.metadata.labels?.[managedBy] === manager && !isHeldBy(record, holder))
      await unless(404, api.delete(ipAddresses, { namespace: '', name: address }, { preconditions: { uid: record.metadata.uid ?? '' } }));
  }
}

function isHeldBy(record: KubeObject, service: KubeObject | undefined): boolean {
  const parent = (record as unknown as IPAddress).spec?.parentRef;
  const { metadata } = (service ?? {}) as Service;
  return metadata !== undefined && parent?.name === metadata.name && parent?.namespace === metadata.namespace;
}

/** Somebody else was quicker: what was wanted is so already, or the next change tells more. */
async function unless(code: number, write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== code) throw error;
  }
}
