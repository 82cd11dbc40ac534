import type { ControllerDefinition } from '../controller-definition.ts';
import type { StoredPod } from '../pod-state.ts';
import { asStored, controllerKey, keyOf, splitKey } from '../stored-object.ts';
import { pods } from '../workload-resources.ts';
import { isFinishedJob, isTracked, jobs, type StoredJob } from './job-pods.ts';
import { releasePod } from './release-pod.ts';

/** Pods of jobs that were deleted must not be held: this runs even where no job is left. */
export const orphanedJobPods: ControllerDefinition = {
  name: 'orphaned-job-pods',
  reconciles: [pods],
  watches: [jobs],
  start(ctx) {
    const { api } = ctx;
    const queue = ctx.queue({ reconcile });
    for (const pod of api.peekAll(pods)) if (isTracked(asStored(pod) as StoredPod)) queue.add(keyOf(pod));
    return {
      observe({ type, resource, obj }) {
        if (resource.resource !== jobs.resource) {
          if (isTracked(asStored(obj) as StoredPod)) queue.add(keyOf(obj));
          return;
        }
        if (type !== 'DELETED') return;
        for (const pod of ctx.pods.of(obj.metadata.namespace ?? '', obj.metadata.uid ?? '')) queue.add(keyOf(pod));
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(pods, namespace, name);
      if (!obj || !isTracked(asStored(obj) as StoredPod)) return;
      const job = controllerKey(api, jobs, obj);
      if (job !== undefined && !isFinishedJob(asStored(api.peek(jobs, namespace, splitKey(job).name)!) as StoredJob)) return;
      await releasePod(api, asStored(obj) as StoredPod);
    }
  },
};
