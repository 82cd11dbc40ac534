import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const lookEveryMs = 10_000;
/** Fewer changes than this between two looks is quiet. */
const quietChanges = 100;
/** So many changes leave enough behind to be worth collecting. */
const busyChanges = 10_000;

/**
 * Gives memory back after a busy time. V8 collects when it needs room; when the work is over it needs none, and would keep several times
 * what is alive for good.
 */
export function releaseMemoryWhenQuiet(store: { readonly revision: number }, collect = collector()): Disposable {
  let seenRevision = store.revision;
  let collectedRevision = 0;
  const timer = setInterval(() => {
    const { revision } = store;
    const isQuiet = revision - seenRevision < quietChanges;
    seenRevision = revision;
    if (!isQuiet || revision - collectedRevision < busyChanges) return;
    collectedRevision = revision;
    collect();
  }, lookEveryMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** The thorough collection of V8, which gives memory back to the system. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => Promise<void>;
  return () => void collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
}
