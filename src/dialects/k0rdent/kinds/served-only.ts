import { inert } from '../../../api/inert-fields.ts';
import { defineKind, type Kind } from '../../../api/define-kind.ts';
import type { Column } from '../../../api/define-kind.ts';
import { openObject } from '../../../api/schema.ts';
import { ageColumn, k0rdent } from './group.ts';

const column = (name: string, path: string, priority?: number): Column => ({
  name,
  type: 'string',
  path,
  ...(priority !== undefined && { priority }),
});

interface Served {
  readonly kind: string;
  readonly plural: string;
  readonly scope?: 'Cluster';
  readonly shortNames?: readonly string[];
  readonly columns?: readonly Column[];
  readonly hasStatus?: false;
  /** What the hub does with it. Nothing when absent. */
  readonly use?: string;
}

const served: readonly Served[] = [
  {
    kind: 'ProviderInterface',
    plural: 'providerinterfaces',
    scope: 'Cluster',
    shortNames: ['pi'],
    columns: [column('Description', '.spec.description')],
  },
  {
    kind: 'ClusterIPAMClaim',
    plural: 'clusteripamclaims',
    columns: [column('bound', '.status.bound'), ageColumn],
    use: 'Made for a ClusterDeployment that asks for addresses, which waits until somebody else has bound it.',
  },
  {
    kind: 'ClusterIPAM',
    plural: 'clusteripams',
    columns: [column('phase', '.status.phase'), ageColumn],
    use: 'What it says of its providers goes into the config of the ClusterDeployment.',
  },
  { kind: 'DataSource', plural: 'datasources', hasStatus: false, use: 'ClusterDeployments name it.' },
  {
    kind: 'ClusterDataSource',
    plural: 'clusterdatasources',
    shortNames: ['clds'],
    columns: [
      column('DataSource', '.spec.dataSource'),
      column('Schema', '.spec.schema'),
      column('Ready', '.status.ready'),
      column('Error', '.status.error', 1),
      ageColumn,
    ],
    use: 'Made for a ClusterDeployment with a DataSource, which waits until somebody else has made it ready.',
  },
  {
    kind: 'ClusterAuthentication',
    plural: 'clusterauthentications',
    shortNames: ['clauth'],
    use: 'Written to a Secret for the charts of the ClusterDeployments that name it.',
  },
  {
    kind: 'ClusterAuditPolicy',
    plural: 'clusterauditpolicies',
    hasStatus: false,
    use: 'Written to a ConfigMap for the charts of the ClusterDeployments that name it.',
  },
  {
    kind: 'ManagementBackup',
    plural: 'managementbackups',
    scope: 'Cluster',
    shortNames: ['kcmbackup', 'mgmtbackup'],
    columns: [
      column('LastBackupStatus', '.status.lastBackup.phase'),
      column('NextBackup', '.status.nextAttempt'),
      ageColumn,
      column('SinceLastBackup', '.status.lastBackupTime', 1),
      column('Error', '.status.error', 1),
    ],
  },
];

/** Kinds that are kept for those who write them, and of which at most others are made. */
export const servedOnly: readonly Kind[] = served.map(({ kind, plural, scope, shortNames, columns, hasStatus, use }) =>
  defineKind({
    ...k0rdent,
    kind,
    plural,
    scope: scope ?? 'Namespaced',
    description: `${kind} of k0rdent. ${use ?? 'Kept as it is written; this hub does not act upon it.'}`,
    spec: openObject(use === undefined ? inert('Kept as it is written.') : 'Kept as it is written.', {}),
    ...(hasStatus !== false && { status: openObject('Kept as it is written.', {}) }),
    ...(shortNames && { shortNames }),
    ...(columns && { columns }),
  }),
);

/** One of them. */
export function servedKind(
  kind: 'ClusterIPAMClaim' | 'ClusterIPAM' | 'DataSource' | 'ClusterDataSource' | 'ClusterAuthentication' | 'ClusterAuditPolicy',
): Kind {
  return servedOnly.find(one => one.kind === kind)!;
}
