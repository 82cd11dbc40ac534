import type { Pod } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { setPodCondition } from '../../../apiserver/builtin/workloads/pod-conditions.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { cloneJson } from '../../../util/json.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import { isFinished } from '../pod-state.ts';
import { asObject, asStored, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { fieldManager, pods } from '../workload-resources.ts';

/** A pod that was said to go and is still there after this time stays. */
const staleAfterMs = 2 * 60_000;

export const staleDisruptionController: ControllerDefinition = {
  name: 'stale-disruption',
  reconciles: [pods],
  start: startStaleDisruptionController,
};

/** Takes back what a pod says about its end when nobody carried it out. */
function startStaleDisruptionController(ctx: ControllerContext): FedController {
  const { api } = ctx;
  const queue = ctx.queue({ reconcile });
  for (const obj of api.peekAll(pods)) observe(obj);

  return {
    observe: ({ type, obj }) => (type === 'DELETED' ? undefined : observe(obj)),
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  function observe(obj: KubeObject): void {
    const leftMs = staleInMs(obj, ctx.now());
    if (leftMs === 0) queue.add(keyOf(obj));
    else if (leftMs !== undefined) queue.addAfter(keyOf(obj), leftMs);
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(pods, namespace, name);
    const leftMs = obj && staleInMs(obj, ctx.now());
    if (!obj || leftMs === undefined) return;
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const pod = cloneJson(asStored<Pod>(obj));
    setPodCondition((pod.status ??= {}), { type: 'DisruptionTarget', status: 'False' }, ctx.now());
    await api.update(pods, asObject(pod), { subresource: 'status', fieldManager });
  }
}

/** How long until the pod's word about its end is stale; undefined when it gave none, or is ending. */
function staleInMs(obj: KubeObject, now: Date): number | undefined {
  const pod = asStored<Pod>(obj);
  const condition = pod.status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  if (condition?.status !== 'True' || condition.reason === 'TerminationByKubelet' || isDeleting(pod) || isFinished(pod)) return undefined;
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? '') + staleAfterMs - now.getTime());
}
