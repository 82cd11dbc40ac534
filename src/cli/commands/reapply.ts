import { Option, type Command } from 'commander';
import { Work } from '../../api/work.ts';
import { reapplyPatch, whyNotReapplied } from '../../api/why-not-reapplied.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { CommandError } from '../exit-codes.ts';
import { connectToHub } from '../hub-client.ts';
import { parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { findWork } from '../works/find-work.ts';
import { waitUntilDelivered } from '../works/wait-until-delivered.ts';
import { addWorkOptions, parseOnlyWork, type WorkOptions } from '../works/work-argument.ts';

interface ReapplyOptions extends WorkOptions {
  dryRun: DryRun;
  wait?: boolean;
  timeout: number;
}

const fieldManager = 'drover-reapply';

export function defineReapply(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME')
    .argument('<work...>', 'which Work')
    .addOption(dryRunOption())
    .option('--wait', 'wait until it is delivered and healthy')
    .addOption(new Option('--timeout <time>', 'how long to wait').argParser(parseSeconds).default(300_000, '5m'));
  addWorkOptions(command)
    .addHelpText(
      'after',
      '\nPuts everything that the Work delivers on the member once more, though nothing of\n' +
        'it has changed: what others changed there is put right. A chart gets a new revision\n' +
        'of its release. "drover diff" shows what would change.',
    )
    .action((words: string[], options: ReapplyOptions) => reapply(words, options, terminal));
}

async function reapply(words: string[], options: ReapplyOptions, terminal: Terminal): Promise<void> {
  const name = parseOnlyWork(words);
  const { dryRun } = options;
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const { work, namespace } = await findWork(hub, { name, cluster: options.cluster, namespace: options.namespace }, terminal);
  const why = whyNotReapplied(work);
  if (why !== undefined)
    throw new CommandError(`work ${JSON.stringify(name)} cannot be applied again: ${why}`, {
      hint: `"drover explain work/${name} -n ${namespace}" says more`,
    });
  const call = { fieldManager, dryRun: dryRun === 'server', signal };
  if (dryRun !== 'client') await hub.client.patch(Work, { namespace, name }, { type: 'merge', body: reapplyPatch(new Date()) }, call);
  terminal.out(`work.drover.io/${name} reapplied${dryRunMark(dryRun)}\n`);
  if (options.wait && dryRun === 'none') await waitUntilDelivered(hub.client, { namespace, name }, options.timeout, terminal);
}
