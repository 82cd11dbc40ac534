import type { Node, NodeStatus } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { serverVersion } from '../../apiserver/server-version.ts';
import { timestamp } from '../../util/timestamp.ts';

const zones = ['a', 'b', 'c'];
const resources = { cpu: '32', memory: '256Gi', 'ephemeral-storage': '200Gi', pods: '110' };

/** The n-th node of a sandbox cluster, counted from zero. Nodes stand in three zones in turn. */
export function sandboxNode(name: string, n: number): KubeObject {
  const podCIDR = `10.244.${n % 256}.0/24`;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node.kubernetes.io/instance-type': 'sandbox',
        'topology.kubernetes.io/region': 'sandbox',
        'topology.kubernetes.io/zone': `sandbox-${zones[n % zones.length]}`,
      },
    },
    // Only the first 256 nodes have a range of their own; pods on the others share one.
    spec: { providerID: `sandbox://${name}`, ...(n < 256 && { podCIDR, podCIDRs: [podCIDR] }) },
    status: nodeStatus({ metadata: { name } } as Node, { address: nodeAddress(n), now: new Date() }),
  };
}

/** The address of the n-th node, as if all stood in one network. */
export const nodeAddress = (n: number): string => `172.18.${Math.floor((n + 2) / 256) % 256}.${(n + 2) % 256}`;

/** The status of a healthy node: what its creator said of its size and addresses stays. */
export function nodeStatus(node: Node, { address, now }: { address: string; now: Date }): NodeStatus {
  const name = node.metadata?.name ?? '';
  const given = node.status ?? {};
  const capacity = { ...resources, ...given.capacity };
  return {
    ...given,
    capacity,
    allocatable: { ...capacity, ...given.allocatable },
    conditions: healthyConditions(given.conditions ?? [], now),
    addresses: given.addresses?.length
      ? given.addresses
      : [
          { type: 'InternalIP', address },
          { type: 'Hostname', address: name },
        ],
    daemonEndpoints: given.daemonEndpoints ?? { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: {
      ...systemInfo,
      ...Object.fromEntries(Object.entries(given.nodeInfo ?? {}).filter(([, value]) => value !== '')),
    },
  };
}

const systemInfo = {
  machineID: '',
  systemUUID: '',
  bootID: '',
  kernelVersion: 'sandbox',
  osImage: 'Drover sandbox',
  containerRuntimeVersion: 'sandbox://1',
  kubeletVersion: serverVersion.gitVersion,
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'amd64',
};

type Condition = NonNullable<NodeStatus['conditions']>[number];

const healthy: readonly Omit<Condition, 'lastHeartbeatTime' | 'lastTransitionTime'>[] = [
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
];

/** As a kubelet reports them. One that somebody else wrote on purpose, such as MemoryPressure=True, stays. */
function healthyConditions(before: readonly Condition[], now: Date): Condition[] {
  const at = timestamp(now);
  const own = healthy.map(wanted => {
    const present = before.find(({ type }) => type === wanted.type);
    if (present && present.status !== 'Unknown' && (wanted.type !== 'Ready' || present.status === 'True')) return present;
    return { ...wanted, lastHeartbeatTime: at, lastTransitionTime: at };
  });
  return [...own, ...before.filter(({ type }) => !healthy.some(wanted => wanted.type === type))];
}

/** The conditions of a node whose kubelet fell silent. */
export function silentConditions(before: readonly Condition[], now: Date): Condition[] {
  const silent = { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
  return healthyConditions(before, now).map(condition => {
    if (!healthy.some(({ type }) => type === condition.type)) return condition;
    const present = before.find(({ type }) => type === condition.type);
    return present?.status === 'Unknown' ? present : { ...condition, ...silent, lastTransitionTime: timestamp(now) };
  });
}
