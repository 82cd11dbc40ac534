import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import {
  anyObject,
  anyValue,
  flag,
  list,
  listMap,
  mapOf,
  object,
  oneOf,
  openObject,
  optional,
  text,
  type TypeOf,
} from '../../../api/schema.ts';
import { ageColumn, defaultRepository, k0rdent, statusConditions, validColumns } from './group.ts';
import { helmOptions } from './service-spec.ts';

const isImmutable = { rule: 'self == oldSelf', message: 'Spec is immutable' };

const noChartSource = (kinds: string) => ({
  rule: '!has(self.helm.chartSource)',
  message: `.spec.helm.chartSource is not supported for ${kinds}`,
});

const localSourceRef = object('An object of the hub that has the bytes.', {
  kind: oneOf(['ConfigMap', 'Secret', 'GitRepository', 'Bucket', 'OCIRepository'], 'What it is.'),
  name: text('Its name.', { minLength: 1 }),
  namespace: optional(text('Its namespace, for sources of Flux. That of the template when absent.')),
});

const source = {
  localSourceRef: optional(localSourceRef),
  remoteSourceSpec: optional(
    openObject('A source of Flux to make.', {
      git: optional(anyObject('The spec of a GitRepository.')),
      bucket: optional(anyObject('The spec of a Bucket.')),
      oci: optional(anyObject('The spec of an OCIRepository.')),
    }),
  ),
  path: optional(text('The folder inside the source.')),
};
const deploymentType = (fallback?: 'Remote') =>
  oneOf(['Local', 'Remote'], 'Local: on the hub. Remote: on the cluster.', fallback ? { default: fallback } : {});

const charts = '(has(self.chartSpec) ? 1 : 0) + (has(self.chartRef) ? 1 : 0) + (has(self.chartSource) ? 1 : 0)';

const helmFields = {
  chartSpec: optional(
    openObject('The chart of a source, as Flux writes it.', {
      chart: text('The chart: its name in a HelmRepository, its folder in a GitRepository.'),
      version: optional(text('The version, or a range of versions.', { default: '*' })),
      interval: optional(text('How often to look for a newer one.', { default: '10m' })),
      sourceRef: optional(
        object(
          'The source.',
          { kind: optional(text('Its kind.')), name: optional(text('Its name.')) },
          { default: { kind: 'HelmRepository', name: defaultRepository } },
        ),
      ),
      reconcileStrategy: optional(oneOf(['ChartVersion', 'Revision'], 'What makes a chart new.', { default: 'ChartVersion' })),
      valuesFiles: optional(list('Files of the chart with values, later ones win.', text('A path.'))),
      ignoreMissingValuesFiles: optional(flag('Whether they may be missing.')),
      suspend: optional(flag('Whether to stay with what is there.')),
      verify: optional(anyObject('Who must have signed the chart, as a HelmChart says it.')),
    }),
  ),
  chartRef: optional(
    object('A chart that is there already.', {
      kind: oneOf(['OCIRepository', 'HelmChart', 'ExternalArtifact'], 'What it is.'),
      name: text('Its name.', { minLength: 1 }),
      namespace: optional(text('Its namespace.')),
    }),
  ),
  chartSource: optional(openObject('A chart in a folder of a source.', { ...source, deploymentType: optional(deploymentType()) })),
};
const helm = openObject('A chart.', helmFields, {
  rules: [
    { rule: `${charts} <= 1`, message: 'chartSpec, chartSource and chartRef are mutually exclusive' },
    { rule: `${charts} >= 1`, message: 'one of chartSpec, chartRef or chartSource must be set' },
  ],
});
export type HelmTemplate = TypeOf<typeof helm>;

const manifests = (description: string) => openObject(description, { ...source, deploymentType: optional(deploymentType('Remote')) });

const status = {
  valid: flag('Whether the template can be used.', { default: false }),
  validationError: optional(text('Why it cannot.')),
  description: optional(text('What the chart says of itself.')),
  config: optional(anyValue('The default values of the chart.')),
  chartRef: optional(anyObject('The chart.')),
  chartVersion: optional(text('The version of the chart.')),
  schemaConfigMapName: optional(text('The ConfigMap with the schema of the values.')),
  ...statusConditions,
};

