import { conditions, notSeenYet, type Course } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { flag, integer, list, mapOf, object, oneOf, optional, text, time, wholeObject, type TypeOf } from '../../../api/schema.ts';
import { gatePhases } from '../../../core/gates/gate-phase.ts';
import { ageColumn, delivery } from './group.ts';

export const runPhases = [
  'Queued',
  'Resolving',
  'Running',
  'Paused',
  'Waiting',
  'RollingBack',
  'Succeeded',
  'Failed',
  'RolledBack',
  'RollbackFailed',
  'Aborted',
  'Rejected',
  'Expired',
] as const;
export type RunPhase = (typeof runPhases)[number];
export const terminalPhases: readonly RunPhase[] = [
  'Succeeded',
  'Failed',
  'RolledBack',
  'RollbackFailed',
  'Aborted',
  'Rejected',
  'Expired',
];
/** What keeps a run from being ready: it is under way, also while it is paused, or it came to another end than was wanted. */
export function courseOfRun(phase: string | undefined): Course | undefined {
  if (phase === 'Succeeded') return undefined;
  return isTerminal(phase) ? 'Stalled' : 'Reconciling';
}

export const isTerminal = (phase: string | undefined): boolean => terminalPhases.some(one => one === phase);

export const runStates = ['Initialize', 'Run', 'Pause', 'Abort', 'Rollback'] as const;
export type RunState = (typeof runStates)[number];
export const wantedState = optional(
  oneOf(runStates, 'Initialize: plan and wait. Run: go on. Pause: begin nothing new. Abort: stop and undo nothing. Rollback: undo.', {
    default: 'Run',
  }),
);

export const artifactChoice = object('Which version of an artifact.', {
  service: optional(text('The ServiceDefinition. That of the workflow when absent.')),
  artifact: optional(text('The artifact. The first of the service when absent.')),
  buildNumber: optional(text('The version, as Harness calls it.')),
  tag: optional(text('The tag or version.')),
  digest: optional(text('The digest.')),
});
export type ArtifactChoice = TypeOf<typeof artifactChoice>;

export const stepStatuses = ['Pending', 'Running', 'Waiting', 'Succeeded', 'Failed', 'Skipped', 'TimedOut', 'Aborted'] as const;
export type StepStatus = (typeof stepStatuses)[number];

const clusterRef = object('A cluster.', { id: text('Its id.'), name: text('Its name.') });
export type ClusterRef = TypeOf<typeof clusterRef>;

const gateStatus = object('A gate.', {
  name: text('Its name.'),
  type: text('What it waits for.'),
  side: optional(oneOf(['before', 'after'], 'Whether it stands before or after the wave.')),
  phase: oneOf(gatePhases, 'Where it is.'),
  message: optional(text('Why, for people.')),
  approvalRequest: optional(text('The ApprovalRequest.')),
  startedAt: optional(time('When it began.')),
  finishedAt: optional(time('When it was decided.')),
  state: optional(wholeObject('What has been measured.')),
});
export type GateStatus = TypeOf<typeof gateStatus>;

const waveStatus = object('A wave.', {
  name: text('Its name.'),
  phase: oneOf(
    ['Pending', 'Waiting', 'Running', 'Soaking', 'Verifying', 'Succeeded', 'Failed', 'Skipped', 'RollingBack', 'RolledBack', 'Aborted'],
    'Where it is.',
  ),
  clusters: list('The ids of its clusters, in order.', text('An id.')),
  startedAt: optional(time('When it began.')),
  finishedAt: optional(time('When it ended.')),
  soakUntil: optional(time('When its soak ends if all stays well.')),
  gates: optional(list('Its gates.', gateStatus)),
});
export type WaveState = TypeOf<typeof waveStatus>;

const stepStatus = object('A step.', {
  phase: text('The phase.'),
  group: text('The group.'),
  name: text('The name of the step.'),
  type: text('What it does.'),
  wave: optional(text('The wave. Absent for what is done once for all.')),
  isRollback: optional(flag('Whether it undoes.')),
  status: oneOf(stepStatuses, 'Where it is.'),
  succeeded: optional(integer('On how many clusters it is done.')),
  failed: optional(integer('On how many clusters it failed.')),
  id: optional(integer('The number of the present attempt: the id of the grant of clusters.')),
  firstId: optional(integer('The number of the first attempt.')),
  attempt: optional(integer('Which attempt it is, from 1.')),
  position: optional(integer('Where it is among the steps of the run.')),
  leg: optional(integer('Which leg of the way it belongs to.')),
  round: optional(integer('The way: 0 on the way forward, else the number of the rollback.')),
  retryAt: optional(time('When the next attempt may begin.')),
  failureType: optional(text('Which kind of failure.')),
  startedAt: optional(time('When it began.')),
  finishedAt: optional(time('When it ended.')),
  message: optional(text('What came of it.')),
  gate: optional(gateStatus),
});
export type StepState = TypeOf<typeof stepStatus>;

