import type { Work } from '../../../api/work.ts';

/** One who wants a release on a cluster. */
export interface Claim {
  readonly work: string;
  /** `MultiClusterService web`, or the Work itself where nobody is named. */
  readonly owner: string;
  readonly priority: number;
  readonly since: string | undefined;
  readonly standing: 'has it' | 'waits' | 'only plans' | 'is leaving';
  readonly keepsWhenLast: boolean;
}

const ownerAnnotation = 'drover.io/owner';
const standings = ['has it', 'waits', 'only plans', 'is leaving'] as const;

/** All who want a release of a chart, whoever has it first. Who has it is what the hub says: those that do not, name who outranks them. */
export function claimsOn(works: readonly Work[], release: string): readonly Claim[] {
  return works
    .filter(({ spec }) => spec.chart !== undefined && `${spec.release.namespace}/${spec.release.name}` === release)
    .map(({ metadata, spec, status }): Claim => {
      const standing =
        metadata.deletionTimestamp !== undefined
          ? 'is leaving'
          : spec.sync === 'DryRun'
            ? 'only plans'
            : status?.outrankedBy
              ? 'waits'
              : 'has it';
      return {
        work: metadata.name ?? '',
        owner: metadata.annotations?.[ownerAnnotation] ?? `Work ${metadata.name}`,
        priority: spec.priority ?? 100,
        since: metadata.creationTimestamp,
        standing,
        keepsWhenLast: spec.onDelete === 'Keep',
      };
    })
    .toSorted((a, b) => standings.indexOf(a.standing) - standings.indexOf(b.standing) || b.priority - a.priority);
}

/** What would become of the release without whoever has it. */
export function ifTheWinnerLeft(claims: readonly Claim[]): string {
  const winner = claims.find(one => one.standing === 'has it');
  const next = claims.find(one => one.standing === 'waits');
  if (!winner) return 'Nobody has the release at the moment.';
  if (next) return `If ${winner.owner} left, ${next.owner} would take the release over in place: by an upgrade, without an uninstall.`;
  if (winner.keepsWhenLast) return `If ${winner.owner} left, the release would stay as it is.`;
  return `If ${winner.owner} left, the release would be uninstalled: nobody else wants it.`;
}
