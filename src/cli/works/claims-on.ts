import type { Work } from '../../api/work.ts';
import { priorityOf, rankClaims } from '../../core/works/claims.ts';
import { isChart, releaseKeyOf } from '../../core/works/work-indexes.ts';
import { describeSource } from './describe-source.ts';

/** One Work that wants to deliver a release. */
export interface Claim {
  readonly work: string;
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
export function claimsOn(work: Work, works: readonly Work[]): Claim[] {
  if (!isChart(work)) return [];
  const key = releaseKeyOf(work);
  const { winner, losers, planners, leaving } = rankClaims(works.filter(one => isChart(one) && releaseKeyOf(one) === key));
  const claim = (one: Work, standing: Claim['standing']): Claim => ({
    work: one.metadata.name ?? '',
    priority: priorityOf(one),
    since: one.metadata.creationTimestamp ?? '',
    source: describeSource(one),
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

/** What would become of the release without the Work that has it. */
export function ifTheWinnerLeft(claims: readonly Claim[]): string {
  const winner = claims.find(({ standing }) => standing === 'Winner');
  const next = claims.find(({ standing }) => standing === 'Next');
  const planner = claims.find(({ standing }) => standing === 'Planning');
  if (!winner) return planner ? 'Nobody delivers the release: the claim that is left only plans.' : 'Nobody claims the release any more.';
  const left = `If work ${JSON.stringify(winner.work)} left,`;
  if (next)
    return `${left} work ${JSON.stringify(next.work)} would take the release over in place with ${next.source}: by an upgrade, without an uninstall.`;
  if (planner)
    return `${left} the release would stay as it is: work ${JSON.stringify(planner.work)}, which only plans, keeps it from being uninstalled.`;
  if (winner.keepsWhenLast) return `${left} the release would stay on the cluster as it is, since its spec.onDelete is Keep.`;
  return `${left} the release would be uninstalled: there is no other claim on it.`;
}
