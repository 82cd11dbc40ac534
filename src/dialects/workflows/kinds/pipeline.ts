import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { duration } from '../../../api/rollout.ts';
import { anyObject, flag, list, mapOf, object, oneOf, optional, text, time, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, deciders, delivery, variable } from './group.ts';
import { artifactChoice, runPhases, wantedState } from './workflow-run.ts';

const stage = object('A stage: a workflow or an approval.', {
  name: text('The name.', { minLength: 1 }),
  workflowRef: optional(object('The Workflow.', { name: text('Its name.') })),
  approval: optional(
    object('An approval.', {
      ...deciders,
      variables: optional(list('What whoever decides may fill in, and with what unless they do.', variable)),
      timeout: duration('How long to wait. 24h when absent.'),
    }),
  ),
  parallelWithPrevious: optional(flag('Whether it goes together with the stage before it.')),
  skip: optional(text('Never, Always, or an expression.', { default: 'Never' })),
  variables: optional(mapOf('Values for variables of the workflow. Expressions are allowed.', text('A value.'))),
  runtimeInputs: optional(
    object('Variables that are asked for when the stage is reached.', {
      names: list('The variables.', text('A name.')),
      timeout: duration('How long to wait. 24h when absent.'),
      onTimeout: optional(
        oneOf(['EndExecution', 'ContinueWithDefaults'], 'What happens when nobody answers.', { default: 'EndExecution' }),
      ),
      groups: optional(list('Who may answer.', text('A group.'))),
    }),
  ),
  infrastructureRefs: optional(
    list('InfrastructureDefinitions. One run for each, all at the same time. That of the workflow when empty.', text('A name.')),
  ),
});
export type Stage = TypeOf<typeof stage>;

export const Pipeline = defineKind({
  ...delivery,
  kind: 'Pipeline',
  plural: 'pipelines',
  shortNames: ['pl'],
  scope: 'Namespaced',
  description: 'Workflows and approvals, one after the other or at the same time.',
  spec: object('The stages.', {
    description: optional(text('What the pipeline is for.')),
    stages: list('The stages, in order.', stage, { minItems: 1, maxItems: 100 }),
    rollbackOnFailure: optional(flag('Whether earlier stages are rolled back when one fails, the last first.')),
  }),
  status: object(
    'What became of it.',
    {
      lastRun: optional(text('The newest run.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Stages', type: 'string', path: '.spec.stages[*].name', priority: 1 },
    { name: 'Last Run', type: 'string', path: '.status.lastRun' },
    ageColumn,
  ],
});
export type Pipeline = ObjectFor<typeof Pipeline>;

const stageStatus = object('A stage.', {
  name: text('Its name.'),
  phase: oneOf(
    ['Pending', 'Running', 'Waiting', 'Paused', 'Succeeded', 'Failed', 'Rejected', 'Skipped', 'Aborted', 'Expired', 'RolledBack'],
    'Where it is.',
  ),
  runs: optional(list('Its WorkflowRuns.', text('A name.'))),
  approvalRequest: optional(text('Its ApprovalRequest.')),
  startedAt: optional(time('When it began.')),
  finishedAt: optional(time('When it ended.')),
  message: optional(text('Why, for people.')),
});
export type StageState = TypeOf<typeof stageStatus>;

export const PipelineRun = defineKind({
  ...delivery,
  kind: 'PipelineRun',
  plural: 'pipelineruns',
  shortNames: ['plr'],
  scope: 'Namespaced',
  description: 'One run of a Pipeline.',
  spec: object(
    'What is wanted of the run.',
    {
      pipelineRef: object('The Pipeline.', { name: text('Its name.', { minLength: 1 }) }),
      state: wantedState,
      variables: optional(mapOf('Values for variables of its workflows.', text('A value.'))),
      artifacts: optional(list('Which versions of artifacts.', artifactChoice)),
      resumeFrom: optional(text('The stage from which a run that failed goes on.')),
      notes: optional(text('Why, for people.')),
    },
    { rules: [{ rule: 'self.pipelineRef == oldSelf.pipelineRef', message: 'pipelineRef cannot be changed' }] },
  ),
  status: object(
    'How far the run is.',
    {
      phase: optional(oneOf(runPhases, 'Where it is.')),
      message: optional(text('Why, for people.')),
      triggeredBy: optional(text('Who asked for it.')),
      startedAt: optional(time('When it began.')),
      finishedAt: optional(time('When it ended.')),
      snapshot: optional(anyObject('The pipeline, as it was when the run began.')),
      variables: optional(mapOf('Values that are settled.', text('A value.'))),
      stages: optional(list('The stages, in order.', stageStatus)),
      engine: optional(anyObject('What the hub remembers of the run besides.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Pipeline', type: 'string', path: '.spec.pipelineRef.name' },
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'By', type: 'string', path: '.status.triggeredBy', priority: 1 },
    { name: 'Message', type: 'string', path: '.status.message', priority: 1 },
    ageColumn,
  ],
});
export type PipelineRun = ObjectFor<typeof PipelineRun>;
