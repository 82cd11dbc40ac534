import type { Work } from '../../api/work.ts';
import { compareTexts } from '../../util/compare-texts.ts';

/** Works that want the same thing on the same member, in order: the first has it. */
export interface RankedClaims {
  /** Has, or is to have, what is contested. */
  readonly winner: Work | undefined;
  /** Get it when the winner goes, the first of them first. */
  readonly losers: readonly Work[];
  /** Tell what they would do, and take part in nothing. */
  readonly planners: readonly Work[];
  /** Are being deleted. */
  readonly leaving: readonly Work[];
  /** Whether anybody is left who wants it. While that is so nothing is uninstalled. */
  readonly isClaimed: boolean;
}

const defaultPriority = 100;

export const priorityOf = ({ spec }: Work): number => spec.priority ?? defaultPriority;

export const isLeaving = ({ metadata }: Work): boolean => metadata.deletionTimestamp !== undefined;

/** Negative when the first outranks the second: more priority, else older, else the smaller uid, so that no two are equal. */
export function compareClaims(a: Work, b: Work): number {
  return (
    priorityOf(b) - priorityOf(a) ||
    compareTexts(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareTexts(a.metadata.uid ?? '', b.metadata.uid ?? '')
  );
}

/** As compareClaims, but of equal priorities the one that has the release keeps it: a priority that was raised must be higher to take over. */
function compareHolders(a: Work, b: Work): number {
  return priorityOf(b) - priorityOf(a) || Number(hasRelease(b)) - Number(hasRelease(a)) || compareClaims(a, b);
}

/** Whoever is outranked has let go of what was delivered. */
const hasRelease = ({ status }: Work): boolean => status?.delivered !== undefined;

/**
 * Who has a release, and what becomes of the others. A Work that is suspended holds its place. One that only plans holds none; what it delivered before
 * that is not uninstalled while it stays.
 */
export function rankClaims(works: readonly Work[]): RankedClaims {
  const staying = works.filter(work => !isLeaving(work)).sort(compareHolders);
  const [winner, ...losers] = staying.filter(competes);
  return {
    winner,
    losers,
    planners: staying.filter(work => !competes(work)),
    leaving: works.filter(isLeaving).sort(compareClaims),
    isClaimed: staying.some(holds),
  };
}

export const competes = (work: Work): boolean => !isLeaving(work) && work.spec.sync !== 'DryRun';

/** Whether nothing that the Work wants may be removed. */
export const holds = (work: Work): boolean => competes(work) || (!isLeaving(work) && work.status?.delivered !== undefined);
