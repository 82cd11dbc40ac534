import { defineKind, type ObjectFor } from './define-kind.ts';
import { integer, list, object, oneOf, optional, text } from './schema.ts';

/** What the bytes of a Content are. */
export const contentTypes = {
  /** A packed Helm chart, gzipped. */
  chart: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip',
  /** Kubernetes objects as YAML documents. */
  manifests: 'application/yaml',
  /** A folder with a kustomization, as a gzipped tar. */
  kustomization: 'application/vnd.drover.kustomization.v1.tar+gzip',
} as const;

export type ContentType = (typeof contentTypes)[keyof typeof contentTypes];

/** Immutable bytes named by their digest, stored once and shared by all Works that name it. */
export const Content = defineKind({
  group: 'drover.io',
  version: 'v1alpha1',
  kind: 'Content',
  plural: 'contents',
  categories: ['drover'],
  scope: 'Cluster',
  description:
    'Immutable bytes named by their digest: a chart, a set of manifests or a folder to kustomize. Its name is "sha256-" and the digest in hex.',
  spec: object(
    'The bytes and what they are.',
    {
      type: oneOf(Object.values(contentTypes), 'What the bytes are.'),
      digest: text('The digest of all the bytes. Whoever reads them compares.', { pattern: '^sha256:[0-9a-f]{64}$' }),
      sizeBytes: integer('How many bytes there are.', { minimum: 0 }),
      // Not of format "byte": a real API server takes that for base64 of URLs as soon as there are rules, and refuses "+" and "/".
      data: optional(text('The bytes in base64. Absent when they are too many for one object: then parts hold them.')),
      parts: optional(list('Names of the Contents that hold the bytes, in order.', text('Name of a Content.'))),
      chart: optional(
        object('What the chart says of itself, for charts.', {
          name: text('The name of the chart.'),
          version: text('The version of the chart.'),
          appVersion: optional(text('The version of what the chart installs.')),
          description: optional(text('One line about the chart.')),
        }),
      ),
    },
    {
      rules: [
        { rule: 'has(self.data) != has(self.parts)', message: 'exactly one of data and parts is needed' },
        { rule: 'self.digest == oldSelf.digest && self.type == oldSelf.type', message: 'a content cannot be changed' },
      ],
    },
  ),
  rules: [
    { rule: "self.metadata.name == self.spec.digest.replace(':', '-')", message: 'the name must be the digest, as in "sha256-abc…"' },
  ],
  columns: [
    { name: 'Chart', type: 'string', path: '.spec.chart.name' },
    { name: 'Version', type: 'string', path: '.spec.chart.version' },
    { name: 'Type', type: 'string', path: '.spec.type', priority: 1 },
    { name: 'Bytes', type: 'integer', path: '.spec.sizeBytes' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type Content = ObjectFor<typeof Content>;

/** On Contents that people pushed to the chart store: those stay though no Work names them. */
export const storedChartLabel = 'drover.io/chart';

/** On Contents that somebody, such as a dialect, needs though no Work names them yet. Whoever put the label there takes it away again. */
export const heldContentLabel = (holder: string): string => `${heldContentPrefix}${holder}`;
export const heldContentPrefix = 'held.drover.io/';

export const contentName = (digest: string): string => digest.replace(':', '-');
