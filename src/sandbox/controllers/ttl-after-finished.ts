import type { Outcome } from '../../runtime/work-queue.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { isFinishedJob, jobs, type StoredJob } from './job/job-pods.ts';
import { asStored, isDeleting, keyOf, splitKey } from './stored-object.ts';
import { unlessGone } from './write-errors.ts';

/** Deletes jobs some time after they have ended, when they ask for it. */
export const ttlAfterFinished: ControllerDefinition = {
  name: 'ttl-after-finished',
  reconciles: [jobs],
  start(ctx) {
    const { api } = ctx;
    const queue = ctx.queue({ reconcile });
    for (const job of api.peekAll(jobs)) queue.add(keyOf(job));

    return {
      observe({ type, obj }) {
        if (type !== 'DELETED' && endedAt(asStored(obj) as StoredJob) !== undefined) queue.add(keyOf(obj));
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<Outcome> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(jobs, namespace, name);
      const job = obj && (asStored(obj) as StoredJob);
      const ended = job && endedAt(job);
      if (!job || ended === undefined || isDeleting(job)) return;
      const waitMs = ended + (job.spec.ttlSecondsAfterFinished ?? 0) * 1000 - ctx.now().getTime();
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      const { uid } = job.metadata;
      await unlessGone(api.delete(jobs, { namespace, name }, { propagationPolicy: 'Foreground', preconditions: { uid } }));
    }
  },
};

/** When a job with a time to live ended; undefined for all others. */
function endedAt(job: StoredJob): number | undefined {
  if (job.spec.ttlSecondsAfterFinished === undefined || !isFinishedJob(job)) return undefined;
  const end = job.status?.conditions?.find(({ type, status }) => status === 'True' && (type === 'Complete' || type === 'Failed'));
  return Date.parse(end?.lastTransitionTime ?? '');
}
