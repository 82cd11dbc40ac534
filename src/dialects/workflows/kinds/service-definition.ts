import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { flag, list, object, oneOf, optional, text, time, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, delivery, messageColumn, readyColumn, variable, variableFields } from './group.ts';

const credentials = optional(
  object('A Secret of this namespace with what the source wants to see, as Flux has it: username and password, bearerToken, or identity.', {
    name: text('The name of the Secret.', { minLength: 1 }),
  }),
);
const insecure = optional(flag('Whether to speak plain HTTP.'));
const configMap = optional(
  object('A ConfigMap of this namespace.', {
    name: text('The name of the ConfigMap.', { minLength: 1 }),
    keys: optional(list('The keys, in order. All that are YAML files when empty.', text('A key.'))),
  }),
);
const git = optional(
  object('Files of a git repository.', {
    repo: text('The address of the repository.', { minLength: 1 }),
    ref: optional(text('A branch, a tag or a commit. The default branch when absent. Expressions are allowed.')),
    path: optional(text('A folder or a file of the repository. Everything when absent.')),
    secretRef: credentials,
  }),
);

/** Where files come from. */
export const fileSource = {
  inline: optional(text('The text itself, in YAML.')),
  configMapRef: configMap,
  git,
};

const manifests = object('Manifests, from one source.', {
  ...fileSource,
  oci: optional(
    object('An artifact of an OCI registry.', {
      image: text('The repository, such as registry.example/shop/manifests.', { minLength: 1 }),
      tag: optional(text('The tag. Expressions are allowed.')),
      digest: optional(text('The digest. It wins over the tag.')),
      path: optional(text('A folder or a file of the artifact. Everything when absent.')),
      insecure,
      secretRef: credentials,
    }),
  ),
  helm: optional(
    object('A chart, rendered with the values.', {
      chart: text('The name of the chart, or for OCI its whole address.', { minLength: 1 }),
      repo: optional(text('The address of the repository. None for OCI.')),
      version: optional(text('The version, or a range. The newest when absent. Expressions are allowed.')),
      insecure,
      secretRef: credentials,
    }),
  ),
  kustomize: optional(
    object('A kustomization.', {
      git,
      path: optional(text('The folder with the kustomization. The top when absent.')),
    }),
  ),
});
export type ManifestSource = TypeOf<typeof manifests>;

const values = object('Values, from one source.', fileSource);
export type ValuesSource = TypeOf<typeof values>;
export const valuesSources = optional(list('Values. Later ones win, key by key.', values));

export const ServiceDefinition = defineKind({
  ...delivery,
  kind: 'ServiceDefinition',
  plural: 'servicedefinitions',
  shortNames: ['svcdef'],
  scope: 'Namespaced',
  description: 'A service: its manifests, the values for them, its artifacts and its variables.',
  spec: object('What the service is made of.', {
    deploymentType: optional(oneOf(['Kubernetes'], 'Always Kubernetes.', { default: 'Kubernetes' })),
    description: optional(text('What the service is.')),
    manifests: optional(list('The manifests, put together in this order.', manifests, { maxItems: 50 })),
    values: valuesSources,
    artifacts: optional(
      list(
        'What is deployed.',
        object('An artifact.', {
          name: text('The name of the artifact.', { minLength: 1 }),
          type: oneOf(['OCIImage', 'HelmChart', 'Git', 'Custom'], 'What it is.'),
          image: optional(text('Where it is: repository of an image or chart, or address of a git repository.')),
          chart: optional(text('The name of the chart, for HelmChart in a repository that is not OCI.')),
          tagFilter: optional(
            text(
              'Which tags: a pattern with "*", semver: and a range, or regex: and an expression. Of Git: the branch or tag. All when absent.',
            ),
          ),
          insecure,
          secretRef: credentials,
        }),
        { maxItems: 20 },
      ),
    ),
    variables: optional(
      list(
        'Variables: ${serviceVariable.<name>}.',
        object('A variable.', {
          ...variableFields,
          type: optional(oneOf(['Text', 'Encrypted'], 'Whether the value is ever shown.', { default: 'Text' })),
        }),
      ),
    ),
    skipVersioningForAllK8sObjects: optional(flag('Whether ConfigMaps and Secrets keep their names in every release.')),
  }),
  status: object(
    'What is known of the artifacts.',
    {
      artifactVersions: optional(
        list(
          'Versions that were seen, newest first.',
          object('A version.', {
            artifact: text('The name of the artifact.'),
            tag: text('The tag, version or branch.'),
            digest: optional(text('The digest or commit.')),
            seenAt: time('When it was first seen.'),
          }),
        ),
      ),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [readyColumn, { name: 'Newest', type: 'string', path: '.status.artifactVersions[0].tag' }, messageColumn('Ready'), ageColumn],
});
export type ServiceDefinition = ObjectFor<typeof ServiceDefinition>;

export const Environment = defineKind({
  ...delivery,
  kind: 'Environment',
  plural: 'environments',
  shortNames: ['env'],
  scope: 'Namespaced',
  description: 'An environment: whether it is production, and what it changes of services.',
  spec: object('What the environment is.', {
    type: oneOf(['Prod', 'NonProd'], 'Whether it is production.'),
    description: optional(text('What the environment is for.')),
    variables: optional(list('Variables: ${environmentVariable.<name>}.', variable)),
    serviceOverrides: optional(
      list(
        'What differs for services here.',
        object('What differs for one service, or for all.', {
          service: text('The name of the ServiceDefinition, or "*" for all.', { minLength: 1 }),
          variables: optional(list('Service variables with other values here.', variable)),
          values: valuesSources,
        }),
      ),
    ),
  }),
  status: object('What was observed.', conditions, notSeenYet),
  columns: [{ name: 'Type', type: 'string', path: '.spec.type' }, ageColumn],
});
export type Environment = ObjectFor<typeof Environment>;
