import { inert } from '../../../api/inert-fields.ts';
import { anyObject, flag, integer, list, listMap, mapOf, object, oneOf, optional, text, time, type TypeOf } from '../../../api/schema.ts';
import { objectReference, patchSelector, statusConditions } from './group.ts';

const bool = (description: string) => optional(flag(description));

export const helmOptions = object('How Helm installs, upgrades and uninstalls.', {
  enableClientCache: bool(inert('Whether the client keeps a cache.')),
  dependencyUpdate: bool(inert('Whether to fetch missing dependencies of the chart.', 'charts bring theirs along')),
  wait: bool('Whether to wait until everything is ready.'),
  waitForJobs: bool(inert('Whether to wait for Jobs too.', 'with wait, Jobs count as every other object does')),
  skipCRDs: bool('Whether to leave out the definitions of the chart.'),
  atomic: bool('Whether to roll back after a failure. True when nothing is said.'),
  disableHooks: bool('Whether to leave out hooks.'),
  disableOpenAPIValidation: bool(
    inert('Whether to leave out the check against the schema of the cluster.', 'the cluster checks what is applied'),
  ),
  skipSchemaValidation: bool(inert('Whether to leave out the check of the values.', 'values are always checked')),
  timeout: optional(text('How long to wait, such as "5m".')),
  labels: optional(mapOf(inert('Labels for the release.'), text('A value.'))),
  description: optional(text(inert('A description for the release.'))),
  createNamespace: bool('Use installOptions.createNamespace instead.'),
  replace: bool(inert('Use installOptions.replace instead.')),
  installOptions: optional(
    object('For installations.', {
      createNamespace: optional(flag('Whether to create the namespace of the release.', { default: true })),
      replace: optional(flag(inert('Whether a name may be used again.', 'it always may'), { default: true })),
      disableHooks: optional(flag('Whether to leave out hooks.', { default: false })),
      takeOwnership: optional(flag('Whether to take over objects that belong to others.', { default: false })),
    }),
  ),
  upgradeOptions: optional(
    object('For upgrades.', {
      force: bool('Whether to replace what cannot be changed.'),
      resetValues: bool(inert('Whether to forget earlier values.', 'a release has the values that its service says, and no others')),
      reuseValues: bool(inert('Whether to go on from earlier values.', 'a release has the values that its service says, and no others')),
      resetThenReuseValues: bool(
        inert('Whether to go on from earlier values over new defaults.', 'a release has the values that its service says, and no others'),
      ),
      recreate: bool(inert('Whether to restart pods.', 'reloader does, when what they mount changes')),
      cleanupOnFail: bool(inert('Whether to delete new objects after a failure.', 'atomic rolls back')),
      subNotes: bool(inert('Whether to show notes of subcharts.')),
      upgradeCRDs: bool('Whether to bring definitions up to date.'),
      disableHooks: bool('Whether to leave out hooks.'),
      takeOwnership: bool('Whether to take over objects that belong to others.'),
      maxHistory: optional(integer('How many revisions to keep.', { default: 2 })),
    }),
  ),
  uninstallOptions: optional(
    object('For uninstallations.', {
      keepHistory: bool(inert('Whether to keep the records.')),
      deletionPropagation: optional(
        oneOf(['orphan', 'foreground', 'background'], inert('What becomes of dependents.', 'they are deleted in the background')),
      ),
      disableHooks: bool(inert('Whether to leave out hooks.')),
    }),
  ),
});
export type HelmOptions = TypeOf<typeof helmOptions>;

const valuesFrom = list(
  'ConfigMaps and Secrets whose keys each hold values as YAML.',
  object('One of them.', {
    kind: oneOf(['ConfigMap', 'Secret'], 'Which it is.'),
    name: text('Its name.', { minLength: 1 }),
  }),
);

const serviceName = { minLength: 1, maxLength: 253 };
const helmAction = optional(oneOf(['Install', 'Uninstall'], 'Uninstall removes the release and keeps the entry. Install when absent.'));

export const service = object('A service to deploy.', {
  name: text('The name of the release.', serviceName),
  namespace: optional(text('The namespace of the release.', { default: 'default' })),
  template: text('The ServiceTemplate.', serviceName),
  templateChain: optional(text('The ServiceTemplateChain along which the service is upgraded.')),
  version: optional(text('The version that is wanted, as the template calls it.')),
  values: optional(text('Values in YAML, itself a Go template.')),
  valuesFrom: optional(valuesFrom),
  dependsOn: optional(
    list(
      'Services of the same list that must be deployed first.',
      object('One of them.', {
        name: text('Its name.', serviceName),
        namespace: optional(text('Its namespace. "default" when empty.')),
      }),
    ),
  ),
  disable: bool('Whether to leave the service as it is: not deployed when it was not, not changed when it was.'),
  helmAction,
  helmOptions: optional(helmOptions),
});
export type Service = TypeOf<typeof service>;

