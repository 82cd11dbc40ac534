import { withReadiness, type ConditionReport } from '../../../api/conditions.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import { keyOf, type Key } from '../../../runtime/key.ts';
import { ApprovalRequest } from '../kinds/approval-request.ts';
import { isTerminal, type WorkflowRun } from '../kinds/workflow-run.ts';
import { judgeRequest, supersedes } from './judge-request.ts';

export interface ApprovalsDeps {
  readonly hub: KubeClient;
  readonly requests: Informer<ApprovalRequest>;
  readonly runs: Informer<WorkflowRun>;
  readonly signal: AbortSignal;
  now?(): Date;
}

const fieldManager = 'drover-approvals';

/** Says what came of ApprovalRequests. */
export function runApprovals({ hub, requests, runs, signal, now }: ApprovalsDeps): RunningController {
  const touched = (changed: ApprovalRequest) => [
    keyOf(changed),
    ...requests
      .list()
      .filter(one => supersedes(changed, one))
      .map(keyOf),
  ];
  const askedBy = (run: WorkflowRun) =>
    requests
      .list()
      .filter(one => isOf(one, run) && (one.status?.phase ?? 'Pending') === 'Pending')
      .map(keyOf);
  return runController(
    { name: 'workflow-approvals', reconcile },
    {
      triggers: [changesOf(requests, touched), changesOf(runs, askedBy, ({ status }) => [status?.phase, status?.finishedAt])],
      signal,
      ...(now && { now }),
    },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const request = requests.get(key);
    if (!request || request.metadata.deletionTimestamp !== undefined) return settled;
    const isSuperseded = requests.list().some(one => supersedes(one, request));
    const run = runs.get(`${request.metadata.namespace}/${request.spec.runRef.name}`);
    const isLeft = run !== undefined && isOf(request, run) && endedAfter(run, request);
    const { phase, message, decision } = judgeRequest(request, ctx.now, { isSuperseded, isLeft });
    const { metadata, status, spec } = request;
    if (status?.phase !== phase || status.observedGeneration !== metadata.generation) {
      const decidedAt = phase === 'Pending' ? undefined : (status?.decidedAt ?? decision?.at ?? ctx.now.toISOString());
      await hub.apply(
        ApprovalRequest,
        {
          metadata: { namespace: metadata.namespace!, name: metadata.name! },
          status: {
            phase,
            ...(message !== undefined && { message }),
            ...(decidedAt !== undefined && { decidedAt }),
            conditions: withReadiness(status?.conditions, [readinessOf(phase, message)], {
              course: phase === 'Approved' ? undefined : phase === 'Pending' ? 'Reconciling' : 'Stalled',
              now: ctx.now,
              generation: metadata.generation,
            }),
            ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
          },
        },
        { subresource: 'status', fieldManager, signal: ctx.signal },
      );
    }
    if (phase !== 'Pending' || spec.expiresAt === undefined) return settled;
    return requeue(Math.max(0, Date.parse(spec.expiresAt) - ctx.now.getTime()));
  }
}

const readinessOf = (phase: string, message = ''): ConditionReport => ({
  type: 'Ready',
  status: phase === 'Approved' ? 'True' : 'False',
  reason: phase,
  message,
});

const isOf = ({ metadata, spec: { runRef } }: ApprovalRequest, run: WorkflowRun): boolean =>
  runRef.kind !== 'PipelineRun' && runRef.uid === run.metadata.uid && metadata.namespace === run.metadata.namespace;

/** Whether a run is over that once asked: nobody waits for the answer any more. One that is put back may ask again. */
function endedAfter({ spec, status }: WorkflowRun, { metadata }: ApprovalRequest): boolean {
  const { phase, finishedAt } = status ?? {};
  if (finishedAt === undefined || !isTerminal(phase)) return false;
  const isPutBack = phase === 'RolledBack' || phase === 'RollbackFailed';
  if (spec.state === 'Rollback' && !isPutBack) return false;
  return Date.parse(metadata.creationTimestamp ?? '') <= Date.parse(finishedAt);
}
