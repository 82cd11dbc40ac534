import { findCondition } from '../../../api/conditions.ts';
import { newObject } from '../../../api/define-kind.ts';
import type { Job as JobFields } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Work, workAnnotations } from '../../../api/work.ts';
import type { GatePhase } from '../../../core/gates/gate-phase.ts';
import type { JsonObject } from '../../../util/json.ts';
import { countOf } from '../../../core/rollouts/rollout-limits.ts';
import { jobPlaceOf } from '../kinds/gate.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import type { GateCluster } from './gate-desk.ts';
import { dueAfter } from './gate-state.ts';
import { gateMark, jobOfGate } from './job-of-gate.ts';
import type { Judging, Verdict } from './judge.ts';
import { judgeClusters } from './judge-analysis.ts';

export interface JobDesk {
  findWork(key: string): Work | undefined;
  ensureWork(work: Work, signal: AbortSignal): Promise<object>;
  /** The Job on the hub as it is, made unless it was there. */
  ensureJob(job: KubeObject, signal: AbortSignal): Promise<KubeObject>;
}

const lookEveryMs = 5_000;
const retryMs = 10_000;

/** A Job on the hub, or on members. */
export function judgeJob(judging: Judging, desk: JobDesk): Verdict {
  const { gate, request } = judging;
  const place = jobPlaceOf(gate);
  if (place === undefined || place === 'Hub') return judgeOnHub(judging, desk);
  const clusters = place === 'FirstCluster' ? request.clusters.slice(0, 1) : request.clusters;
  const seen = clusters.map(cluster => ({ cluster, ...judgeOnMember(judging, cluster, desk) }));
  const phase = judgeClusters(
    seen.map(one => one.phase),
    countOf(gate.maxFailures ?? 0, seen.length, 0),
  );
  const failed = seen.filter(one => one.phase === 'Failed' || one.phase === 'Error').map(one => one.cluster.name);
  const message =
    failed.length > 0
      ? { message: `The Job failed on ${failed.slice(0, 3).join(', ')}${failed.length > 3 ? ` and ${failed.length - 3} more` : ''}` }
      : {};
  const isWaiting = seen.some(one => one.isMissing);
  const tries = triesOf(judging);
  const mustTryAgain = seen.some(one => one.isRefused);
  return {
    phase,
    ...message,
    state: { tries: mustTryAgain ? tries + 1 : tries },
    ...((isWaiting || mustTryAgain) && { wakeAt: new Date(judging.nowMs + retryMs) }),
  };
}

const triesOf = ({ state }: Judging): number => (typeof state['tries'] === 'number' ? state['tries'] : 1);

interface SeenOnMember {
  readonly phase: GatePhase;
  readonly isMissing?: boolean;
  readonly isRefused?: boolean;
}

function judgeOnMember(judging: Judging, cluster: GateCluster, desk: JobDesk): SeenOnMember {
  const work = desk.findWork(`${cluster.id}/${workName(judging)}`);
  if (work) return { phase: phaseOfWork(work) };
  const made = judging.ask(`work ${cluster.id}`, triesOf(judging), signal => desk.ensureWork(workOf(judging, cluster), signal));
  return { phase: 'Running', isMissing: true, isRefused: made instanceof Error };
}

const workName = (judging: Judging): string => `gate-${gateMark(judging)}`;

const isComplete =
  'has(obj.status) && has(obj.status.conditions) && obj.status.conditions.exists(one, one.type == "Complete" && one.status == "True")';

function workOf(judging: Judging, cluster: GateCluster): Work {
  const { request, gate } = judging;
  const scope = request.scopeOf(cluster);
  const namespace = String(scope('infra.kubernetes.namespace') ?? 'default');
  const job = jobOfGate(judging, scope, namespace);
  return newObject(
    Work,
    {
      namespace: cluster.id,
      name: workName(judging),
      labels: { [deliveryLabels.gate]: request.run.uid },
      annotations: {
        [workAnnotations.owner]: `Gate ${gate.name} of WorkflowRun ${request.run.namespace}/${request.run.name}`,
        [deliveryAnnotations.run]: `${request.run.namespace}/${request.run.name}`,
      },
    },
    {
      release: { name: workName(judging), namespace },
      manifests: [job as unknown as JsonObject],
      healthRules: [
        { name: 'complete', group: 'batch', version: 'v1', kind: 'Job', healthy: isComplete, message: '"the Job is not complete"' },
      ],
      options: { wait: false, history: 1, maxFailures: 3 },
    },
  );
}

function phaseOfWork(work: Work): GatePhase {
  const { status, metadata } = work;
  const ready = findCondition(work, 'Ready');
  const isSeen = ready?.observedGeneration === metadata.generation;
  if (!isSeen) return 'Running';
  const job = status?.objects?.find(one => one.kind === 'Job');
  if (job?.health === 'Failed' || (status?.failures ?? 0) >= 3) return 'Failed';
  const isDone = ready?.status === 'True' && job?.health === 'Current' && (status?.brokenRules ?? []).length === 0;
  return isDone ? 'Successful' : 'Running';
}

function judgeOnHub(judging: Judging, desk: JobDesk): Verdict {
  const { request, state, nowMs } = judging;
  const looks = typeof state['looks'] === 'number' ? state['looks'] : 0;
  const lastMs = typeof state['lastMs'] === 'number' ? state['lastMs'] : 0;
  const dueMs = dueAfter(lastMs, lookEveryMs, nowMs);
  if (nowMs < dueMs) return { phase: 'Running', state: { looks, lastMs }, wakeAt: new Date(dueMs) };
  const job = jobOfGate(judging, request.scope, request.run.namespace);
  job.metadata = { ...job.metadata, namespace: request.run.namespace };
  const found = judging.ask('job', looks + 1, signal => desk.ensureJob(job, signal));
  if (!found) return { phase: 'Running', state: { looks, lastMs } };
  const next = { state: { looks: looks + 1, lastMs: nowMs }, wakeAt: new Date(nowMs + lookEveryMs) };
  if (found instanceof Error) return { phase: 'Running', message: found.message, ...next };
  const { conditions = [] } = (found as unknown as JobFields).status ?? {};
  const has = (type: string) => conditions.find(one => one.type === type && one.status === 'True');
  if (has('Complete')) return { phase: 'Successful' };
  const failed = has('Failed');
  if (failed) return { phase: 'Failed', message: failed.message ?? 'The Job failed' };
  return { phase: 'Running', message: `Waiting for Job ${job.metadata.name}`, ...next };
}
