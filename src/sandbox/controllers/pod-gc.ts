import { setPodCondition } from '../../apiserver/builtin/workloads/pod-conditions.ts';
import { cloneJson } from '../../util/json.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { isFinished, type StoredPod } from './pod-state.ts';
import { asObject, asStored, keyOf, splitKey, targetOf } from './stored-object.ts';
import { fieldManager, nodes, pods } from './workload-resources.ts';
import { unlessGone } from './write-errors.ts';

/** A node that comes back under the same name within this time keeps its pods. */
const quarantineMs = 2000;

/** Deletes pods whose node is gone: there is nobody left who would. */
export const podGarbageCollector: ControllerDefinition = {
  name: 'pod-gc',
  reconciles: [pods],
  watches: [nodes],
  start(ctx) {
    const { api } = ctx;
    const queue = ctx.queue({ reconcile });
    for (const pod of api.peekAll(pods)) suspect(asStored(pod) as StoredPod);

    return {
      observe({ type, resource, obj, name }) {
        if (resource.resource === nodes.resource) {
          if (type !== 'DELETED') return;
          for (const pod of api.peekAll(pods)) if ((asStored(pod) as StoredPod).spec.nodeName === name) suspect(asStored(pod) as StoredPod);
        } else if (type !== 'DELETED') suspect(asStored(obj) as StoredPod);
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    function suspect(pod: StoredPod): void {
      if (isOrphan(pod)) queue.addAfter(keyOf(pod), quarantineMs);
    }

    function isOrphan({ spec }: StoredPod): boolean {
      return Boolean(spec.nodeName) && api.peek(nodes, '', spec.nodeName!) === undefined;
    }

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(pods, namespace, name);
      if (!obj || !isOrphan(asStored(obj) as StoredPod)) return;
      const pod = cloneJson(asStored(obj) as StoredPod);
      if (!isFinished(pod)) {
        const status = (pod.status ??= {});
        status.phase = 'Failed';
        const message = 'PodGC: node no longer exists';
        setPodCondition(status, { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message }, ctx.now());
        await unlessGone(api.update(pods, asObject(pod), { subresource: 'status', fieldManager }));
      }
      await unlessGone(api.delete(pods, targetOf(pod), { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata.uid } }));
    }
  },
};