export const ServiceTemplate = defineKind({
  ...k0rdent,
  kind: 'ServiceTemplate',
  plural: 'servicetemplates',
  shortNames: ['svctmpl'],
  scope: 'Namespaced',
  description: 'ServiceTemplate says what a service is made of: a chart, a kustomization or manifests.',
  spec: openObject(
    'What the service is made of.',
    {
      helm: optional(helm),
      kustomize: optional(manifests('A kustomization.')),
      resources: optional(manifests('Manifests.')),
      helmOptions: optional(helmOptions),
      version: optional(text('The version of what is installed.')),
      k8sConstraint: optional(text('The versions of Kubernetes it is for.')),
    },
    {
      rules: [
        isImmutable,
        {
          rule: '[has(self.helm), has(self.kustomize), has(self.resources)].filter(given, given).size() < 2',
          message: 'Helm, Kustomize and Resources are mutually exclusive.',
        },
        {
          rule: 'has(self.helm) || has(self.kustomize) || has(self.resources)',
          message: 'One of Helm, Kustomize, or Resources must be specified.',
        },
      ],
    },
  ),
  status: openObject('Whether it can be used.', {
    ...status,
    k8sConstraint: optional(text('The versions of Kubernetes it is for.')),
    sourceStatus: optional(anyObject('How the source is.')),
  }),
  columns: validColumns,
});
export type ServiceTemplate = ObjectFor<typeof ServiceTemplate>;

export const ClusterTemplate = defineKind({
  ...k0rdent,
  kind: 'ClusterTemplate',
  plural: 'clustertemplates',
  shortNames: ['clustertmpl'],
  scope: 'Namespaced',
  description: 'ClusterTemplate is a chart that makes a cluster.',
  spec: openObject(
    'The chart.',
    {
      helm,
      providerContracts: optional(mapOf('Contracts of providers.', text('A contract.'))),
      k8sVersion: optional(text('The version of Kubernetes that it makes.')),
      providers: optional(list('Providers it needs.', text('A name.'))),
    },
    { rules: [isImmutable, noChartSource('ClusterTemplates')] },
  ),
  status: openObject('Whether it can be used.', {
    ...status,
    providers: optional(list('Providers it needs.', text('A name.'))),
    providerContracts: optional(mapOf('Contracts of providers.', text('A contract.'))),
    k8sVersion: optional(text('The version of Kubernetes that it makes.')),
  }),
  columns: validColumns,
});
export type ClusterTemplate = ObjectFor<typeof ClusterTemplate>;

export const ProviderTemplate = defineKind({
  ...k0rdent,
  kind: 'ProviderTemplate',
  plural: 'providertemplates',
  shortNames: ['providertmpl'],
  scope: 'Cluster',
  description: 'ProviderTemplate is a chart that brings a provider of Cluster API.',
  spec: openObject(
    'The chart.',
    {
      helm,
      capiContracts: optional(mapOf('Contracts of Cluster API.', text('Versions.'))),
      providers: optional(list('Providers it brings.', text('A name.'))),
    },
    { rules: [isImmutable, noChartSource('ProviderTemplates')] },
  ),
  status: openObject('Whether it can be used.', {
    ...status,
    capiContracts: optional(mapOf('Contracts of Cluster API.', text('Versions.'))),
    providers: optional(list('Providers it brings.', text('A name.'))),
  }),
  columns: validColumns,
});
export type ProviderTemplate = ObjectFor<typeof ProviderTemplate>;

const chainSpec = () =>
  openObject(
    'The templates and the ways between them.',
    {
      supportedTemplates: optional(
        listMap(
          'The templates.',
          object('A template.', {
            name: text('Its name.'),
            availableUpgrades: optional(
              list(
                'Templates to which it can be upgraded.',
                object('One of them.', { name: text('Its name.'), version: optional(text('Its version.')) }),
              ),
            ),
          }),
          ['name'],
        ),
      ),
    },
    { rules: [isImmutable] },
  );
const chainStatus = () =>
  openObject('Whether the chain can be used.', {
    valid: flag('Whether it can.', { default: false }),
    validationError: optional(text('Why it cannot.')),
    ...statusConditions,
  });
const chainColumns = [{ name: 'Valid', type: 'boolean', path: '.status.valid' }, ageColumn] as const;

export const ServiceTemplateChain = defineKind({
  ...k0rdent,
  kind: 'ServiceTemplateChain',
  plural: 'servicetemplatechains',
  scope: 'Namespaced',
  description: 'ServiceTemplateChain says which upgrades of services are allowed.',
  spec: chainSpec(),
  status: chainStatus(),
  columns: chainColumns,
});
export type ServiceTemplateChain = ObjectFor<typeof ServiceTemplateChain>;

export const ClusterTemplateChain = defineKind({
  ...k0rdent,
  kind: 'ClusterTemplateChain',
  plural: 'clustertemplatechains',
  scope: 'Namespaced',
  description: 'ClusterTemplateChain says which upgrades of clusters are allowed.',
  spec: chainSpec(),
  status: chainStatus(),
  columns: chainColumns,
});
export type ClusterTemplateChain = ObjectFor<typeof ClusterTemplateChain>;
