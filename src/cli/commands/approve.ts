import { Option, type Command } from 'commander';
import { decisionWords, type DecisionWord } from '../../dialects/workflows/kinds/approval-request.ts';
import { collectPair } from '../option-values.ts';
import { dryRunOption } from '../dry-run.ts';
import type { Terminal } from '../terminal.ts';
import { decide, type DecideOptions } from '../workflows/decide.ts';
import { addDeliveryOptions } from '../workflows/delivery-argument.ts';

export function defineApprove(command: Command, terminal: Terminal): void {
  command
    .usage('[options] NAME | run/NAME')
    .argument('<approval...>', 'the ApprovalRequest, or the run that waits for one')
    .option('--comment <text>', 'why')
    .addOption(dryRunOption())
    .option('--var <name=value>', 'fill in a variable that is asked for', collectPair, {})
    .addOption(new Option('--decision <word>', 'what to do, where a step has failed').choices(decisionWords).default('Approve'));
  addDeliveryOptions(command)
    .addHelpText('after', '\n"drover get approvalrequests" lists what waits for somebody.')
    .action((words: string[], { decision, ...options }: DecideOptions & { decision: DecisionWord }) =>
      decide(words, decision, options, terminal),
    );
}
