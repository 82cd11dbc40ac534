import type { ContainerStatus, Pod, PodStatus } from '../../api/kubernetes.ts';
import type { Stored } from '../controllers/stored-object.ts';
import { behaviorOf } from './pod-status.ts';

/** What a kubelet tells about a pod. Only trouble is told: what goes well can be seen in the status. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
  readonly fieldPath?: string;
}

/** What is new to tell when a pod comes to this status. */
export function newTroubles(pod: Stored<Pod>, status: PodStatus): Trouble[] {
  const troubles: Trouble[] = [];
  if (pod.status?.startTime === undefined)
    for (const message of behaviorOf(pod).problems) troubles.push({ reason: 'InvalidSandboxBehavior', message });
  if (status.phase === 'Failed' && status.reason !== undefined) troubles.push({ reason: status.reason, message: status.message ?? '' });
  const before = containersOf(pod.status);
  for (const container of containersOf(status)) {
    const old = before.find(({ name }) => name === container.name);
    if (reasonOf(old) === reasonOf(container) && old?.restartCount === container.restartCount) continue;
    const fieldPath = `spec.containers{${container.name}}`;
    troubles.push(...containerTroubles(pod, container).map(trouble => ({ ...trouble, fieldPath })));
  }
  return troubles;
}

const containersOf = (status: PodStatus | undefined) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
const reasonOf = (container: ContainerStatus | undefined) => container?.state?.waiting?.reason;

function containerTroubles({ metadata }: Stored<Pod>, { name, image, state }: ContainerStatus): Trouble[] {
  const { reason, message = '' } = state?.waiting ?? {};
  switch (reason) {
    case 'CrashLoopBackOff': {
      const label = `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
      return [{ reason: 'BackOff', message: `Back-off restarting failed container ${name} in pod ${label}` }];
    }
    case 'ErrImagePull':
      return [
        { reason: 'Failed', message: `Failed to pull image "${image}": ${message}` },
        { reason: 'Failed', message: 'Error: ErrImagePull' },
      ];
    case 'ImagePullBackOff':
      return [
        { reason: 'BackOff', message: `Back-off pulling image "${image}"` },
        { reason: 'Failed', message: 'Error: ImagePullBackOff' },
      ];
    case 'CreateContainerConfigError':
      return [{ reason: 'Failed', message: `Error: ${message}` }];
    default:
      return [];
  }
}
