import type { Work } from '../../api/work.ts';
import { refKey } from '../delivery/object-ref.ts';
import { isLeaving } from '../works/claims.ts';
import { isChart } from '../works/work-indexes.ts';

/** Keys of objects that other Works of the cluster without a chart want too: they pass to those instead of being deleted. */
export function objectsOfOthers(work: Work, works: readonly Work[]): Set<string> {
  if (isChart(work)) return new Set();
  const others = works.filter(one => one.metadata.uid !== work.metadata.uid && !isLeaving(one) && !isChart(one));
  return new Set(others.flatMap(({ status }) => status?.objects ?? []).map(refKey));
}
