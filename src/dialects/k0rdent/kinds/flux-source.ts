import { inert } from '../../../api/inert-fields.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { flag, list, object, oneOf, openObject, optional, text } from '../../../api/schema.ts';
import { statusConditions } from './group.ts';

const secretRef = optional(object('The Secret with the credentials.', { name: text('Its name.') }));

const common = {
  interval: optional(text('How often to look for something newer, such as "10m".')),
  timeout: optional(text('How long a look may take.')),
  suspend: optional(flag('Whether to stay with what is there.')),
  secretRef,
  certSecretRef: optional(object('The Secret with certificates.', { name: text('Its name.') })),
  ignore: optional(text('Files to leave out, as .gitignore writes them.')),
};

const verify = optional(
  openObject('Who must have signed it. Nobody when absent.', {
    provider: optional(text('How it is signed: "cosign", which is the default, is understood.')),
    secretRef: optional(
      object('The Secret with the public keys, under names that end in ".pub". One of them must fit.', { name: text('Its name.') }),
    ),
  }),
);

const status = openObject('What was found.', {
  artifact: optional(
    openObject('The bytes.', {
      digest: optional(text('Their digest.')),
      revision: optional(text('Their revision.')),
      url: optional(text('Where they are.')),
      path: optional(text('Their path.')),
      lastUpdateTime: optional(text('When they came.')),
    }),
  ),
  url: optional(text('Where the artifact is.')),
  lastHandledReconcileAt: optional(text('The last wish for a look at once that was fulfilled, as its annotation said it.')),
  ...statusConditions,
});

/** On sources that must be signed: whether they are. */
export const verifiedCondition = 'SourceVerified';

const columns = (first: { name: string; path: string }) =>
  [
    { ...first, type: 'string' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
    { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Status', type: 'string', path: '.status.conditions[?(@.type=="Ready")].message' },
  ] as const;
const url = { name: 'URL', path: '.spec.url' };

export const flux = { group: 'source.toolkit.fluxcd.io', version: 'v1', scope: 'Namespaced', status } as const;

export const HelmRepository = defineKind({
  ...flux,
  kind: 'HelmRepository',
  plural: 'helmrepositories',
  shortNames: ['helmrepo'],
  description: 'HelmRepository is a repository of charts.',
  spec: openObject('Where it is.', {
    ...common,
    url: text('Its address, https:// or oci://, or "hub" for the charts that the hub stores itself.', {
      pattern: '^(hub|(http|https|oci)://.*)$',
    }),
    type: optional(text('"oci" for registries.')),
    passCredentials: optional(flag(inert('Whether other hosts get the credentials.', 'they never do'))),
    insecure: optional(flag('Whether plain HTTP is allowed.')),
    provider: optional(text('Who gives credentials.')),
  }),
  columns: columns(url),
});
export type HelmRepository = ObjectFor<typeof HelmRepository>;

export const GitRepository = defineKind({
  ...flux,
  kind: 'GitRepository',
  plural: 'gitrepositories',
  shortNames: ['gitrepo'],
  description: 'GitRepository is a repository of git.',
  spec: openObject('Where it is.', {
    ...common,
    url: text('Its address, https:// or ssh://.', { pattern: '^(http|https|ssh)://.*$' }),
    ref: optional(
      openObject('Which commit. The branch "master" when absent.', {
        branch: optional(text('The newest of a branch.')),
        tag: optional(text('A tag.')),
        semver: optional(text('The newest tag in a range.')),
        name: optional(text('A reference.')),
        commit: optional(text('A commit.')),
      }),
    ),
  }),
  columns: columns(url),
});
export type GitRepository = ObjectFor<typeof GitRepository>;

export const OCIRepository = defineKind({
  ...flux,
  kind: 'OCIRepository',
  plural: 'ocirepositories',
  shortNames: ['ocirepo'],
  description: 'OCIRepository is an artifact in a registry.',
  spec: openObject('Where it is.', {
    ...common,
    url: text('Its address.', { pattern: '^oci://.*$' }),
    ref: optional(
      openObject('Which version. The tag "latest" when absent.', {
        digest: optional(text('A digest.')),
        semver: optional(text('The newest tag in a range.')),
        tag: optional(text('A tag.')),
      }),
    ),
    layerSelector: optional(
      openObject('Which layer. The one of the usual type when absent.', {
        mediaType: optional(text('Its media type.')),
        operation: optional(text('What to do with it: "extract", which is the default, is understood.')),
      }),
    ),
    verify,
    insecure: optional(flag('Whether plain HTTP is allowed.')),
  }),
  columns: columns(url),
});
export type OCIRepository = ObjectFor<typeof OCIRepository>;

export const Bucket = defineKind({
  ...flux,
  kind: 'Bucket',
  plural: 'buckets',
  description: 'Bucket is a bucket of an object store.',
  spec: openObject('Where it is.', {
    ...common,
    bucketName: text('Its name.'),
    endpoint: text('The host of the store, with a port where it needs one.'),
    prefix: optional(text('Only objects whose keys begin so.')),
    region: optional(text('The region.')),
    insecure: optional(flag('Whether plain HTTP is allowed.')),
    provider: optional(text('Whose store it is: "generic", which is the default, or "aws".')),
  }),
  columns: columns({ name: 'Endpoint', path: '.spec.endpoint' }),
});
export type Bucket = ObjectFor<typeof Bucket>;

const sourceRef = object('The source.', {
  kind: text('Its kind.'),
  name: text('Its name.'),
  apiVersion: optional(text('Its API version.')),
});

export const HelmChart = defineKind({
  ...flux,
  kind: 'HelmChart',
  plural: 'helmcharts',
  shortNames: ['hc'],
  description: 'HelmChart is a chart of a source.',
  spec: openObject('Which chart.', {
    chart: text('Its name in a repository, its folder elsewhere.'),
    version: optional(text('The version, or a range of versions.', { default: '*' })),
    sourceRef,
    interval: optional(text('How often to look for a newer one.')),
    suspend: optional(flag('Whether to stay with what is there.')),
    reconcileStrategy: optional(
      oneOf(['ChartVersion', 'Revision'], 'What makes a chart of git or of a bucket new: another version, or any change.', {
        default: 'ChartVersion',
      }),
    ),
    valuesFiles: optional(list('Files of the chart with values, later ones win.', text('A path.'))),
    ignoreMissingValuesFiles: optional(flag('Whether they may be missing.')),
    verify,
  }),
  columns: columns({ name: 'Chart', path: '.spec.chart' }),
});
export type HelmChart = ObjectFor<typeof HelmChart>;

export const fluxSources = [HelmRepository, GitRepository, OCIRepository, Bucket, HelmChart] as const;
