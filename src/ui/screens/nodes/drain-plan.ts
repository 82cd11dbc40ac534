import type { KubeObject } from '../../data/kinds.ts';

export interface DrainOptions {
  /** Also pods that nobody would make again. */
  readonly hasForce: boolean;
  /** Also pods whose scratch data goes with them. */
  readonly losesScratch: boolean;
}

/** What a drain does with one pod. */
export interface PodFate {
  readonly pod: KubeObject;
  readonly fate: 'evict' | 'stay' | 'blocked';
  readonly why: string;
}

interface PodLike {
  readonly spec?: { readonly volumes?: readonly { readonly emptyDir?: unknown }[] };
  readonly status?: { readonly phase?: string };
}

/** As `kubectl drain` decides: pods of daemons and of the node itself stay, what would be lost has to be asked for. */
export function planDrain(pods: readonly KubeObject[], options: DrainOptions): readonly PodFate[] {
  return pods.map(pod => ({ pod, ...fateOf(pod, options) }));
}

function fateOf(pod: KubeObject, { hasForce, losesScratch }: DrainOptions): Omit<PodFate, 'pod'> {
  const { metadata } = pod;
  const { spec, status } = pod as PodLike;
  if (metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined) return { fate: 'stay', why: 'belongs to the node itself' };
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return { fate: 'evict', why: 'is over already' };
  const controller = metadata.ownerReferences?.find(one => one.controller === true);
  if (controller?.kind === 'DaemonSet') return { fate: 'stay', why: `DaemonSet ${controller.name} would make it again here` };
  if (!controller && !hasForce) return { fate: 'blocked', why: 'nobody would make it again' };
  const hasScratch = (spec?.volumes ?? []).some(one => one.emptyDir !== undefined);
  if (hasScratch && !losesScratch) return { fate: 'blocked', why: 'its scratch data (emptyDir) would be lost' };
  const again = controller ? `${controller.kind} ${controller.name} makes it again elsewhere` : 'is gone for good';
  return { fate: 'evict', why: hasScratch ? `${again}, without its scratch data` : again };
}

export const drainFlags = ({ hasForce, losesScratch }: DrainOptions): string =>
  ['--ignore-daemonsets', ...(losesScratch ? ['--delete-emptydir-data'] : []), ...(hasForce ? ['--force'] : [])].join(' ');
