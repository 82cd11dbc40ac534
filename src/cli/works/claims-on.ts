import { workAnnotations, type Work } from '../../api/work.ts';
import { priorityOf, rankClaims } from '../../core/works/claims.ts';
import { isChart, releaseKeyOf } from '../../core/works/work-indexes.ts';
import { describeSource } from './describe-source.ts';

/** One Work that wants to deliver a release. */
export interface Claim {
  readonly work: string;
  /** Whose Work it is, where a dialect says so: "MultiClusterService global-ingress". */
  readonly owner: string | null;
  readonly priority: number;
  /** When it was made: the older of two equals wins. */
  readonly since: string;
  readonly source: string;
  /** `Leaving`: the Work is being deleted. `Planning`: it only tells what it would do. */
  readonly standing: 'Winner' | 'Next' | 'Planning' | 'Leaving';
  readonly isThis: boolean;
  /** Holds its place and delivers nothing. */
  readonly isSuspended: boolean;
  readonly keepsWhenLast: boolean;
}

/** All claims on the release of a chart, the highest first. Other Works compete object by object and have none. */
export function claimsOn(work: Work, works: readonly Work[], sourceOf: (work: Work) => string = describeSource): Claim[] {
  if (!isChart(work)) return [];
  const key = releaseKeyOf(work);
  const { winner, losers, planners, leaving } = rankClaims(works.filter(one => isChart(one) && releaseKeyOf(one) === key));
  const claim = (one: Work, standing: Claim['standing']): Claim => ({
    work: one.metadata.name ?? '',
    owner: one.metadata.annotations?.[workAnnotations.owner] ?? null,
    priority: priorityOf(one),
    since: one.metadata.creationTimestamp ?? '',
    source: sourceOf(one),
    standing,
    isThis: one.metadata.uid === work.metadata.uid,
    isSuspended: one.spec.suspend ?? false,
    keepsWhenLast: one.spec.onDelete === 'Keep',
  });
  return [
    ...(winner ? [claim(winner, 'Winner')] : []),
    ...losers.map(one => claim(one, 'Next')),
    ...planners.map(one => claim(one, 'Planning')),
    ...leaving.map(one => claim(one, 'Leaving')),
  ];
}

export const whoClaims = ({ owner, work }: Claim): string => owner ?? `work ${JSON.stringify(work)}`;

const standings = { Winner: 'has the release', Next: 'waits', Planning: 'only plans', Leaving: 'is being deleted' } as const;

export function standingText({ standing, isSuspended, isThis }: Claim): string {
  return `${standings[standing]}${isSuspended ? ', suspended' : ''}${isThis ? ' (this one)' : ''}`;
}

/** Why the claim that has the release has it, and not another. */
export function whyTheWinner(claims: readonly Claim[]): string {
  const winner = claims.find(({ standing }) => standing === 'Winner');
  const next = claims.find(({ standing }) => standing === 'Next');
  if (!winner) return 'Nobody has the release: no claim on it is one that delivers.';
  if (!next) return `It is with ${whoClaims(winner)}, since nobody else wants to deliver it.`;
  if (winner.priority > next.priority) return `It is with ${whoClaims(winner)}, since ${winner.priority} is the highest priority.`;
  return `It is with ${whoClaims(winner)}: of equal priorities the one that has a release keeps it.`;
}

/** What would become of the release without this one, when it is another that has it. */
export function ifThisLeft(claims: readonly Claim[]): string[] {
  const winner = claims.find(({ standing }) => standing === 'Winner');
  const own = claims.find(({ isThis }) => isThis);
  if (!winner || !own || own.standing === 'Winner') return [];
  return [`If ${whoClaims(own)} left, nothing would change: ${whoClaims(winner)} has the release.`];
}

/** What would become of the release without the Work that has it. */
export function ifTheWinnerLeft(claims: readonly Claim[]): string {
  const winner = claims.find(({ standing }) => standing === 'Winner');
  const next = claims.find(({ standing }) => standing === 'Next');
  const planner = claims.find(({ standing }) => standing === 'Planning');
  if (!winner) return planner ? 'Nobody delivers the release: the claim that is left only plans.' : 'Nobody claims the release any more.';
  const left = `If ${whoClaims(winner)} left,`;
  if (next)
    return `${left} ${whoClaims(next)} would take the release over in place with ${next.source}: by an upgrade, without an uninstall.`;
  if (planner) return `${left} the release would stay as it is: ${whoClaims(planner)}, which only plans, keeps it from being uninstalled.`;
  if (winner.keepsWhenLast) return `${left} the release would stay on the cluster as it is, since its spec.onDelete is Keep.`;
  return `${left} the release would be uninstalled: there is no other claim on it.`;
}
