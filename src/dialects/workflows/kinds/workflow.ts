import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { duration, rolloutLimits, rolloutRules, waveFields, waveRules, wavesOf } from '../../../api/rollout.ts';
import { applyManner } from '../../../api/work.ts';
import { flag, integer, list, object, oneOf, optional, text, type TypeOf } from '../../../api/schema.ts';
import { gates } from './gate.ts';
import { ageColumn, delivery, messageColumn, secretKey } from './group.ts';
import { failureStrategies, phases } from './step.ts';

const workflowVariable = object('A variable: ${workflow.variables.<name>}.', {
  name: text('The name.', { minLength: 1, maxLength: 253 }),
  type: optional(oneOf(['Text', 'Number', 'Email', 'Entity'], 'What its value must be.', { default: 'Text' })),
  default: optional(text('The value unless a run gives another.')),
  required: optional(flag('Whether there must be a value.')),
  fixed: optional(flag('Whether runs must leave the value as it is.')),
  allowedValues: optional(list('The only values that it can have. Any when empty.', text('A value.'))),
  description: optional(text('What the variable is for.')),
});
export type WorkflowVariable = TypeOf<typeof workflowVariable>;

const wave = object(
  'Clusters that go together.',
  {
    ...waveFields,
    before: gates('What must be passed before the wave begins.'),
    after: gates('What must be passed before the next wave begins.'),
  },
  { rules: waveRules },
);

const rollout = object(
  'In which order the clusters go. All at once when absent.',
  {
    scope: optional(
      oneOf(['PerWave', 'PerPhase'], 'Whether a wave goes through all phases, or a phase through all waves, before the next begins.', {
        default: 'PerWave',
      }),
    ),
    waves: wavesOf(wave),
    ...rolloutLimits,
    latecomers: optional(
      oneOf(['Ignore', 'Append'], 'What becomes of clusters that begin to match after they were resolved.', { default: 'Ignore' }),
    ),
  },
  { rules: rolloutRules },
);
export type WorkflowRollout = TypeOf<typeof rollout>;

export const runEvents = [
  'RunStarted',
  'RunPaused',
  'ApprovalRequested',
  'ApprovalDecided',
  'GateFailed',
  'WaveStarted',
  'WaveSucceeded',
  'ClusterFailed',
  'ClusterDeferred',
  'ClusterCaughtUp',
  'RunSucceeded',
  'RunFailed',
  'RollbackStarted',
  'RunRolledBack',
  'RollbackFailed',
  'RunAborted',
  'DriftDetected',
  'FreezeBlocked',
] as const;
export type RunEvent = (typeof runEvents)[number];

const notification = object('Whom to tell, and what.', {
  events: optional(list('What is told. Everything when empty.', oneOf(runEvents, 'An event.'))),
  webhook: optional(
    object('An address that gets a signed request.', {
      urlSecretRef: secretKey('The key of a Secret of this namespace that holds the address. Its key "secret", if any, signs.'),
    }),
  ),
  email: optional(
    list('Addresses that get mail, by the server of mailSecretRef.', text('An address.', { maxLength: 320 }), { maxItems: 50 }),
  ),
  mailSecretRef: optional(
    object(
      'The Secret of this namespace with the mail server: url (smtps://host:465, or smtp://host:587 with STARTTLS), from, and where needed username, password and ca.crt. The one named "mail" when absent.',
      { name: text('The name of the Secret.', { minLength: 1 }) },
    ),
  ),
  slack: optional(
    object('A channel of Slack.', {
      webhookSecretRef: secretKey('The key of a Secret of this namespace that holds the address of the incoming webhook.'),
    }),
  ),
});
export type NotificationRule = TypeOf<typeof notification>;

const versioning = object('How ConfigMaps and Secrets are named.', {
  mode: optional(oneOf(['Revision', 'None'], 'Revision: each release has its own. None: releases share them.', { default: 'Revision' })),
  reuseUnchanged: optional(flag('Whether those that are the same as before keep their name, so that no pod restarts for them.')),
  historyLimit: optional(integer('How many releases that succeeded are kept.', { minimum: 1, maximum: 50, default: 2 })),
});

