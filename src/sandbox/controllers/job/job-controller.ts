import type { JobStatus } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Change } from '../../../apiserver/cluster-api.ts';
import { selectorMatches } from '../../../apiserver/validation/label-selector.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { jsonEqual } from '../../../util/json.ts';
import { claimObjects } from '../claim-objects.ts';
import type { ControllerContext, ControllerDefinition, FedController } from '../controller-definition.ts';
import { ownersOfChange } from '../owners-of-change.ts';
import { inGrowingBatches, podControl } from '../pod-control.ts';
import type { StoredPod } from '../pod-state.ts';
import { asObject, asStored, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { fieldManager, pods } from '../workload-resources.ts';
import { isNamespaceTerminating, unlessGone } from '../write-errors.ts';
import { podChanges, type PodChanges } from './job-pod-changes.ts';
import { jobPod } from './job-pod-template.ts';
import { isFinishedJob, jobs, observeJob, type StoredJob } from './job-pods.ts';
import { releasePod } from './release-pod.ts';
import { trackStatus } from './job-status.ts';
import { completionOf, deadlineOf, verdictOf, type Verdict } from './job-verdict.ts';

const managerName = 'kubernetes.io/job-controller';

/** Runs pods until as many as asked for have succeeded, or it is clear that they will not. */
export const jobController: ControllerDefinition = {
  name: 'job',
  reconciles: [jobs],
  watches: [pods],
  start: ctx => startJobController(ctx),
};

function startJobController(ctx: ControllerContext): FedController {
  const { api } = ctx;
  const recorder = ctx.recorder('job-controller');
  const control = podControl(api, recorder);
  const queue = ctx.queue({ reconcile });
  for (const obj of api.peekAll(jobs)) queue.add(keyOf(obj));

  return {
    observe: change => (change.resource.resource === pods.resource ? observePod(change) : queue.add(`${change.namespace}/${change.name}`)),
    idle: () => queue.idle(),
    [Symbol.dispose]: () => queue[Symbol.dispose](),
  };

  function observePod(change: Change): void {
    const selects = (job: KubeObject, pod: KubeObject) => selectorMatches((asStored(job) as StoredJob).spec.selector, pod.metadata.labels);
    for (const key of ownersOfChange(api, jobs, change, selects)) queue.add(key);
  }

  async function reconcile(key: string): Promise<Outcome> {
    const { namespace, name } = splitKey(key);
    const obj = api.peek(jobs, namespace, name);
    if (!obj) return;
    const job = asStored(obj) as StoredJob;
    if ((job.spec.managedBy ?? managerName) !== managerName || isFinishedJob(job)) return;

    const now = ctx.now();
    const observed = observeJob(job, await claimPods(job));
    const verdict = verdictOf(observed, now);
    const changes: PodChanges = verdict
      ? { deletes: observed.active, creates: [] }
      : isDeleting(job)
        ? { deletes: [], creates: [] }
        : podChanges(observed, now);
    const failure = await carryOut(job, changes);
    await track(key, verdict, now);
    if (failure !== undefined) throw failure;

    const wakes = [changes.retryAt, verdict ? undefined : deadlineOf(asStored(api.peek(jobs, namespace, name) ?? obj) as StoredJob)];
    const next = Math.min(...wakes.filter(at => at !== undefined));
    if (Number.isFinite(next)) return { requeueAfterMs: Math.max(0, next - now.getTime()) };
  }

  function claimPods(job: StoredJob): Promise<StoredPod[]> {
    const { namespace = '', uid } = job.metadata;
    const candidates = [...ctx.pods.of(namespace, uid), ...ctx.pods.orphans(namespace)].map(pod => asStored(pod) as StoredPod);
    const matches = (pod: StoredPod) => selectorMatches(job.spec.selector, pod.metadata.labels);
    return claimObjects(api, { resource: pods, owner: job, ownerResource: jobs, candidates, matches });
  }

  /** The first failure, after everything else was tried. */
  async function carryOut(job: StoredJob, { deletes, creates }: PodChanges): Promise<unknown> {
    const results = await Promise.allSettled(deletes.map(pod => control.delete(job, pod)));
    const failed = results.find(result => result.status === 'rejected');
    if (failed) return failed.reason;
    try {
      await inGrowingBatches(creates.length, i => control.create(job, jobPod(job, creates[i]!)));
    } catch (error) {
      // Everything in the namespace goes, this job included.
      if (!isNamespaceTerminating(error)) return error;
    }
    return undefined;
  }

  /** Writes down who ended, lets them go, counts them; and once nobody is left, that the job is over. */
  async function track(key: string, decided: Verdict | undefined, now: Date): Promise<void> {
    const { namespace, name } = splitKey(key);
    for (let round = 0; round < 3; round++) {
      const obj = api.peek(jobs, namespace, name);
      if (!obj) return;
      const job = asStored(obj) as StoredJob;
      if (isFinishedJob(job)) return;
      const own = ctx.pods.of(namespace, job.metadata.uid).map(pod => asStored(pod) as StoredPod);
      const observed = observeJob(job, own);
      const verdict = decided ?? (isDeleting(job) ? undefined : completionOf(observed));
      const { status, released, isFinal } = trackStatus(observed, verdict, now);
      const isChanged = !jsonEqual(status, job.status);
      if (isChanged) {
        const written = await unlessGone(api.update(jobs, asObject({ ...job, status }), { subresource: 'status', fieldManager }));
        if (!written) return;
        tell(job, status, isFinal ? verdict : undefined);
      }
      for (const pod of released) await releasePod(api, pod);
      if (released.length === 0) return;
    }
  }

  function tell(job: StoredJob, status: JobStatus, final: Verdict | undefined): void {
    if (final?.isSuccess) recorder.record(job, 'Normal', 'Completed', 'Job completed');
    else if (final) recorder.record(job, 'Warning', final.reason, final.message);
    const suspended = (of: JobStatus | undefined) => of?.conditions?.find(({ type }) => type === 'Suspended')?.status;
    if (suspended(status) === suspended(job.status)) return;
    if (suspended(status) === 'True') recorder.record(job, 'Normal', 'Suspended', 'Job suspended');
    else recorder.record(job, 'Normal', 'Resumed', 'Job resumed');
  }
}
