import type { RollbackOptions } from '../commands/rollback.ts';
import { connectToHub } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';
import { isRunType, parseRun } from './delivery-argument.ts';
import { findRun } from './find-run.ts';
import { followRun } from './follow-run.ts';
import { judgeEnd } from './judge-end.ts';
import { setState } from './set-state.ts';

const finalPhases = ['RolledBack', 'Rejected', 'Expired'];

/** Whether the words of `drover rollback` name a run. */
export const isRunWord = ([first = '']: readonly string[]): boolean => isRunType(first.split('/')[0]!);

/** Undoes a run of a workflow or of a pipeline. */
export async function rollBackRun(words: readonly string[], options: RollbackOptions, terminal: Terminal): Promise<void> {
  const named = parseRun(words);
  await using hub = await connectToHub(options, terminal);
  const found = await findRun(hub, named, options, terminal.signal);
  // What is wanted already is no change, and the hub looks only at changes.
  const isAgain = found.run.spec.state === 'Rollback';
  await setState(
    hub,
    found,
    {
      state: 'Rollback',
      dryRun: options.dryRun,
      ...(isAgain && { fields: { notes: `Rolled back again at ${new Date().toISOString()}` } }),
      done: 'is being rolled back',
      whyNot: phase => (finalPhases.includes(phase) ? `a run that is ${phase} cannot be rolled back` : undefined),
    },
    terminal,
  );
  if (options.wait !== true || options.dryRun !== 'none') return;
  const ended = await followRun(hub.client, found, terminal, { timeoutMs: options.timeout, isNew: false });
  judgeEnd(ended, found.title, 'RolledBack');
}
