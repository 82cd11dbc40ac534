import type { Command } from 'commander';
import { isTerminal } from '../../dialects/workflows/kinds/workflow-run.ts';
import type { Terminal } from '../terminal.ts';
import { defineState } from '../workflows/set-state.ts';

export function defineResume(command: Command, terminal: Terminal): void {
  defineState(command, terminal, {
    state: 'Run',
    done: 'resumed',
    whyNot(phase, state) {
      if (isTerminal(phase)) return `a run that is ${phase} cannot go on`;
      return state === 'Run' && phase !== 'Paused' ? 'it is not paused' : undefined;
    },
  }).addHelpText('after', '\nAlso begins a run that was made with --initialize.');
}
