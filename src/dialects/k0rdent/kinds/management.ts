import { inert } from '../../../api/inert-fields.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { labelSelector } from '../../../api/label-selector.ts';
import { anyObject, anyValue, flag, list, mapOf, object, oneOf, openObject, optional, text } from '../../../api/schema.ts';
import { ageColumn, k0rdent, objectReference, readyColumn, statusConditions } from './group.ts';

export const Credential = defineKind({
  ...k0rdent,
  kind: 'Credential',
  plural: 'credentials',
  shortNames: ['cred'],
  scope: 'Namespaced',
  description: 'Credential gives access to a cloud, or to a cluster that is adopted.',
  spec: openObject(
    'The identity.',
    {
      identityRef: objectReference('The object that holds it.'),
      region: optional(text('The region it is for.')),
      description: optional(text('What it is for.')),
    },
    {
      rules: [
        {
          rule: 'has(self.region) == has(oldSelf.region) && (!has(self.region) || self.region == oldSelf.region)',
          message: 'Region is immutable',
        },
      ],
    },
  ),
  status: openObject('Whether it can be used.', { ready: flag('Whether it can.', { default: false }), ...statusConditions }),
  columns: [
    { name: 'Ready', type: 'boolean', path: '.status.ready' },
    { name: 'Region', type: 'string', path: '.spec.region' },
    { name: 'Description', type: 'string', path: '.spec.description' },
  ],
});
export type Credential = ObjectFor<typeof Credential>;

const component = openObject('A component.', {
  config: optional(anyValue('Values for its chart.')),
  template: optional(text('Its ProviderTemplate.')),
});
const providers = list(
  'The providers of Cluster API that are there. This hub installs none; what their templates say is checked.',
  openObject('A provider.', {
    name: text('Its name.'),
    template: optional(text('Its ProviderTemplate. That of the Release when absent.')),
    config: optional(anyValue('Values for its chart.')),
  }),
);
const components = {
  availableProviders: optional(list('Providers that are there.', text('A name.'))),
  capiContracts: optional(mapOf('Contracts of providers.', mapOf('Versions.', text('A version.')))),
  components: optional(mapOf('The components.', anyObject('A component.'))),
};

export const Management = defineKind({
  ...k0rdent,
  kind: 'Management',
  plural: 'managements',
  shortNames: ['kcm-mgmt', 'mgmt'],
  scope: 'Cluster',
  description: 'Management is the installation itself. There is one, "kcm".',
  spec: openObject('What is installed.', {
    release: text('The Release.', { minLength: 1 }),
    core: optional(openObject('The core.', { kcm: optional(component), capi: optional(component) })),
    providers: optional(providers),
    cleanup: optional(anyObject('What goes with it.')),
  }),
  status: openObject('What is there.', {
    release: optional(text('The Release.')),
    backupName: optional(text('The backup it came from.')),
    ...components,
    ...statusConditions,
  }),
  columns: [readyColumn, { name: 'Release', type: 'string', path: '.status.release' }, ageColumn],
});
export type Management = ObjectFor<typeof Management>;

const chosen = {
  selector: optional(labelSelector('By labels.')),
  stringSelector: optional(text('By labels, as text.')),
};
const names = (what: string) => optional(list(what, text('A name.')));
const onlyOneOf = (field: string) => ({
  rules: [
    {
      rule: `(has(self.${field}) ? 1 : 0) + (has(self.selector) ? 1 : 0) + (has(self.stringSelector) ? 1 : 0) <= 1`,
      message: `only one of ${field}, selector, stringSelector can be specified`,
    },
  ],
});

export const AccessManagement = defineKind({
  ...k0rdent,
  kind: 'AccessManagement',
  plural: 'accessmanagements',
  shortNames: ['am'],
  scope: 'Cluster',
  description:
    'AccessManagement gives templates, credentials and other objects of the system namespace to other namespaces. There is one, "kcm".',
  spec: openObject('Who gets what.', {
    accessRules: optional(
      list(
        'The rules.',
        openObject('One rule.', {
          targetNamespaces: optional(
            openObject('For which namespaces. All when absent.', { ...chosen, list: names('By name.') }, onlyOneOf('list')),
          ),
          mode: optional(
            oneOf(
              ['Copy', 'Grant'],
              'Copy: the objects are copied to the namespaces, as in k0rdent. Grant: templates and chains stay where they are and can be used from the namespaces as if they were there. Drover adds this to k0rdent.',
              { default: 'Copy' },
            ),
          ),
          resources: optional(
            list(
              'Which objects.',
              openObject(
                'Objects of one kind.',
                { kind: text('The kind.'), apiGroup: optional(text('The group.')), ...chosen, names: names('By name.') },
                onlyOneOf('names'),
              ),
            ),
          ),
          clusterTemplateChains: names('Use resources instead.'),
          serviceTemplateChains: names('Use resources instead.'),
          credentials: names('Use resources instead.'),
          clusterAuthentications: names('Use resources instead.'),
          dataSources: names('Use resources instead.'),
          clusterAuditPolicies: names('Use resources instead.'),
        }),
      ),
    ),
  }),
  status: openObject('What was given.', {
    current: optional(list('The rules in force.', anyObject('A rule.'))),
    error: optional(text('What went wrong.')),
    resources: optional(list('Kinds that could not be given.', anyObject('A kind.'))),
    ...statusConditions,
  }),
});
export type AccessManagement = ObjectFor<typeof AccessManagement>;

