import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { duration } from '../../../api/rollout.ts';
import { anyObject, flag, list, mapOf, object, oneOf, optional, text, time, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, delivery, secretKey } from './group.ts';

export const triggerTypes = [
  'NewArtifact',
  'NewManifest',
  'Schedule',
  'Webhook',
  'GitEvent',
  'PipelineCompletion',
  'ClusterJoined',
] as const;
export type TriggerType = (typeof triggerTypes)[number];

const condition = object('When something is started.', {
  type: oneOf(triggerTypes, 'What it waits for.'),
  service: optional(text('For NewArtifact and NewManifest: the ServiceDefinition.')),
  artifact: optional(text('For NewArtifact: the artifact. Any when absent.')),
  tagFilter: optional(
    text('For NewArtifact and NewManifest: which versions. A pattern with "*", semver: and a range, or regex: and an expression.'),
  ),
  interval: duration('For NewArtifact and NewManifest: how often to look. 5m when absent.'),
  schedule: optional(text('For Schedule: when, as Quartz has it without seconds, UTC.')),
  onNewArtifactOnly: optional(flag('For Schedule: only when there is a new artifact since.')),
  secretRef: optional(secretKey('For Webhook: the key of a Secret that holds the token of the address. For GitEvent: the one that signs.')),
  requireApiKey: optional(flag('For Webhook: whether the caller must show a token of the hub too.')),
  provider: optional(oneOf(['GitHub', 'GitLab', 'Bitbucket', 'Gitea'], 'For GitEvent: who sends. Told from the request when absent.')),
  events: optional(
    list('For GitEvent: what counts. Push when empty.', oneOf(['Push', 'PullRequest', 'Release', 'Tag', 'Delete'], 'An event.')),
  ),
  actions: optional(
    list(
      'For GitEvent: what must have been done to a pull request or a release. Any when empty, but for releases that they are published.',
      text('A word of whoever sends, such as opened or merged.'),
    ),
  ),
  repo: optional(text('For GitEvent: the repository, such as shop/web. Any when absent.')),
  branches: optional(list('For GitEvent: patterns for branches and tags. Any when empty.', text('A pattern.'))),
  files: optional(
    list('For GitEvent: patterns of which one must match a changed file. Any when empty.', text('A pattern such as svc/**.')),
  ),
  pipeline: optional(text('For PipelineCompletion: the Pipeline.')),
  infrastructureRef: optional(text('For ClusterJoined: the InfrastructureDefinition.')),
});
export type TriggerCondition = TypeOf<typeof condition>;

const action = object('What is started.', {
  workflowRef: optional(object('A Workflow.', { name: text('Its name.') })),
  pipelineRef: optional(object('A Pipeline.', { name: text('Its name.') })),
  variables: optional(mapOf('Values for its variables. Fields of what was received may be used as expressions.', text('A value.'))),
  artifacts: optional(
    list(
      'Which versions of artifacts.',
      object('A choice.', {
        service: text('The ServiceDefinition.'),
        artifact: optional(text('The artifact. The first of the service when absent.')),
        select: oneOf(['LastCollected', 'LastDeployed', 'FromPayload', 'Build'], 'Which one.'),
        build: optional(text('For Build: the version. Expressions are allowed.')),
      }),
    ),
  ),
});
export type TriggerAction = TypeOf<typeof action>;

export const Trigger = defineKind({
  ...delivery,
  kind: 'Trigger',
  plural: 'triggers',
  shortNames: ['trg'],
  scope: 'Namespaced',
  description: 'Starts a Workflow or a Pipeline when something happens.',
  spec: object('When, and what.', {
    condition,
    action,
    paused: optional(flag('Whether it starts nothing for now.')),
    minInterval: duration('The least time between two starts.'),
  }),
  status: object(
    'What it did.',
    {
      url: optional(text('Where requests go, for Webhook and GitEvent.')),
      lastFired: optional(time('When it last started something.')),
      nextFire: optional(time('When it starts something next, for Schedule.')),
      lastRun: optional(text('What it last started.')),
      message: optional(text('What came of the last time, for people.')),
      seen: optional(anyObject('What it has seen already.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.condition.type' },
    { name: 'Paused', type: 'boolean', path: '.spec.paused' },
    { name: 'Last Fired', type: 'date', path: '.status.lastFired' },
    { name: 'Last Run', type: 'string', path: '.status.lastRun', priority: 1 },
    { name: 'URL', type: 'string', path: '.status.url', priority: 1 },
    ageColumn,
  ],
});
export type Trigger = ObjectFor<typeof Trigger>;
