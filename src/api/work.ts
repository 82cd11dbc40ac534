import { conditions, notSeenYet } from './conditions.ts';
import { defineKind, type ObjectFor } from './define-kind.ts';
import { lastAppliedAnnotation } from './object.ts';
import {
  anyValue,
  embeddedObject,
  flag,
  integer,
  list,
  object,
  oneOf,
  optional,
  setOf,
  text,
  time,
  wholeObject,
  type TypeOf,
} from './schema.ts';
import { workAnnotations } from './work-annotations.ts';

export { workAnnotations };

const digest = (description: string) => text(description, { pattern: '^sha256:[0-9a-f]{64}$' });
const duration = (description: string, options: { default?: string } = {}) =>
  text(description, { pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$', ...options });

const release = object(
  'What the delivered is called on the member. Works with the same name and namespace are claims on the same release.',
  {
    name: text('The name of the release.', {
      minLength: 1,
      maxLength: 63,
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    }),
    namespace: text('The namespace of the release, and of its objects that name none.', { minLength: 1, maxLength: 63 }),
  },
);

const source = {
  repository: optional(
    text(
      'Where to get it: "https://…" a repository, "oci://…" a registry, "git+https://…" or "git+ssh://…" a repository of git, "hub" the chart store of this hub. Not needed when content is given.',
      { minLength: 1 },
    ),
  ),
  version: optional(
    text(
      'The version or range of versions for repositories, the tag or digest for registries, the branch, tag or commit for git. The newest when absent.',
    ),
  ),
  secretName: optional(
    text(
      'The Secret in the namespace of the Work with username, password, tls.crt, tls.key or ca.crt for the source, .dockerconfigjson for registries, or ssh-privatekey and known_hosts for git by SSH. None when absent.',
    ),
  ),
  content: optional(digest('The digest of the Content with the bytes. The hub fills it in when it has fetched them from the repository.')),
};

const chart = object(
  'The chart to render.',
  {
    name: optional(text('The name of the chart in its repository, or its folder in a repository of git.')),
    ...source,
  },
  { rules: [{ rule: 'has(self.repository) || has(self.content)', message: 'repository or content is needed' }] },
);

const kustomization = object(
  'The folder to kustomize.',
  {
    path: optional(text('The folder inside the source that holds the kustomization. Its root when absent.')),
    ...source,
  },
  { rules: [{ rule: 'has(self.repository) || has(self.content)', message: 'repository or content is needed' }] },
);

/** How a delivery writes objects. */
export const applyManner = (description: string) =>
  object(description, {
    mode: optional(
      oneOf(
        ['ServerSide', 'ClientSide'],
        `Who merges: the member, or whoever delivers, as kubectl does with the annotation ${lastAppliedAnnotation}.`,
        { default: 'ServerSide' },
      ),
    ),
    fieldManager: optional(text('The name under which fields are owned.', { default: 'drover', minLength: 1, maxLength: 128 })),
    force: optional(
      flag('Whether fields that others own are taken over. Otherwise they fail the delivery. ClientSide always takes them over.', {
        default: true,
      }),
    ),
  });

const options = object('How to deliver.', {
  wait: optional(flag('Whether to wait until everything is healthy before the delivery counts as done.', { default: true })),
  timeout: optional(duration('How long to wait for hooks and for health.', { default: '5m' })),
  atomic: optional(flag('Whether to go back to the last good revision, or to uninstall when there is none, after a delivery that failed.')),
  hooks: optional(flag('Whether to run the hooks of the chart.', { default: true })),
  crds: optional(
    oneOf(
      ['Create', 'CreateReplace', 'Skip'],
      'What to do with the definitions in the folder "crds" of the chart: create those that are missing, also bring others up to date, or leave them out.',
      { default: 'Create' },
    ),
  ),
  order: optional(
    oneOf(
      ['ByKind', 'AsGiven'],
      'ByKind: objects are put on the member one kind after the other, as Helm does. AsGiven: one after the other in the order of the list. Not for charts.',
      { default: 'ByKind' },
    ),
  ),
  checkFirst: optional(
    flag(
      'Whether to ask the member about every object before any is put there: when it refuses one, nothing is changed and all refusals are told. Not for charts.',
    ),
  ),
  applyAll: optional(
    flag(
      'Whether a change of the Work puts every object on the member anew, also those that are the same as before, so that what others changed is put right. Not for charts.',
    ),
  ),
  again: optional(
    text(
      'Any text. Another one has the delivery made again, removals included, though nothing else of it has changed. A chart gets a new revision of its release by that.',
      {
        maxLength: 256,
      },
    ),
  ),
  compareEvery: optional(
    duration('How often everything is compared with the member anew, where drift is watched. Only what changes there when absent.'),
  ),
  apply: optional(applyManner('How objects are written. Not for charts.')),
  prune: optional(flag('Whether to delete objects that are no longer part of the delivery.', { default: true })),
  force: optional(flag('Whether to delete and create anew an object whose change the member refuses because a field cannot be changed.')),
  takeOwnership: optional(flag('Whether to take over objects that belong to another release or to nobody.')),
  history: optional(integer('How many revisions to keep.', { minimum: 1, maximum: 256, default: 10 })),
  createNamespace: optional(flag('Whether to create the namespace of the release when it is missing.', { default: true })),
  createAllNamespaces: optional(
    flag('Whether to create every namespace that an object of the delivery names when it is missing. Not for charts.'),
  ),
  maxFailures: optional(
    integer('After so many failures in a row the delivery is not tried again until the Work changes. Absent: it is tried for ever.', {
      minimum: 1,
    }),
  ),
  reload: optional(
    flag(
      'Whether to restart Deployments, StatefulSets and DaemonSets of the delivery, pod by pod, when a ConfigMap or Secret that their pods use changes.',
    ),
  ),
});

const objectTarget = object('Which objects: those that have everything that is named here. All when absent.', {
  group: optional(text('The API group, "*", or a regular expression for the whole of it.')),
  version: optional(text('The version, "*", or a regular expression for the whole of it.')),
  kind: optional(text('The kind, "*", or a regular expression for the whole of it.')),
  namespace: optional(text('The namespace, "*", or a regular expression for the whole of it.')),
  name: optional(text('The name, "*", or a regular expression for the whole of it.')),
  labelSelector: optional(text('A selector over the labels.')),
  annotationSelector: optional(text('A selector over the annotations, written like one over labels.')),
});

const patch = object('A change to objects before they are delivered.', {
  target: optional(objectTarget),
  patch: text(
    'A strategic merge patch in YAML, or a list of operations of RFC 6902. Without a target a merge patch is for the object that it names.',
    { minLength: 1 },
  ),
});

const healthRule = object('When an object of a kind is healthy.', {
  name: text('What messages call the rule.', { minLength: 1 }),
  group: optional(text('The API group. Empty or absent for the core.')),
  version: text('The version.', { minLength: 1 }),
  kind: text('The kind.', { minLength: 1 }),
  healthy: text('An expression in CEL over "obj" that is true when the object is healthy.', { minLength: 1 }),
  message: optional(text('An expression in CEL over "obj" that gives a text: why it is not.')),
});

const driftExclusion = object('Paths that others may change.', {
  target: optional(objectTarget),
  paths: list(
    'JSON pointers such as "/spec/replicas". "*" as a step stands for every field or item.',
    text('A JSON pointer.', { pattern: '^/' }),
    { minItems: 1 },
  ),
});

const objectRef = {
  group: text('The API group, empty for the core.'),
  version: text('The version.'),
  kind: text('The kind.'),
  namespace: optional(text('The namespace. Absent for objects of the whole cluster.')),
  name: text('The name.'),
};

const deliveredObject = object('One object of the delivery on the member.', {
  ...objectRef,
  health: oneOf(['Current', 'InProgress', 'Failed', 'Terminating', 'NotFound', 'Unknown'], 'How the object is.'),
  message: optional(text('Why, where it is not current.')),
  outrankedBy: optional(text('The name of the Work with more priority that delivers this object instead.')),
});

const drifted = object('One field that is not as delivered.', {
  ...objectRef,
  path: text('The field, such as ".spec.replicas". Empty: the object as a whole is gone.'),
  manager: optional(text('The field manager that changed it, where the member knows.')),
  want: optional(anyValue('The value that was delivered. Of Secrets only that it differs.')),
  have: optional(anyValue('The value on the member. Absent: the field is gone.')),
});

const broken = object('An object that does not fulfil a rule.', {
  ...objectRef,
  rule: text('The name of the rule.'),
  message: optional(text('Why, in the words of the rule.')),
});

const plannedField = object('One field that a delivery would change.', {
  path: text('The field, such as ".spec.replicas".'),
  have: optional(anyValue('The value on the member now. Absent: the field would be new. Of Secrets only that it differs.')),
  want: optional(anyValue('The value after a delivery. Absent: the field would go.')),
});

const planned = object('What a delivery would do to one object.', {
  ...objectRef,
  action: oneOf(['Create', 'Change', 'Delete', 'Keep'], 'What would happen.'),
  fields: optional(list('The fields that would change, up to fifty of all objects.', plannedField)),
});

const plannedRelease = object('What a delivery would do as a whole.', {
  action: oneOf(
    ['None', 'Install', 'Upgrade', 'UpdateValues', 'Conflict'],
    'What would happen. Conflict: nothing, because another claim would keep the release.',
  ),
  chart: optional(text('Name and version of the chart that would be delivered.')),
  present: optional(text('Name and version of the chart that is on the member.')),
  claim: optional(
    object('The claim that has the release now.', { work: text('The name of the Work.'), priority: integer('Its priority.') }),
  ),
});

/** What one member should run for one owner. It lies in the namespace of the cluster. */
export const Work = defineKind({
  group: 'drover.io',
  version: 'v1alpha1',
  kind: 'Work',
  plural: 'works',
  categories: ['drover'],
  scope: 'Namespaced',
  description:
    'What one member should run for one owner: a chart with values, a kustomization, or manifests. Its namespace is that of the cluster.',
  spec: object(
    'What to deliver, and how.',
    {
      release,
      priority: optional(
        integer('Of several Works with the same release, or the same object, the highest wins; of equal ones the oldest.', {
          minimum: 0,
          maximum: 2147483647,
          default: 100,
        }),
      ),
      after: optional(setOf('Names of Works of the same cluster that must be ready first.', text('Name of a Work.'))),
      chart: optional(chart),
      values: optional(wholeObject('The values for the chart. Its own defaults apply where they say nothing.')),
      kustomization: optional(kustomization),
      manifests: optional(list('Objects to deliver as they are.', embeddedObject('An object.'))),
      content: optional(digest('The digest of a Content with objects to deliver, as YAML documents.')),
      patches: optional(list('Changes to what was rendered, one after the other. Hooks of charts stay as they are.', patch)),
      remove: optional(
        list(
          'Objects that a delivery deletes besides, with what they own, whoever put them there. They are deleted once for each change of what is delivered.',
          object('An object.', objectRef),
        ),
      ),
      options: optional(options),
      sync: optional(
        oneOf(
          ['Continuous', 'Once', 'DetectDrift', 'CorrectDrift', 'DryRun'],
          'Continuous: deliver every change of the Work. Once: deliver when the Work is new, never again. DetectDrift: as Continuous, and tell when others change what was delivered. CorrectDrift: and change it back. DryRun: tell what would change, change nothing.',
          { default: 'Continuous' },
        ),
      ),
      driftExclusions: optional(
        list('What others may change without it counting as drift. Replicas that an autoscaler owns never count.', driftExclusion),
      ),
      healthRules: optional(
        list(
          'Rules that objects must fulfil besides what every kind has of its own: those of the delivery, and those in the namespace of the release that bear its name in a label "release", "app", "app.kubernetes.io/instance" or "app.kubernetes.io/name".',
          healthRule,
        ),
      ),
      onDelete: optional(
        oneOf(['Uninstall', 'Keep'], 'What happens on the member when the last claim on the release goes.', { default: 'Uninstall' }),
      ),
      suspend: optional(flag('Whether to leave the member as it is for now.')),
    },
    {
      rules: [
        {
          rule: '[has(self.chart), has(self.kustomization), has(self.manifests), has(self.content)].filter(given, given).size() == 1',
          message: 'exactly one of chart, kustomization, manifests and content is needed',
        },
        { rule: '!has(self.values) || has(self.chart)', message: 'values are only for charts' },
        { rule: '!has(self.remove) || !has(self.chart)', message: 'remove is not for charts' },
        {
          rule: '!has(self.chart) || self.release.name.size() <= 53',
          message: 'the name of a release of a chart has at most 53 characters',
        },
        {
          rule: 'self.release == oldSelf.release',
          message: 'the release cannot be changed',
        },
        {
          rule: 'has(self.chart) == has(oldSelf.chart)',
          message: 'a Work with a chart keeps one: what is not a chart is a Work of its own',
        },
      ],
    },
  ),
  status: object(
    'What was delivered and how it is.',
    {
      cluster: optional(text('The name of the cluster.')),
      delivered: optional(
        object('The last delivery that was begun.', {
          inputs: text('A digest of everything that went into it: equal inputs are not delivered twice.'),
          revision: optional(integer('The revision of the release on the member, as Helm counts, for charts.')),
          state: oneOf(['Pending', 'Deployed', 'Failed', 'Uninstalling', 'Uninstalled'], 'How far it came.'),
          chart: optional(text('Name and version of the chart.')),
          appVersion: optional(text('The version of what the chart installs.')),
          at: time('When it began.'),
          notes: optional(text('What the chart has to say to its user.')),
        }),
      ),
      objects: optional(list('The objects on the member that belong to the Work.', deliveredObject)),
      healthy: optional(text('How many of the objects are healthy, such as "3/4".')),
      brokenRules: optional(list('Objects that do not fulfil a rule of `healthRules`, up to fifty.', broken)),
      drift: optional(list('Fields that are not as delivered.', drifted)),
      plan: optional(list('What a delivery would change, for DryRun.', planned)),
      planned: optional(plannedRelease),
      outrankedBy: optional(
        object('The claim that has the release instead.', {
          work: text('The name of the Work.'),
          priority: integer('Its priority.'),
        }),
      ),
      failures: optional(integer('How many times in a row the delivery failed.')),
      nextTry: optional(time('When it is tried again. Absent: when something changes.')),
      trouble: optional(
        text(
          'Why a person should look, in a word such as "Unhealthy": what does not pass by itself, or did not pass after some tries. Absent: nothing of that kind.',
        ),
      ),
      ...conditions,
    },
    notSeenYet,
  ),
  // By it the page finds those that need a person, however many there are.
  selectable: ['.status.trouble'],
  columns: [
    { name: 'Release', type: 'string', path: '.spec.release.name', priority: 1 },
    { name: 'Cluster', type: 'string', path: '.status.cluster' },
    { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', path: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Healthy', type: 'string', path: '.status.healthy', priority: 1 },
    { name: 'Chart', type: 'string', path: '.status.delivered.chart', priority: 1 },
    { name: 'Revision', type: 'integer', path: '.status.delivered.revision', priority: 1 },
    { name: 'Applied', type: 'date', path: '.status.delivered.at', priority: 1 },
    { name: 'Priority', type: 'integer', path: '.spec.priority', priority: 1 },
    { name: 'Message', type: 'string', path: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type Work = ObjectFor<typeof Work>;
export type DeliveryOptions = TypeOf<typeof options>;
export type ApplyManner = TypeOf<ReturnType<typeof applyManner>>;
export type DriftExclusion = TypeOf<typeof driftExclusion>;
export type ObjectTarget = TypeOf<typeof objectTarget>;
export type WorkPatch = TypeOf<typeof patch>;
export type HealthRule = TypeOf<typeof healthRule>;
export type BrokenRule = TypeOf<typeof broken>;
export type DeliveredObject = TypeOf<typeof deliveredObject>;
export type DriftedField = TypeOf<typeof drifted>;
export type PlannedObject = TypeOf<typeof planned>;
export type PlannedField = TypeOf<typeof plannedField>;
export type PlannedRelease = TypeOf<typeof plannedRelease>;

/** Held by the hub until what the Work delivered is gone from the member, or has passed to another claim. */
export const workFinalizer = 'drover.io/delivery';

/** Types of the conditions of a Work. `Drifted`, `Outranked`, `Reconciling` and `Stalled` are there only while they are true. */
export const workConditions = {
  /** Everything is as the Work says: delivered, healthy and not drifted; or outranked, which is no failure, and then it is False with reason Outranked. */
  ready: 'Ready',
  /** Whether the present spec has been put on the member. */
  applied: 'Applied',
  /** Whether all objects on the member are healthy. */
  healthy: 'Healthy',
  drifted: 'Drifted',
  outranked: 'Outranked',
  reconciling: 'Reconciling',
  stalled: 'Stalled',
  /** Of a Work that is being deleted: nothing of it is left on the member, or another claim has it. */
  removed: 'Removed',
} as const;

/** Why a condition of a Work is what it is. */
export const workReasons = {
  /** `Applied`: the delivery of the present spec is done. */
  delivered: 'Delivered',
  /** `Applied` is False: the delivery is under way. */
  delivering: 'Delivering',
  /** A Work with more priority, or an older one with the same, has the release. */
  outranked: 'Outranked',
  /** Works named in `after` are not ready. */
  waitingForWorks: 'WaitingForWorks',
  /** The bytes of the chart or manifests have not been fetched yet. */
  waitingForContent: 'WaitingForContent',
  /** The cluster cannot be reached; what runs there goes on. */
  clusterUnreachable: 'ClusterUnreachable',
  suspended: 'Suspended',
  /** `sync` is DryRun: the plan says what would change. */
  planned: 'Planned',
  /** Objects are on their way to being healthy. */
  progressing: 'Progressing',
  healthy: 'Healthy',
  unhealthy: 'Unhealthy',
  drifted: 'Drifted',
  /** The source has no such chart, version, or bytes, or refused to give them. */
  sourceFailed: 'SourceFailed',
  /** The chart, its values or the manifests are wrong. */
  renderFailed: 'RenderFailed',
  /** The member refused an object. */
  applyFailed: 'ApplyFailed',
  /** A rule of the member denied an object: an admission webhook or policy, a pod security level, a quota. */
  policyDenied: 'PolicyDenied',
  hookFailed: 'HookFailed',
  /** Not healthy within the timeout. */
  timedOut: 'TimedOut',
  /** An object belongs to somebody else and `takeOwnership` is not set. */
  notOwned: 'NotOwned',
  /** `Removed` is True: nothing is left on the member. */
  uninstalled: 'Uninstalled',
  /** `Removed` is True: another claim has the release now. */
  handedOver: 'HandedOver',
  /** `Removed` is True: `onDelete` is Keep. */
  kept: 'Kept',
  uninstallFailed: 'UninstallFailed',
} as const;

/** Whether somebody lets it go though its member is lost. */
export const isReleased = ({ metadata }: Work): boolean => metadata.annotations?.[workAnnotations.forceRemoval] === 'true';

/** Whether what it delivered stays on the member when the Work goes. */
export const staysWhenGone = (work: Work): boolean => work.spec.onDelete === 'Keep' || isReleased(work);

/** The parts of a spec that its revisions keep, and that a rollback brings back. Priority, order and the like are decisions of their own. */
export const restoredFields = ['chart', 'values', 'kustomization', 'manifests', 'content', 'patches', 'options'] as const;

/** On ControllerRevisions that hold earlier specs of a Work. */
export const revisionMarks = {
  /** Label: the uid of the Work. */
  work: 'drover.io/work-uid',
  /** Annotation: who changed the spec, as field managers are called. */
  changedBy: 'drover.io/changed-by',
  /** Annotation: the digest of what a delivery of this spec puts on the member, as in the record of a release. */
  inputs: 'drover.io/inputs',
} as const;

/** The field manager of everything that is delivered. */
export const deliveryManager = 'drover';

/** The field manager of restarts. */
export const reloadManager = 'drover-reload';

/** The field manager that pins Works to the bytes of their source. */
export const sourcesManager = 'drover-sources';
