import type { Verdict } from '../gates/judge.ts';
import type { Party } from './barrier-parties.ts';

/** A barrier is passed by all together. Whoever cannot come any more keeps the others from it: they fail as well. */
export function judgeBarrier(identifier: string, parties: readonly Party[]): Verdict {
  if (parties.length === 0) return { phase: 'Successful', message: `No other run comes to barrier "${identifier}"` };
  const lost = parties.find(({ standing }) => standing === 'Lost');
  if (lost) return failed(`${lost.title} is ${lost.phase} and never came to it`);
  const behind = parties.find(({ standing }) => standing === 'Behind');
  if (behind)
    return failed(`${behind.title} waits in the queue for this run to end; give one of the two workflows another spec.concurrency`);
  const coming = parties.filter(({ standing }) => standing === 'Coming').map(({ title }) => title);
  if (coming.length === 0) return { phase: 'Successful', message: `All ${parties.length + 1} runs are at barrier "${identifier}"` };
  const more = coming.length > 3 ? ` and ${coming.length - 3} more` : '';
  return { phase: 'Running', message: `At barrier "${identifier}", waiting for ${coming.slice(0, 3).join(', ')}${more}` };

  function failed(why: string): Verdict {
    return { phase: 'Failed', message: `Barrier "${identifier}" cannot be passed: ${why}`, failureType: 'ApplicationError' };
  }
}