const prune = object('What happens to objects that a release no longer has.', {
  enabled: optional(flag('Whether they are deleted.')),
  protectKinds: optional(
    list('Kinds that are never deleted. Namespace, PersistentVolumeClaim and CustomResourceDefinition when absent.', text('A kind.')),
  ),
});

export const workflowTypes = ['Rolling', 'Canary', 'BlueGreen', 'Basic', 'Custom'] as const;

export const Workflow = defineKind({
  ...delivery,
  kind: 'Workflow',
  plural: 'workflows',
  shortNames: ['wf'],
  scope: 'Namespaced',
  description: 'How a service goes to its clusters: strategy, phases and steps, waves, and what happens on failure.',
  spec: object('How the service goes to its clusters.', {
    type: oneOf(workflowTypes, 'The strategy. Its phases are made by themselves where none are given.'),
    description: optional(text('What the workflow is for.')),
    serviceRef: optional(text('The ServiceDefinition. Expressions are allowed.')),
    environmentRef: optional(text('The Environment. That of the infrastructure when absent. Expressions are allowed.')),
    infrastructureRef: optional(text('The InfrastructureDefinition. Expressions are allowed.')),
    variables: optional(list('Variables that runs may give values.', workflowVariable, { maxItems: 200 })),
    phases: optional(phases('The phases, in order. Those of the type when empty.')),
    rollout: optional(rollout),
    failureStrategies: optional(
      failureStrategies(
        'What happens when a step fails. The first that fits. A failure of the application rolls the workflow back when empty.',
      ),
    ),
    concurrency: optional(
      object('Which runs wait for each other.', {
        unit: optional(
          oneOf(['Infra', 'Custom', 'None'], 'Infra: those to the same infrastructure. Custom: those with the same key. None: no run.', {
            default: 'Infra',
          }),
        ),
        key: optional(text('For Custom: the key. Expressions are allowed.')),
        strategy: optional(oneOf(['FIFO'], 'The first goes first.', { default: 'FIFO' })),
        maxQueue: optional(integer('How many may wait.', { minimum: 0, default: 20 })),
      }),
    ),
    versioning: optional(versioning),
    prune: optional(prune),
    apply: optional(applyManner('How objects are written.')),
    drift: optional(
      object('Whether it is watched that clusters stay as deployed.', {
        mode: optional(oneOf(['Off', 'Detect', 'Correct'], 'Not at all, tell, or put right.', { default: 'Off' })),
        interval: duration(
          'How often everything is compared anew besides, at least 1m. Changes are noticed within seconds, because they are watched; by nothing else when absent.',
        ),
      }),
    ),
    notifications: optional(list('Whom to tell what happens.', notification, { maxItems: 20 })),
    labelPrefix: optional(text('What labels and annotations of releases begin with.', { default: 'harness.io', maxLength: 253 })),
    ttl: optional(
      object('How long runs are kept.', {
        succeeded: duration('Those that succeeded.', { default: '720h' }),
        failed: duration('The others.', { default: '2160h' }),
      }),
    ),
  }),
  status: object(
    'What became of it.',
    {
      releaseNo: optional(integer('How many runs there have been.')),
      lastRun: optional(text('The newest run.')),
      lastPhase: optional(text('How far that is.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type', priority: 1 },
    { name: 'Service', type: 'string', path: '.spec.serviceRef', priority: 1 },
    { name: 'Infrastructure', type: 'string', path: '.spec.infrastructureRef', priority: 1 },
    { name: 'Last Run', type: 'string', path: '.status.lastRun' },
    { name: 'Phase', type: 'string', path: '.status.lastPhase' },
    messageColumn('Ready'),
    ageColumn,
  ],
});
export type Workflow = ObjectFor<typeof Workflow>;
