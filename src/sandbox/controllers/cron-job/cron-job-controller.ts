import type { KubeObject } from '../../../api/object.ts';
import type { Outcome } from '../../../runtime/work-queue.ts';
import { cloneJson, jsonEqual } from '../../../util/json.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { jobs, type StoredJob } from '../job/job-pods.ts';
import { asObject, asStored, controllerKey, controllerOf, controllerRefTo, keyOf, splitKey, targetOf } from '../stored-object.ts';
import { fieldManager } from '../workload-resources.ts';
import { isAlreadyExists, isNamespaceTerminating, messageOf, unlessGone } from '../write-errors.ts';
import { decideCronJob, withStarted, type StoredCronJob } from './decide-cron-job.ts';

const cronJobs = { group: 'batch', version: 'v1', resource: 'cronjobs', kind: 'CronJob' };

/** Starts jobs by the clock. A cron job costs one timer, and nothing while it is suspended. */
export const cronJobController: ControllerDefinition = {
  name: 'cron-job',
  reconciles: [cronJobs],
  watches: [jobs],
  start(ctx) {
    const { api } = ctx;
    const recorder = ctx.recorder('cronjob-controller');
    const queue = ctx.queue({ reconcile });
    for (const obj of api.peekAll(cronJobs)) queue.add(keyOf(obj));

    return {
      observe({ resource, namespace, name, obj }) {
        const key = resource.resource === jobs.resource ? controllerKey(api, cronJobs, obj) : `${namespace}/${name}`;
        if (key !== undefined) queue.add(key);
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<Outcome> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(cronJobs, namespace, name);
      if (!obj) return;
      const cron = asStored(obj) as StoredCronJob;
      const now = ctx.now();
      const own = api
        .peekAll(jobs, namespace)
        .filter(job => controllerOf(job)?.uid === cron.metadata.uid)
        .map(job => asStored(job) as StoredJob);
      const plan = decideCronJob(cron, own, now);

      for (const { type, reason, message } of plan.events) recorder.record(cron, type, reason, message);
      for (const job of [...plan.outdated, ...plan.replaced]) await deleteJob(cron, job);
      const replaced = new Set(plan.replaced.map(({ metadata }) => metadata.uid));
      let { status } = plan;
      if (replaced.size > 0) status = { ...status, active: (status.active ?? []).filter(({ uid = '' }) => !replaced.has(uid)) };
      if (plan.startAt !== undefined) {
        const started = await startJob(cron, plan.startAt);
        if (started) status = withStarted(status, started, plan.startAt);
      }
      if (!jsonEqual(status, cron.status ?? {}))
        await unlessGone(api.update(cronJobs, asObject({ ...cron, status }), { subresource: 'status', fieldManager }));
      if (plan.wakeAt !== undefined) return { requeueAfterMs: Math.max(0, plan.wakeAt - ctx.now().getTime()) };
    }

    async function deleteJob(cron: StoredCronJob, job: StoredJob): Promise<void> {
      await unlessGone(api.delete(jobs, targetOf(job), { propagationPolicy: 'Background', preconditions: { uid: job.metadata.uid } }));
      recorder.record(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
    }

    /** The job of a moment has one name, so that it is started once whatever happens in between. */
    async function startJob(cron: StoredCronJob, startAt: number): Promise<StoredJob | undefined> {
      const job = jobOf(cron, startAt);
      try {
        const created = asStored(await api.create(jobs, job, { fieldManager })) as StoredJob;
        recorder.record(cron, 'Normal', 'SuccessfulCreate', `Created job ${created.metadata.name}`);
        return created;
      } catch (error) {
        if (isNamespaceTerminating(error)) return undefined;
        const present = isAlreadyExists(error) ? api.peek(jobs, cron.metadata.namespace ?? '', job.metadata.name ?? '') : undefined;
        if (present && controllerOf(present)?.uid === cron.metadata.uid) return asStored(present) as StoredJob;
        recorder.record(cron, 'Warning', 'FailedCreate', `Error creating job: ${messageOf(error)}`);
        throw error;
      }
    }
  },
};

function jobOf(cron: StoredCronJob, startAt: number): KubeObject {
  const { metadata = {}, spec } = cron.spec.jobTemplate;
  const { name, namespace = '' } = cron.metadata;
  const scheduled = new Date(startAt).toISOString().replace('.000Z', 'Z');
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      namespace,
      name: `${name}-${Math.floor(startAt / 60_000)}`,
      ...(metadata.labels && { labels: metadata.labels }),
      annotations: { ...metadata.annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': scheduled },
      ownerReferences: [controllerRefTo(cron)],
    },
    spec: cloneJson(spec ?? {}),
  };
}
