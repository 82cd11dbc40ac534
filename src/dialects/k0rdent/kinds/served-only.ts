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
}

const served: readonly Served[] = [
  {
    kind: 'ProviderInterface',
    plural: 'providerinterfaces',
    scope: 'Cluster',
    shortNames: ['pi'],
    columns: [column('Description', '.spec.description')],
  },
  { kind: 'ClusterIPAMClaim', plural: 'clusteripamclaims', columns: [column('bound', '.status.bound'), ageColumn] },
  { kind: 'ClusterIPAM', plural: 'clusteripams', columns: [column('phase', '.status.phase'), ageColumn] },
  { kind: 'DataSource', plural: 'datasources', hasStatus: false },
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
  },
  { kind: 'ClusterAuthentication', plural: 'clusterauthentications', shortNames: ['clauth'] },
  { kind: 'ClusterAuditPolicy', plural: 'clusterauditpolicies', hasStatus: false },
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

/** Kinds that are kept for those who write them, and that nothing here acts upon. */
export const servedOnly: readonly Kind[] = served.map(({ kind, plural, scope, shortNames, columns, hasStatus }) =>
  defineKind({
    ...k0rdent,
    kind,
    plural,
    scope: scope ?? 'Namespaced',
    description: `${kind} of k0rdent. Kept as it is written; this hub does not act upon it.`,
    spec: openObject('Kept as it is written.', {}),
    ...(hasStatus !== false && { status: openObject('Kept as it is written.', {}) }),
    ...(shortNames && { shortNames }),
    ...(columns && { columns }),
  }),
);
