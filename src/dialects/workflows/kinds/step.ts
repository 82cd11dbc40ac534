import { duration } from '../../../api/rollout.ts';
import {
  anyObject,
  anyValue,
  flag,
  integer,
  list,
  mapOf,
  object,
  oneOf,
  optional,
  text,
  type Schema,
  type TypeOf,
} from '../../../api/schema.ts';
import { loosely, variable } from './group.ts';

/** Steps that change or look at member clusters. */
export const memberStepTypes = [
  'RollingDeploy',
  'RollingRollback',
  'CanaryDeploy',
  'Delete',
  'StageDeploy',
  'SwapServices',
  'Apply',
  'Scale',
  'TrafficSplit',
] as const;
export type MemberStepType = (typeof memberStepTypes)[number];

export const stepTypes = ['ResolveClusters', ...memberStepTypes, 'Job', 'HTTP', 'Approval', 'Wait', 'Analysis', 'Barrier'] as const;
export type StepType = (typeof stepTypes)[number];

export const failureTypes = [
  'ApplicationError',
  'Connectivity',
  'Authentication',
  'Verification',
  'Timeout',
  'Policy',
  'ApprovalRejected',
  'HubRestart',
] as const;
export type FailureType = (typeof failureTypes)[number];

export const failureActions = [
  'RollbackWorkflow',
  'RollbackPhase',
  'RollbackWave',
  'RollbackCluster',
  'Retry',
  'ManualIntervention',
  'Ignore',
  'EndExecution',
  'Abort',
  'Pause',
] as const;
export type FailureAction = (typeof failureActions)[number];

const failureStrategy = object('What happens when a step fails.', {
  failureTypes: optional(list('The failures that are meant. All when empty.', oneOf(failureTypes, 'A failure.'))),
  specificSteps: optional(list('The steps that are meant, by name. All when empty.', text('A name.'))),
  scope: optional(
    oneOf(
      ['Workflow', 'Phase', 'Wave', 'Cluster'],
      'How much RollbackWorkflow puts back: everything, or only the phase, the wave or the clusters of the failure.',
      { default: 'Workflow' },
    ),
  ),
  action: oneOf(failureActions, 'What happens.'),
  retry: optional(
    object('For Retry.', {
      count: integer('How many times.', { minimum: 1, maximum: 100 }),
      intervals: optional(list('How long before each time. The last one counts for all that follow.', text('Such as "30s".'))),
      then: optional(oneOf(failureActions, 'What happens when it still fails. RollbackWorkflow when absent.')),
    }),
  ),
  manual: optional(
    object('For ManualIntervention.', {
      timeout: duration('How long to wait for a decision. 14 days when absent.'),
      then: optional(oneOf(failureActions, 'What happens when nobody decides. RollbackWorkflow when absent.')),
      groups: optional(list('Who may decide.', text('A group.'))),
      users: optional(list('Who may decide.', text('A name.'))),
    }),
  ),
});
export type FailureStrategy = TypeOf<typeof failureStrategy>;
export const failureStrategies = (description: string) => list(description, failureStrategy, { maxItems: 20 });
const ownStrategies = optional(
  loosely(failureStrategies('What happens on failure here, as spec.failureStrategies says it. Asked before those.')),
);

const step = object('A step.', {
  name: optional(text('The name. That of its type when absent.', { maxLength: 253 })),
  type: text('What it does: RollingDeploy, CanaryDeploy, Approval and others.'),
  with: optional(anyObject('What the type wants to know. Expressions are allowed.')),
  timeout: duration('How long it may take on a cluster. At least 1m; 10m when absent.'),
  skip: optional(anyValue('"Always", or {when: an expression}. Never when absent.')),
  failureStrategies: ownStrategies,
  output: optional(
    object('What later steps may use as ${context.<name>.<key>}.', {
      name: text('The name.', { minLength: 1 }),
      scope: optional(oneOf(['Phase', 'Workflow', 'Pipeline'], 'Until when.', { default: 'Workflow' })),
      values: optional(mapOf('Keys and their values.', text('An expression.'))),
    }),
  ),
});
/** A step as it is written. The type is one of `stepTypes`: admission sees to it. */
export type Step = Omit<TypeOf<typeof step>, 'type' | 'skip'> & { type: StepType; skip?: 'Always' | { when: string } };

const group = object('Steps that belong together.', {
  name: text('The name.', { minLength: 1 }),
  parallel: optional(flag('Whether the steps are done at the same time. Only steps that touch no cluster.')),
  steps: optional(list('The steps, in order.', step)),
  failureStrategies: ownStrategies,
});
export type StepGroup = Omit<TypeOf<typeof group>, 'steps'> & { steps?: Step[] };

const phase = object('A phase.', {
  name: text('The name.', { minLength: 1 }),
  serviceRef: optional(text('The ServiceDefinition, where it is not that of the workflow.')),
  infrastructureRef: optional(text('The InfrastructureDefinition, where it is not that of the workflow.')),
  variableOverrides: optional(list('Service variables with other values in this phase.', variable)),
  groups: optional(list('The groups of steps, in order.', group)),
  rollback: optional(loosely(list('The groups of steps that undo the phase, in order, written as in groups.', group))),
  failureStrategies: ownStrategies,
});
export type Phase = Omit<TypeOf<typeof phase>, 'groups' | 'rollback'> & { groups?: StepGroup[]; rollback?: StepGroup[] };
export const phases = (description: string) => list(description, phase, { maxItems: 50 }) as Schema as Schema<Phase[]>;
