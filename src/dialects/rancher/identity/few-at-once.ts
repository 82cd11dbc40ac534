import { tooManyRequests } from '../../../api/status.ts';
import { bounded } from '../../../util/map-bounded.ts';

const atOnce = 2;
const maxWaiting = 50;

/** Each check of a password takes 19 MiB and a thread for a while. Those who come when too many wait are sent away with 429. */
export function fewAtOnce(): <R>(work: () => Promise<R>) => Promise<R> {
  const run = bounded(atOnce);
  let present = 0;
  return async work => {
    if (present >= atOnce + maxWaiting) throw tooManyRequests('too many people sign in at the moment', 1);
    present++;
    try {
      return await run(work);
    } finally {
      present--;
    }
  };
}
