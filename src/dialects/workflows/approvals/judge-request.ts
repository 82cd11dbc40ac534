import { interventionChoices, type ApprovalRequest, type Decision, type DecisionWord } from '../kinds/approval-request.ts';

export type RequestPhase = 'Pending' | 'Approved' | 'Rejected' | 'Expired' | 'Superseded';

export interface RequestVerdict {
  readonly phase: RequestPhase;
  readonly message?: string;
  /** The one that decided. */
  readonly decision?: Decision;
}

const declining: readonly DecisionWord[] = ['Reject', 'RejectAndRollback', 'Rollback', 'Abort'];

/** What came of a request so far. What was decided stays decided, and what comes after its time does not count. */
export function judgeRequest(
  { spec, status }: Pick<ApprovalRequest, 'spec' | 'status'>,
  now: Date,
  { isSuperseded = false, isLeft = false }: { readonly isSuperseded?: boolean; /** Its run is over. */ readonly isLeft?: boolean } = {},
): RequestVerdict {
  const settled = status?.phase;
  const decided = firstDecision(spec);
  if (settled === 'Expired' || settled === 'Superseded')
    return { phase: settled, ...(status?.message !== undefined && { message: status.message }) };
  if (decided) {
    const isDeclined = declining.includes(decided.decision);
    const comment = decided.comment ? `: ${decided.comment}` : '';
    return {
      phase: isDeclined ? 'Rejected' : 'Approved',
      message: `${decided.decision} by ${decided.user ?? 'somebody'}${comment}`,
      decision: decided,
    };
  }
  if (isLeft) return { phase: 'Superseded', message: 'The run is over' };
  if (isSuperseded) return { phase: 'Superseded', message: 'A newer request took its place' };
  if (spec.expiresAt !== undefined && now.getTime() >= Date.parse(spec.expiresAt))
    return { phase: 'Expired', message: 'Nobody decided in time' };
  return { phase: 'Pending' };
}

/** The decision with which it was settled: the first that declines or chooses, or the approval that makes enough. */
function firstDecision(spec: ApprovalRequest['spec']): Decision | undefined {
  const approvers = new Set<string>();
  const choices = spec.choices ?? ['Approve', 'Reject', 'RejectAndRollback'];
  for (const decision of spec.decisions ?? []) {
    if (!choices.includes(decision.decision) || !counts(spec, decision)) continue;
    if (decision.decision !== 'Approve') return decision;
    approvers.add(decision.user ?? '');
    if (approvers.size >= (spec.minApprovals ?? 1)) return decision;
  }
  return undefined;
}

/** Admission lets nobody decide who may not; this holds also where it was not there. Groups are known to admission alone. */
function counts({ users, groups, selfApproval, startedBy, expiresAt }: ApprovalRequest['spec'], { user, decision, at }: Decision): boolean {
  if (expiresAt !== undefined && at !== undefined && Date.parse(at) > Date.parse(expiresAt)) return false;
  const isOwn = startedBy !== undefined && user === startedBy;
  if (decision === 'Approve' && isOwn && selfApproval !== true) return false;
  const isNamed = (users?.length ?? 0) > 0 && (groups?.length ?? 0) === 0;
  return !isNamed || users!.includes(user ?? '');
}

/** Whether a newer request of the same workflow, service and infrastructure takes the place of an older one. */
export function supersedes(newer: ApprovalRequest, older: ApprovalRequest): boolean {
  const about = ({ metadata, spec }: ApprovalRequest) =>
    JSON.stringify([metadata.namespace, spec.workflow, spec.service, spec.infrastructure]);
  if (newer.spec.autoRejectPrevious !== true || newer.spec.runRef.uid === older.spec.runRef.uid) return false;
  if (older.spec.choices?.every(choice => interventionChoices.includes(choice))) return false;
  return about(newer) === about(older) && (newer.metadata.creationTimestamp ?? '') > (older.metadata.creationTimestamp ?? '');
}
