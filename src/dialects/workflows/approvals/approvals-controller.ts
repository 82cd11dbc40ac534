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
import { judgeRequest, supersedes } from './judge-request.ts';

export interface ApprovalsDeps {
  readonly hub: KubeClient;
  readonly requests: Informer<ApprovalRequest>;
  readonly signal: AbortSignal;
  now?(): Date;
}

const fieldManager = 'drover-approvals';

/** Says what came of ApprovalRequests. */
export function runApprovals({ hub, requests, signal, now }: ApprovalsDeps): RunningController {
  const touched = (changed: ApprovalRequest) => [
    keyOf(changed),
    ...requests
      .list()
      .filter(one => supersedes(changed, one))
      .map(keyOf),
  ];
  return runController(
    { name: 'workflow-approvals', reconcile },
    { triggers: [changesOf(requests, touched)], signal, ...(now && { now }) },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const request = requests.get(key);
    if (!request || request.metadata.deletionTimestamp !== undefined) return settled;
    const isSuperseded = requests.list().some(one => supersedes(one, request));
    const { phase, message, decision } = judgeRequest(request, ctx.now, isSuperseded);
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
