import { labelSelector } from './label-selector.ts';
import { flag, integer, intOrString, list, object, oneOf, optional, text, time, type Schema, type TypeOf } from './schema.ts';

export const share = (description: string) => optional(intOrString(description, { pattern: '^[0-9]+%?$' }));
export const duration = (description: string, options: { default?: string } = {}) =>
  optional(text(description, { pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h|d|w))+$', maxLength: 64, ...options }));

/** The fields of a wave, and the rule for them. */
export const waveFields = {
  name: text('The name of the wave.', { minLength: 1, maxLength: 63 }),
  clusterSelector: optional(labelSelector('The clusters of the wave by their labels.')),
  clusterNames: optional(list('The clusters of the wave by name.', text('The name of a cluster, or namespace/name.'))),
  count: share('How many of the clusters that no earlier wave has: a number, or a share of all clusters such as "10%".'),
  remainder: optional(flag('Whether the wave takes all that are left. Only for the last one.')),
  orderBy: optional(
    text('The label whose numbers order the clusters of the wave, then their names. As for the whole rollout when absent.'),
  ),
  maxConcurrency: share('How many clusters of the wave change at a time, or a share of the wave. All when absent.'),
  maxFailures: share('How many clusters of the wave may fail, or a share of the wave. None when absent.'),
  progressDeadline: duration('How long the change may take on a cluster, such as "15m". As long as its delivery takes when absent.'),
  soak: duration('How long everything must stay healthy before the next wave, such as "30m". Not at all when absent.'),
};
export const waveRules = [
  {
    rule: '[has(self.clusterSelector), has(self.clusterNames), has(self.count), has(self.remainder)].filter(given, given).size() == 1',
    message: 'exactly one of clusterSelector, clusterNames, count and remainder is needed',
  },
];

const wave = object('Clusters that get a change together.', waveFields, { rules: waveRules });
export type WaveSpec = TypeOf<typeof wave>;

export const wavesOf = <T>(one: Schema<T>) =>
  optional(
    list('The waves, in order. A cluster belongs to the first that selects it. All clusters in one wave when absent.', one, {
      maxItems: 50,
    }),
  );

/** The limits of a rollout, whoever decides when it goes on. */
export const rolloutLimits = {
  orderBy: optional(text('The label whose numbers order the clusters within a wave, then their names. By name alone when absent.')),
  maxUnavailable: share('How many clusters may be without a healthy service at a time because of the change. Any number when absent.'),
  maxFailures: share('How many clusters may fail over all waves, besides what each wave allows. Any number when absent.'),
  stagger: duration('The least time between the starts of two clusters, such as "5s". None when absent.'),
  unassigned: optional(
    oneOf(
      ['LastWave', 'Fail', 'Skip'],
      'What becomes of clusters that no wave selects: the last wave takes them, nothing starts, or they stay as they are.',
      { default: 'LastWave' },
    ),
  ),
  rollback: optional(
    object('How clusters are put back.', {
      order: optional(
        oneOf(['ReverseWaves', 'AllAtOnce'], 'Which clusters go first, after those that are broken: those of the last wave, or any.', {
          default: 'ReverseWaves',
        }),
      ),
      maxConcurrency: share('How many clusters are put back at a time, or a share of them. All when absent.'),
      includeSucceeded: optional(flag('Whether clusters on which the change succeeded are put back too.', { default: true })),
    }),
  ),
};

export const rolloutRules = [
  {
    rule: '!has(self.waves) || self.waves.all(one, self.waves.exists_one(other, other.name == one.name))',
    message: 'waves need different names',
  },
  {
    rule: '!has(self.waves) || self.waves.all(one, !has(one.remainder) || one.name == self.waves[size(self.waves) - 1].name)',
    message: 'only the last wave can take the remainder',
  },
];

export const unavailableClusters = optional(
  oneOf(
    ['Defer', 'Fail', 'Skip'],
    'What becomes of clusters that are not ready when it is their turn: they catch up when they return, count as failed, or are left out.',
    { default: 'Defer' },
  ),
);

/** The field of a kind that says in which order clusters get a change. */
export const rolloutSpec = (description: string) =>
  object(
    description,
    {
      waves: wavesOf(wave),
      ...rolloutLimits,
      latecomers: optional(
        oneOf(
          ['Append', 'Ignore'],
          'What becomes of clusters that come while a rollout is under way. They get the last verified revision at once, and the new one with their wave, or when the rollout is over.',
          { default: 'Append' },
        ),
      ),
      unavailableClusters,
      paused: optional(flag('Whether no further cluster gets the change for now.')),
      onFailure: optional(
        oneOf(
          ['Pause', 'Rollback'],
          'What happens when more clusters fail than may: stop there, or put all back to the last verified revision.',
          { default: 'Pause' },
        ),
      ),
    },
    { rules: rolloutRules },
  );
export type RolloutSpec = TypeOf<ReturnType<typeof rolloutSpec>>;

export const clusterStates = [
  'Pending',
  'Deferred',
  'Running',
  'Soaking',
  'Succeeded',
  'Failed',
  'TimedOut',
  'Skipped',
  'RollingBack',
  'RolledBack',
  'RollbackFailed',
  'Aborted',
] as const;
export type ClusterState = (typeof clusterStates)[number];

export const rolloutPhases = [
  'Progressing',
  'Soaking',
  'Paused',
  'Succeeded',
  'Failed',
  'Aborted',
  'RollingBack',
  'RolledBack',
  'RollbackFailed',
] as const;
export type RolloutPhase = (typeof rolloutPhases)[number];

const clusterEntry = object('How far a cluster is.', {
  name: text('The cluster.'),
  state: oneOf(clusterStates, 'How far it is.'),
  since: optional(time('When it was started, while it is under way.')),
  revision: optional(
    text(
      'The revision that it was last given, where that is neither the new one after its start nor the verified one before. Empty: not known.',
    ),
  ),
  reason: optional(text('Why, in one CamelCase word for programs.')),
  message: optional(text('Why, in one line for people.')),
});
export type ClusterEntry = TypeOf<typeof clusterEntry>;

const waveStatus = object('One wave.', {
  name: text('Its name.'),
  phase: oneOf(['Pending', 'Running', 'Soaking', 'Done', 'Skipped'], 'Where it is.'),
  soakUntil: optional(time('When its soak ends if everything stays healthy.')),
  clusters: list('Its clusters, in order.', clusterEntry),
});
export type WaveStatus = TypeOf<typeof waveStatus>;

/** The field of a status that says where a rollout is. It is also all that is remembered of it: a hub that was killed goes on from here. */
export const rolloutStatus = (description: string) =>
  object(description, {
    revision: text('What is being rolled out.'),
    phase: oneOf(rolloutPhases, 'Where it is.'),
    wave: optional(text('The present wave.')),
    updated: optional(text('How many clusters have the change and are well, such as "3/10".')),
    message: optional(text('What it does, and what it waits for.')),
    startedAt: optional(time('When it began.')),
    finishedAt: optional(time('When it ended.')),
    verified: optional(text('The last revision whose rollout succeeded.')),
    previous: optional(text('The one that was verified before that.')),
    rollbackTo: optional(text('The revision to which clusters are, or were, put back.')),
    breach: optional(
      object('Why no further cluster gets the change.', {
        reason: text('Why, in one CamelCase word for programs.'),
        message: text('Why, in one line for people.'),
      }),
    ),
    pausedAt: optional(time('Since when it is paused.')),
    lastStart: optional(time('When a cluster was last started.')),
    request: optional(text('The last request that was taken up, as the annotation said it.')),
    clusters: optional(
      object('How many clusters are how far.', {
        total: integer('All of them.'),
        pending: optional(integer('Those whose turn has not come.')),
        running: optional(integer('Those that are being changed or put back.')),
        soaking: optional(integer('Those that have the change and are watched.')),
        succeeded: optional(integer('Those that have the change.')),
        failed: optional(integer('Those that failed.')),
        deferred: optional(integer('Those that catch up when they can.')),
        skipped: optional(integer('Those that are left out.')),
        rolledBack: optional(integer('Those that were put back.')),
      }),
    ),
    waves: list('The waves, in order.', waveStatus),
  });
export type RolloutState = TypeOf<ReturnType<typeof rolloutStatus>>;

/** Whether the present revision is on all clusters; when not, why. */
export const rolledOutCondition = 'RolledOut';

export const rolloutAnnotations = {
  /** On a cluster: with "true" no rollout changes it. */
  hold: 'drover.io/hold',
  /** On what is rolled out: `abort`, `retry` or `undo`, then the revision that is meant, then anything that tells one request from the next. */
  request: 'drover.io/rollout-request',
} as const;

export const rolloutRequests = ['abort', 'retry', 'undo'] as const;
export type RolloutRequest = (typeof rolloutRequests)[number];
