import type { KubeObject } from '../../../data/kinds.ts';

export interface ContainerLife {
  /** It runs; it does not, and may again; it does not, and never will. */
  readonly state: 'running' | 'resting' | 'over';
  readonly restarts: number;
}

interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: { readonly running?: object; readonly terminated?: object };
}

interface PodLike {
  readonly spec?: {
    readonly containers?: readonly { readonly name: string }[];
    readonly initContainers?: readonly { readonly name: string }[];
    readonly ephemeralContainers?: readonly { readonly name: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  };
}

/** Names of containers, those first that people look for. */
export function containersOf(pod: KubeObject): readonly string[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = (pod as KubeObject & PodLike).spec ?? {};
  return [...containers, ...initContainers, ...ephemeralContainers].map(one => one.name);
}

export function lifeOf(pod: KubeObject, container: string): ContainerLife {
  const {
    phase,
    containerStatuses = [],
    initContainerStatuses = [],
    ephemeralContainerStatuses = [],
  } = (pod as KubeObject & PodLike).status ?? {};
  const status = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(one => one.name === container);
  const restarts = status?.restartCount ?? 0;
  if (status?.state?.running) return { state: 'running', restarts };
  const isOver =
    phase === 'Succeeded' ||
    phase === 'Failed' ||
    (status?.state?.terminated !== undefined && pod.metadata.deletionTimestamp !== undefined);
  return { state: isOver ? 'over' : 'resting', restarts };
}
