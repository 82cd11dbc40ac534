import { isUnderWay, phaseTone } from './phase-tone.ts';
import { StateBadge, words } from './state-badge.tsx';

/** How far a run, or a part of it, is. */
export function PhaseBadge({ phase, why }: { phase: string | undefined; why?: string | undefined }) {
  const word = phase ?? 'Queued';
  return <StateBadge tone={phaseTone(word)} word={words(word)} why={why} isBusy={isUnderWay(word)} />;
}
