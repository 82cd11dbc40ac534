import { at, forbidden, invalid, notSupported, type FieldError } from '../../../api/field-error.ts';
import { faulty, notAllowed } from '../../../core/admission/answers.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../../../core/admission/admission-review.ts';
import { jsonEqual } from '../../../util/json.ts';
import { timestamp } from '../../../util/timestamp.ts';
import { ApprovalRequest, type Decision } from '../kinds/approval-request.ts';
import type { DeliveryWorld } from './delivery-world.ts';

const path = 'spec.decisions';
const decisionsOf = (obj: unknown): readonly Decision[] => (obj as ApprovalRequest | undefined)?.spec.decisions ?? [];

/** Whoever decides is the one who writes, now. */
export async function stampDecisions(
  { object, oldObject }: AdmissionRequest,
  { callerName, now }: DeliveryWorld,
): Promise<AdmissionAnswer> {
  const known = decisionsOf(oldObject).length;
  const patch = decisionsOf(object).flatMap((_, i) =>
    i < known
      ? []
      : [
          { op: 'add', path: `/spec/decisions/${i}/user`, value: callerName },
          { op: 'add', path: `/spec/decisions/${i}/at`, value: timestamp(now) },
        ],
  );
  return patch.length > 0 ? { patch } : {};
}

/** Decisions are added, by those who may, as long as there is something to decide. Nothing else is ever changed. */
export async function reviewApproval(request: AdmissionRequest, world: DeliveryWorld): Promise<AdmissionAnswer> {
  const next = request.object as ApprovalRequest;
  const old = request.oldObject as ApprovalRequest | undefined;
  if (!old) return faulty(request, [forbidden('spec', 'only the hub makes ApprovalRequests')]);
  const faults = changeFaults(old, next);
  const [before, after] = [decisionsOf(old), decisionsOf(next)];
  const added = after.slice(before.length);
  if (faults.length > 0 || added.length === 0) return faulty(request, faults);
  if (!isDecider(next, request, world)) return notAllowed(ApprovalRequest, request, 'you are not among those who may decide');
  if (added.some(one => one.decision === 'Approve') && isOwn(next, request, world))
    return notAllowed(ApprovalRequest, request, 'whoever started a run may not approve it');
  return faulty(request, [
    ...timeFaults(old, world.now),
    ...added.flatMap((one, i) => decisionFaults(at.index(path, before.length + i), one, next)),
  ]);
}

function changeFaults(old: ApprovalRequest, next: ApprovalRequest): FieldError[] {
  const { decisions: _, ...fixedBefore } = old.spec;
  const { decisions: __, ...fixedAfter } = next.spec;
  const [before, after] = [decisionsOf(old), decisionsOf(next)];
  return [
    ...(jsonEqual(fixedBefore, fixedAfter) ? [] : [invalid('spec', '…', 'only decisions can be added')]),
    ...(jsonEqual(before, after.slice(0, before.length)) ? [] : [invalid(path, '…', 'what was decided cannot be changed')]),
  ];
}

function isDecider(
  { spec: { users = [], groups = [] } }: ApprovalRequest,
  { user }: AdmissionRequest,
  { callerName }: DeliveryWorld,
): boolean {
  if (users.length === 0 && groups.length === 0) return true;
  return users.includes(user.name) || users.includes(callerName) || groups.some(group => user.groups.includes(group));
}

function isOwn({ spec: { startedBy, selfApproval } }: ApprovalRequest, { user }: AdmissionRequest, { callerName }: DeliveryWorld): boolean {
  return selfApproval !== true && startedBy !== undefined && (startedBy === callerName || startedBy === user.name);
}

function timeFaults({ spec, status }: ApprovalRequest, now: Date): FieldError[] {
  const { phase = 'Pending' } = status ?? {};
  if (phase !== 'Pending') return [forbidden(path, `it is ${phase} already`)];
  const isLate = spec.expiresAt !== undefined && now.getTime() >= Date.parse(spec.expiresAt);
  return isLate ? [forbidden(path, 'the time to decide is over')] : [];
}

const usualChoices = ['Approve', 'Reject', 'RejectAndRollback'] as const;

function decisionFaults(field: string, { decision, variables = {} }: Decision, { spec }: ApprovalRequest): FieldError[] {
  const choices: readonly string[] = spec.choices ?? usualChoices;
  const known = new Set((spec.variables ?? []).map(one => one.name));
  return [
    ...(choices.includes(decision) ? [] : [notSupported(at.child(field, 'decision'), decision, choices)]),
    ...Object.keys(variables)
      .filter(name => !known.has(name))
      .map(name => invalid(at.key(at.child(field, 'variables'), name), name, 'is not asked for')),
  ];
}
