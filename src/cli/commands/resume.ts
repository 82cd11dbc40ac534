import type { Command } from 'commander';
import { PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import { isTerminal } from '../../dialects/workflows/kinds/workflow-run.ts';
import { dryRunOption } from '../dry-run.ts';
import { usageError } from '../exit-codes.ts';
import { connectToHub } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';
import { addDeliveryOptions, parseRun, type ChangeOptions } from '../workflows/delivery-argument.ts';
import { findRun } from '../workflows/find-run.ts';
import { setState } from '../workflows/set-state.ts';

interface ResumeOptions extends ChangeOptions {
  readonly from?: string;
}

export function defineResume(command: Command, terminal: Terminal): void {
  command
    .usage('[options] run/NAME')
    .argument('<run...>', 'which run, of a workflow or of a pipeline')
    .option('--from <stage>', 'let a pipeline that failed go on from this stage')
    .addOption(dryRunOption());
  addDeliveryOptions(command)
    .addHelpText('after', '\nAlso begins a run that was made with --initialize.')
    .action((words: string[], options: ResumeOptions) => resume(words, options, terminal));
}

async function resume(words: string[], options: ResumeOptions, terminal: Terminal): Promise<void> {
  const named = parseRun(words);
  await using hub = await connectToHub(options, terminal);
  const found = await findRun(hub, named, options, terminal.signal);
  const { from } = options;
  if (from !== undefined && found.kind.kind !== PipelineRun.kind) throw usageError('--from is for pipelines');
  const whyNot = (phase: string, state: string) => {
    if (from !== undefined) return isTerminal(phase) ? undefined : `a run that is ${phase} goes on by itself`;
    if (isTerminal(phase)) return `a run that is ${phase} cannot go on`;
    return state === 'Run' && phase !== 'Paused' ? 'it is not paused' : undefined;
  };
  const fields = from === undefined ? {} : { resumeFrom: from, notes: `Resumed from ${from} at ${new Date().toISOString()}` };
  await setState(hub, found, { state: 'Run', fields, dryRun: options.dryRun, done: 'resumed', whyNot }, terminal);
}
