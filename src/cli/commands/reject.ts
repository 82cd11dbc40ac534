import type { Command } from 'commander';
import { dryRunOption } from '../dry-run.ts';
import type { Terminal } from '../terminal.ts';
import { decide, type DecideOptions } from '../workflows/decide.ts';
import { addDeliveryOptions } from '../workflows/delivery-argument.ts';

export function defineReject(command: Command, terminal: Terminal): void {
  command
    .usage('[options] NAME | run/NAME')
    .argument('<approval...>', 'the ApprovalRequest, or the run that waits for one')
    .option('--comment <text>', 'why')
    .addOption(dryRunOption())
    .option('--rollback', 'roll back, whatever the failure strategy says');
  addDeliveryOptions(command).action((words: string[], { rollback = false, ...options }: DecideOptions & { rollback?: boolean }) =>
    decide(words, rollback ? 'RejectAndRollback' : 'Reject', options, terminal),
  );
}
