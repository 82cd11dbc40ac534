import { createHash } from 'node:crypto';
import { newObject, type SpecOf } from '../../../api/define-kind.ts';
import { apiVersionOf } from '../../../api/object.ts';
import { ApprovalRequest } from '../kinds/approval-request.ts';
import { delivery } from '../kinds/group.ts';
import { deliveryLabels } from '../names.ts';

export interface RequestedBy {
  readonly kind: 'WorkflowRun' | 'PipelineRun';
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

const maxNameLength = 200;

/** The same place of a run has one request for ever. */
export const requestName = (run: { readonly name: string; readonly uid: string }, place: string): string =>
  `${run.name.slice(0, maxNameLength)}-${createHash('sha256').update(`${run.uid} ${place}`).digest('hex').slice(0, 8)}`;

/** The request for a decision that a run waits for. It goes with the run. */
export function requestFor(run: RequestedBy, place: string, spec: Omit<SpecOf<typeof ApprovalRequest>, 'runRef'>): ApprovalRequest {
  const { kind, namespace, name, uid } = run;
  return newObject(
    ApprovalRequest,
    {
      namespace,
      name: requestName(run, place),
      labels: { [kind === 'WorkflowRun' ? deliveryLabels.run : deliveryLabels.pipelineRun]: name.slice(0, 63).replace(/[^a-z0-9]+$/, '') },
      ownerReferences: [{ apiVersion: apiVersionOf(delivery), kind, name, uid }],
    },
    { runRef: { kind, name, uid }, ...spec },
  );
}
