import type { Command } from 'commander';
import type { Terminal } from '../terminal.ts';
import { defineState, notWhenOver } from '../workflows/set-state.ts';

export function definePause(command: Command, terminal: Terminal): void {
  defineState(command, terminal, { state: 'Pause', done: 'paused', whyNot: notWhenOver('paused') }).addHelpText(
    'after',
    '\nNo cluster, step or gate begins any more; what is under way ends its step.\n"drover resume" goes on.',
  );
}
