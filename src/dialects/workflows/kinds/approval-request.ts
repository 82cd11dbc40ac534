import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { list, mapOf, object, oneOf, optional, text, time, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, deciders, delivery, variable } from './group.ts';

/** Those of an approval, then those of a step that failed and waits for somebody. */
export const decisionWords = ['Approve', 'Reject', 'RejectAndRollback', 'Retry', 'Ignore', 'MarkSuccess', 'Rollback', 'Abort'] as const;
export type DecisionWord = (typeof decisionWords)[number];
export const interventionChoices: readonly DecisionWord[] = ['Retry', 'Ignore', 'MarkSuccess', 'Rollback', 'Abort'];

const decision = object('What somebody decided.', {
  user: optional(text('Who. Filled in from whoever writes it.')),
  decision: oneOf(decisionWords, 'What.'),
  comment: optional(text('Why.')),
  variables: optional(mapOf('Values that were filled in.', text('A value.'))),
  at: optional(time('When. Filled in.')),
});
export type Decision = TypeOf<typeof decision>;

export const ApprovalRequest = defineKind({
  ...delivery,
  kind: 'ApprovalRequest',
  plural: 'approvalrequests',
  shortNames: ['appr'],
  scope: 'Namespaced',
  description: 'A decision that a run waits for. Whoever may, adds one to spec.decisions.',
  spec: object('What is to be decided, and what was.', {
    runRef: object('The run.', {
      kind: optional(oneOf(['WorkflowRun', 'PipelineRun'], 'Its kind.', { default: 'WorkflowRun' })),
      name: text('Its name.'),
      uid: text('Its uid.'),
    }),
    workflow: optional(text('The Workflow or Pipeline.')),
    service: optional(text('The service.')),
    infrastructure: optional(text('The infrastructure.')),
    gate: optional(text('The gate.')),
    step: optional(text('The step.')),
    wave: optional(text('The wave.')),
    startedBy: optional(text('Who started the run.')),
    choices: optional(list('What can be decided. Approve, Reject and RejectAndRollback when absent.', oneOf(decisionWords, 'A choice.'))),
    expiresAt: optional(time('Until when.')),
    variables: optional(list('What may be filled in, and with what unless it is.', variable)),
    ...deciders,
    decisions: optional(list('What was decided, oldest first. Only added to.', decision, { maxItems: 100 })),
  }),
  status: object(
    'What came of it.',
    {
      phase: optional(oneOf(['Pending', 'Approved', 'Rejected', 'Expired', 'Superseded'], 'Where it is.')),
      message: optional(text('Why, for people.')),
      decidedAt: optional(time('When it was decided.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Run', type: 'string', path: '.spec.runRef.name' },
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'Wave', type: 'string', path: '.spec.wave', priority: 1 },
    { name: 'Needs', type: 'integer', path: '.spec.minApprovals', priority: 1 },
    { name: 'Until', type: 'string', path: '.spec.expiresAt', priority: 1 },
    { name: 'Message', type: 'string', path: '.spec.message', priority: 1 },
    ageColumn,
  ],
});
export type ApprovalRequest = ObjectFor<typeof ApprovalRequest>;
