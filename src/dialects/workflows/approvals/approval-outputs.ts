import type { ApprovalRequest } from '../kinds/approval-request.ts';
import type { RequestVerdict } from './judge-request.ts';

/** What expressions find below `context.<name of the approval>`, and which choice was made. */
export function approvalOutputs({ spec }: ApprovalRequest, { decision, phase }: RequestVerdict): Record<string, string> {
  const { user = '', comment = '', at, variables = {} } = decision ?? {};
  const values = Object.fromEntries((spec.variables ?? []).map(({ name, value = '' }) => [name, variables[name] ?? value]));
  return {
    'approvedBy.name': user,
    'approvedBy.email': user.includes('@') ? user : '',
    approvedOn: at === undefined ? '' : String(Date.parse(at)),
    comments: comment,
    approvalStatus: phase === 'Approved' ? 'SUCCESS' : 'REJECTED',
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`variables.${name}`, value])),
    ...(decision && { choice: decision.decision }),
  };
}
