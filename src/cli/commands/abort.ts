import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { defineState, notWhenOver } from '../workflows/set-state.ts';

export function defineAbort(command: Command, terminal: Terminal): void {
  defineState(command, terminal, { state: 'Abort', done: 'aborted', whyNot: notWhenOver('aborted') }).addHelpText(
    'after',
    '\nStops at once and undoes nothing. "drover rollback run/NAME" undoes.',
  );
}
