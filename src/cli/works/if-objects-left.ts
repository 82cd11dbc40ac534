import type { Work } from '../../api/work.ts';
import { refKey, refText, type ObjectRef } from '../../core/delivery/object-ref.ts';
import { compareClaims, competes } from '../../core/works/claims.ts';
import { isChart } from '../../core/works/work-indexes.ts';

/** Objects that are named one by one. */
const maxNamed = 3;

/** What would become of the objects of a Work without a chart if it left. */
export function ifObjectsLeft(work: Work, works: readonly Work[]): string {
  const own = (work.status?.objects ?? []).filter(({ outrankedBy }) => outrankedBy === undefined);
  if (own.length === 0) return 'If it left, nothing would change on the cluster: it has no objects there.';
  const others = works.filter(one => one.metadata.uid !== work.metadata.uid && !isChart(one) && competes(one)).sort(compareClaims);
  const heirOf = (ref: ObjectRef) => others.find(({ status }) => status?.objects?.some(object => refKey(object) === refKey(ref)));
  const passing = own.flatMap(ref => {
    const heir = heirOf(ref);
    return heir ? [`${refText(ref)} would pass to work ${JSON.stringify(heir.metadata.name)}`] : [];
  });
  const rest = own.length - passing.length;
  const named =
    passing.length > maxNamed ? [...passing.slice(0, maxNamed), `${passing.length - maxNamed} more would pass to others`] : passing;
  return `If it left, ${[...named, ...restWords(work, rest, passing.length)].join(', ')}.`;
}

function restWords({ spec }: Work, rest: number, passing: number): string[] {
  if (rest === 0) return [];
  const which = passing === 0 ? (rest === 1 ? 'its object' : `its ${rest} objects`) : rest === 1 ? 'the other one' : `the other ${rest}`;
  return [spec.onDelete === 'Keep' ? `${which} would stay, since spec.onDelete is Keep` : `${which} would be deleted`];
}
