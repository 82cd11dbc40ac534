/** As much of a Pod as matters here. */
export interface SeenPod {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
    readonly containerStatuses?: readonly {
      readonly state?: {
        readonly waiting?: { readonly reason?: string; readonly message?: string };
        readonly running?: object;
        readonly terminated?: { readonly reason?: string; readonly message?: string };
      };
    }[];
  };
}

export type ShellState =
  { readonly state: 'waiting' | 'stuck' | 'over'; readonly message: string; readonly next?: string } | { readonly state: 'running' };

const cannotPull = /^(ErrImagePull|ImagePullBackOff|InvalidImageName|ErrImageNeverPull|RegistryUnavailable|ImageInspectError)$/;

/** How far the pod of a shell has come, and what to do when it comes no further. */
export function judgeShellPod(pod: SeenPod): ShellState {
  const { phase, reason, message, conditions = [], containerStatuses = [] } = pod.status ?? {};
  const { waiting, running, terminated } = containerStatuses[0]?.state ?? {};
  if (reason === 'DeadlineExceeded') return { state: 'over', message: 'The shell was open for as long as it may be.' };
  if (phase === 'Failed' || phase === 'Succeeded' || terminated) {
    const why = message ?? terminated?.message ?? reason ?? terminated?.reason;
    return {
      state: 'over',
      message: `The pod of the shell has ended${why === undefined ? '' : `: ${why}`}.`,
      next: 'Open the shell again. If it ends at once, the image may have no "sleep".',
    };
  }
  if (pod.metadata.deletionTimestamp !== undefined) return { state: 'over', message: 'Somebody is deleting the pod of the shell.' };
  if (running) return { state: 'running' };
  if (waiting?.reason !== undefined && cannotPull.test(waiting.reason)) {
    const image = pod.spec?.containers?.[0]?.image ?? '';
    return {
      state: 'stuck',
      message: `The node cannot pull the image ${image}${waiting.message === undefined ? '' : `: ${waiting.message}`}.`,
      next: 'Close this one and name an image that the nodes can get, with "sh" and "kubectl" in it. Administrators set it for all: the settings "shell-image" and "system-default-registry" of the hub.',
    };
  }
  if (waiting?.reason !== undefined && waiting.reason !== 'ContainerCreating' && waiting.reason !== 'PodInitializing')
    return {
      state: 'stuck',
      message: `The container does not start: ${waiting.message ?? waiting.reason}.`,
      next: 'Close this one and open another, with an image that has "sh", "sleep" and "kubectl".',
    };
  const scheduled = conditions.find(one => one.type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return {
      state: 'stuck',
      message: `No node takes the pod yet: ${scheduled.message ?? scheduled.reason ?? 'the scheduler does not say why'}.`,
      next: 'It starts by itself as soon as one does.',
    };
  return {
    state: 'waiting',
    message: scheduled?.status === 'True' ? 'The node fetches the image and starts the pod' : 'Waiting for a node',
  };
}

/** What helps when the cluster does not take the pod; undefined when its own words are enough. */
export function afterRefusal(message: string): string | undefined {
  if (/exceeded quota|LimitRange|maximum (cpu|memory)/i.test(message)) return 'The namespace has no room for it. Choose another namespace.';
  if (/PodSecurity|denied the request|security context constraint/i.test(message))
    return 'A rule of this cluster does not let such a pod in. Choose another namespace, or ask who made the rule.';
  return undefined;
}