export const templateResourceRef = object('An object of the hub for templates.', {
  identifier: text('What templates call it.'),
  resource: objectReference('Which object. Its name and namespace may be templates.'),
  optional: optional(flag('Whether it may be missing.', { default: false })),
  ignoreStatusChanges: optional(flag('Whether changes of its status matter to nobody.', { default: false })),
  watchFields: optional(list('Fields whose changes matter.', text('A field.'))),
});

export const policyRef = object('Manifests to deploy as well.', {
  kind: optional(oneOf(['GitRepository', 'OCIRepository', 'Bucket', 'ConfigMap', 'Secret'], 'What holds them.')),
  name: optional(text('Its name.')),
  namespace: optional(text('Its namespace.')),
  path: optional(text('The folder inside.')),
  deploymentType: optional(oneOf(['Local', 'Remote'], 'Local: on the hub. Remote: on the cluster.', { default: 'Remote' })),
  optional: optional(flag('Whether it may be missing.', { default: false })),
  tier: optional(integer('Lower wins.', { default: 100, minimum: 1 })),
  skipNamespaceCreation: optional(flag('Whether namespaces are left to others.', { default: false })),
  remoteURL: optional(anyObject('An address that has them.')),
});

export type PolicyRef = TypeOf<typeof policyRef>;

export const driftExclusion = object('Paths that others may change.', {
  paths: list('JSON pointers.', text('A pointer.')),
  target: optional(patchSelector('Which objects. All when absent.')),
});

const deprecated = {
  priority: optional(integer('Use provider.config.priority instead.', { default: 100, minimum: 1, maximum: 2147483646 })),
  syncMode: optional(
    oneOf(['OneTime', 'Continuous', 'ContinuousWithDriftDetection', 'DryRun'], 'Use provider.config.syncMode instead.', {
      default: 'Continuous',
    }),
  ),
  stopOnConflict: optional(flag('Use provider.config.stopOnConflict instead.', { default: false })),
  continueOnError: optional(flag('Use provider.config.continueOnError instead.', { default: false })),
  reload: bool('Use provider.config.reloader instead.'),
  driftIgnore: optional(list('Use provider.config.driftIgnore instead.', patchSelector('Which objects.'))),
  driftExclusions: optional(list('Use provider.config.driftExclusions instead.', driftExclusion)),
  templateResourceRefs: optional(list('Use provider.config.templateResourceRefs instead.', templateResourceRef)),
  policyRefs: optional(list('Use provider.config.policyRefs instead.', policyRef)),
};

export const provider = object(
  'Who delivers, and how.',
  {
    name: optional(text('The StateManagementProvider. The built-in one when empty.')),
    config: optional(
      anyObject(
        'Settings for the provider: priority, syncMode, stopOnConflict, continueOnError, reloader, driftIgnore, driftExclusions, templateResourceRefs, policyRefs, patches, stopMatchingBehavior, maxConsecutiveFailures.',
      ),
    ),
    selfManagement: bool('Whether the cluster of the hub is a target too, for MultiClusterServices.'),
  },
  {
    rules: [
      {
        rule: "!has(oldSelf.name) || oldSelf.name == '' || (has(self.name) && self.name == oldSelf.name)",
        message: 'Provider name is immutable once set',
      },
    ],
  },
);

export const serviceSpec = object('The services to deploy, and how.', {
  services: optional(listMap('The services.', service, ['name', 'namespace'])),
  provider: optional(provider),
  ...deprecated,
});
export type ServiceSpec = TypeOf<typeof serviceSpec>;

export const serviceState = object('How a service is on a cluster.', {
  type: oneOf(['Helm', 'Kustomize', 'Resource'], 'What the service is made of.'),
  name: text('Its name.'),
  namespace: text('Its namespace.'),
  template: text('The template that is, or is to be, deployed.'),
  version: optional(text('The version that is deployed.')),
  state: oneOf(['Deployed', 'Provisioning', 'Failed', 'Pending', 'Deleting', 'Deleted'], 'How far it is.'),
  failureMessage: optional(text('Why it failed.')),
  lastStateTransitionTime: time('When the state last changed.'),
  lastDeployedHash: optional(text('What was last deployed.')),
  conditions: statusConditions.conditions,
});
export type ServiceState = TypeOf<typeof serviceState>;

export const upgradePaths = list(
  'To which templates each service can be upgraded.',
  object('One service.', {
    name: text('Its name.'),
    namespace: text('Its namespace.'),
    template: text('Its template.'),
    availableUpgrades: optional(
      list(
        'The ways.',
        object('One way.', {
          versions: optional(
            list('Its steps.', object('One step.', { name: text('The template.'), version: optional(text('Its version.')) })),
          ),
          upgradePaths: optional(list('The templates of the way. Use versions instead.', text('A template.'))),
        }),
      ),
    ),
  }),
);
export type UpgradePaths = TypeOf<typeof upgradePaths>;
