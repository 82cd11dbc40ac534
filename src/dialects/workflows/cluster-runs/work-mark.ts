import type { Work } from '../../../api/work.ts';
import { deliveryAnnotations } from '../names.ts';

export type Half = 'begin' | 'end';

/** What a Work holds, as its annotation says it. */
export interface WorkMark {
  readonly runUid: string;
  readonly grant: number;
  readonly half: Half;
}

export const printMark = ({ runUid, grant, half }: WorkMark): string => `${runUid}/${grant}/${half}`;

export function markOf(work: Work | undefined): WorkMark | undefined {
  const [runUid, grant, half] = (work?.metadata.annotations?.[deliveryAnnotations.grant] ?? '').split('/');
  if (!runUid || !/^[0-9]+$/.test(grant ?? '') || (half !== 'begin' && half !== 'end')) return undefined;
  return { runUid, grant: Number(grant), half };
}

/** Which half of a grant a Work holds; undefined when it holds something else. */
export function halfOf(work: Work | undefined, runUid: string, grant: number): Half | undefined {
  const mark = markOf(work);
  return mark?.runUid === runUid && mark.grant === grant ? mark.half : undefined;
}