const counts = object('How many clusters are how far.', {
  total: integer('All of them.'),
  pending: optional(integer('Those whose turn has not come.')),
  running: optional(integer('Those that are being changed or put back.')),
  soaking: optional(integer('Those that are watched.')),
  succeeded: optional(integer('Those that are done.')),
  failed: optional(integer('Those that failed.')),
  deferred: optional(integer('Those that catch up when they can.')),
  skipped: optional(integer('Those that are left out.')),
  rolledBack: optional(integer('Those that were put back.')),
  aborted: optional(integer('Those that were stopped on their way, because the run was.')),
});

export const WorkflowRun = defineKind({
  ...delivery,
  kind: 'WorkflowRun',
  plural: 'workflowruns',
  shortNames: ['wfr'],
  scope: 'Namespaced',
  description: 'One run of a Workflow: what it was when the run began, and how far it is on every cluster.',
  spec: object(
    'What is wanted of the run.',
    {
      workflowRef: object('The Workflow.', { name: text('Its name.', { minLength: 1 }) }),
      mode: optional(oneOf(['Apply', 'Preview'], 'Whether to deploy, or to tell what would be deployed.', { default: 'Apply' })),
      state: wantedState,
      variables: optional(mapOf('Values for variables of the workflow.', text('A value.'))),
      artifacts: optional(list('Which versions of artifacts. The newest of those that are not named.', artifactChoice)),
      clusters: optional(
        object('Which of the clusters.', {
          only: optional(list('None but these, by name or id. All when empty.', text('A cluster.'))),
          exclude: optional(list('Not these, by name or id.', text('A cluster.'))),
        }),
      ),
      infrastructureRef: optional(text('Another InfrastructureDefinition than that of the workflow.')),
      notes: optional(text('Why, for people.')),
      previewRef: optional(text('The run of mode Preview that this one must equal.')),
      skipGates: optional(list('Gates that need not be passed, by name. Needs the right to "bypass" workflowruns.', text('A name.'))),
    },
    {
      rules: [
        { rule: 'self.workflowRef == oldSelf.workflowRef', message: 'workflowRef cannot be changed' },
        { rule: 'self.mode == oldSelf.mode', message: 'mode cannot be changed' },
      ],
    },
  ),
  status: object(
    'How far the run is.',
    {
      phase: optional(oneOf(runPhases, 'Where it is.')),
      reason: optional(text('Why, in one CamelCase word for programs.')),
      message: optional(text('Why, for people.')),
      queuePosition: optional(integer('How many go first, while it is queued.')),
      nextOpen: optional(time('When a freeze ends that it waits for.')),
      releaseNo: optional(integer('Which run of the workflow it is.')),
      startedAt: optional(time('When it began.')),
      finishedAt: optional(time('When it ended.')),
      triggeredBy: optional(text('Who asked for it.')),
      url: optional(text('Where the run can be read.')),
      planHash: optional(text('A digest of manifests, artifacts, clusters and waves.')),
      snapshot: optional(wholeObject('Everything the run is made from, as it was when it began.')),
      resolvedClusters: optional(list('The clusters, as they were resolved.', clusterRef)),
      clusters: optional(counts),
      waves: optional(list('The waves, in order.', waveStatus)),
      steps: optional(list('The steps, in the order in which they began.', stepStatus)),
      outputs: optional(wholeObject('What steps have published.')),
      engine: optional(wholeObject('What the hub remembers of the run besides.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Workflow', type: 'string', path: '.spec.workflowRef.name', priority: 1 },
    { name: 'Phase', type: 'string', path: '.status.phase' },
    { name: 'Clusters', type: 'integer', path: '.status.clusters.total' },
    { name: 'Succeeded', type: 'integer', path: '.status.clusters.succeeded', priority: 1 },
    { name: 'Failed', type: 'integer', path: '.status.clusters.failed' },
    { name: 'Deferred', type: 'integer', path: '.status.clusters.deferred', priority: 1 },
    { name: 'By', type: 'string', path: '.status.triggeredBy', priority: 1 },
    { name: 'Finished', type: 'string', path: '.status.finishedAt', priority: 1 },
    { name: 'Message', type: 'string', path: '.status.message', priority: 1 },
    ageColumn,
  ],
});
export type WorkflowRun = ObjectFor<typeof WorkflowRun>;