const dependency = openObject('An object that must be ready.', {
  apiVersion: optional(text('Its API version.')),
  kind: optional(text('Its kind.')),
  name: optional(text('Its name.')),
  namespace: optional(text('Its namespace.')),
  readinessRule: optional(text(inert('When it is ready, in CEL over "self".', 'the hub itself delivers'))),
});
const stateColumn = (name: string, type: string) =>
  ({ name, type: 'string', path: `.status.conditions[?(@.type=="${type}")].status` }) as const;

export const StateManagementProvider = defineKind({
  ...k0rdent,
  kind: 'StateManagementProvider',
  plural: 'statemanagementproviders',
  shortNames: ['smp'],
  scope: 'Cluster',
  description: 'StateManagementProvider delivers ServiceSets. The built-in one, "ksm-projectsveltos", is Drover itself.',
  spec: openObject('Who delivers what.', {
    selector: optional(labelSelector('Labels of the ServiceSets it delivers.')),
    adapter: optional(dependency),
    provisioner: optional(list('What it needs.', dependency)),
    provisionerCRDs: optional(
      list(
        'Kinds it needs.',
        object('Kinds of a group.', {
          group: text('The group.'),
          version: text('The version.'),
          resources: optional(list('The kinds.', text('A plural.'))),
        }),
      ),
    ),
    suspend: optional(flag('Whether it rests.', { default: false })),
  }),
  status: openObject('Whether it delivers.', { ready: flag('Whether it does.', { default: false }), ...statusConditions }),
  columns: [
    stateColumn('rbac', 'RBACReady'),
    stateColumn('adapter', 'AdapterReady'),
    stateColumn('provisioner', 'ProvisionerReady'),
    stateColumn('provisioner crds', 'ProvisionerCRDsReady'),
    { name: 'ready', type: 'boolean', path: '.status.ready' },
    { name: 'suspended', type: 'boolean', path: '.spec.suspend' },
    { name: 'age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type StateManagementProvider = ObjectFor<typeof StateManagementProvider>;

export const Region = defineKind({
  ...k0rdent,
  kind: 'Region',
  plural: 'regions',
  shortNames: ['rgn'],
  scope: 'Cluster',
  description: 'Region is a cluster that manages clusters near it. This hub manages all of them itself.',
  spec: openObject(
    'The cluster of the region.',
    {
      kubeConfig: optional(
        object('By kubeconfig.', { name: text('The Secret in the system namespace.'), key: optional(text('The key in it.')) }),
      ),
      clusterDeployment: optional(object('By ClusterDeployment.', { namespace: text('Its namespace.'), name: text('Its name.') })),
      core: optional(anyObject('The core.')),
      providers: optional(providers),
    },
    {
      rules: [
        {
          rule: 'has(self.kubeConfig) != has(self.clusterDeployment)',
          message: 'exactly one of kubeConfig or clusterDeployment must be set',
        },
        ...['kubeConfig', 'clusterDeployment'].map(field => ({
          rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
          message: `${field} is immutable`,
        })),
      ],
    },
  ),
  status: openObject('What is there.', { ...components, ...statusConditions }),
  columns: [readyColumn, ageColumn],
});
export type Region = ObjectFor<typeof Region>;

const templated = (what: string) => object(what, { template: text('The ProviderTemplate.') });

export const Release = defineKind({
  ...k0rdent,
  kind: 'Release',
  plural: 'releases',
  scope: 'Cluster',
  description: 'Release is a version of the installation and its templates.',
  spec: openObject('The version.', {
    version: text('The version.', { minLength: 1 }),
    kcm: templated('The core.'),
    capi: templated('Cluster API.'),
    regional: optional(templated('For regions.')),
    providers: optional(list('The providers.', object('A provider.', { name: text('Its name.'), template: text('Its template.') }))),
  }),
  status: openObject('Whether it can be used.', { ready: optional(flag('Whether it can.')), ...statusConditions }),
  columns: [{ name: 'Ready', type: 'boolean', path: '.status.ready' }, ageColumn],
});
export type Release = ObjectFor<typeof Release>;
