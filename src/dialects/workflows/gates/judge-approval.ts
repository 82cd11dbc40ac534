import { timestamp } from '../../../util/timestamp.ts';
import { durationMs } from '../../../util/duration.ts';
import { approvalOutputs } from '../approvals/approval-outputs.ts';
import { judgeRequest } from '../approvals/judge-request.ts';
import { requestFor, requestName } from '../approvals/request-approval.ts';
import { renderText } from '../expressions/render-text.ts';
import type { ApprovalRequest, DecisionWord } from '../kinds/approval-request.ts';
import { startedMs } from './gate-state.ts';
import type { Judging, Verdict } from './judge.ts';

const defaultTimeout = '1h';
const maxTimeoutMs = durationMs('24d');
const retryMs = 10_000;

export interface ApprovalDesk {
  find(key: string): ApprovalRequest | undefined;
  create(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalRequest>;
}

/** Asks people, and waits for what they say. */
export function judgeApproval(judging: Judging, desk: ApprovalDesk): Verdict {
  const { request, state, nowMs } = judging;
  const name = requestName(request.run, request.place);
  const found = desk.find(`${request.run.namespace}/${name}`);
  if (!found) {
    const tries = typeof state['tries'] === 'number' ? state['tries'] : 1;
    const wanted = wantedRequest(judging);
    const made = judging.ask('request', tries, signal => desk.create(wanted, signal));
    if (!(made instanceof Error)) return { phase: 'Pending', state: { tries } };
    return { phase: 'Pending', message: made.message, state: { tries: tries + 1 }, wakeAt: new Date(nowMs + retryMs) };
  }
  const verdict = judgeRequest(found, request.now);
  const { expiresAt } = found.spec;
  const wakeAt = expiresAt === undefined ? {} : { wakeAt: new Date(expiresAt) };
  if (verdict.phase === 'Pending') return { phase: 'Running', message: 'Waiting for a decision', approvalRequest: name, ...wakeAt };
  const answer = {
    approvalRequest: name,
    ...(verdict.message !== undefined && { message: verdict.message }),
    outputs: approvalOutputs(found, verdict),
  };
  if (verdict.phase === 'Approved') return { phase: 'Successful', ...answer };
  if (verdict.phase === 'Expired') return { phase: 'Running', ...answer, isTimedOut: true };
  const mustRollBack = verdict.decision?.decision === 'RejectAndRollback';
  return { phase: 'Failed', failureType: 'ApprovalRejected', ...(mustRollBack && { mustRollBack }), ...answer };
}

function wantedRequest({ request, gate, state }: Judging): ApprovalRequest {
  const { run, wave, place, about, startedBy, scope } = request;
  const { groups, users, minApprovals, selfApproval, autoRejectPrevious, message, variables } = gate;
  const choices = request.gate['choices'] as DecisionWord[] | undefined;
  const limitMs = Math.min(maxTimeoutMs, durationMs(gate.timeout ?? defaultTimeout));
  const [kind] = place.split('/', 1);
  return requestFor({ kind: 'WorkflowRun', ...run }, place, {
    workflow: about.workflow,
    ...(about.service !== undefined && { service: about.service }),
    ...(about.infrastructure !== undefined && { infrastructure: about.infrastructure }),
    [kind === 'wave' ? 'gate' : 'step']: gate.name,
    ...(wave !== '' && { wave }),
    ...(startedBy !== undefined && { startedBy }),
    ...(choices && { choices: [...choices] }),
    expiresAt: timestamp(new Date(startedMs(state) + limitMs)),
    ...(variables && { variables }),
    ...(groups && { groups }),
    ...(users && { users }),
    ...(minApprovals !== undefined && { minApprovals }),
    ...(selfApproval !== undefined && { selfApproval }),
    ...(autoRejectPrevious !== undefined && { autoRejectPrevious }),
    ...(message !== undefined && { message: renderText(message, scope) }),
  });
}
