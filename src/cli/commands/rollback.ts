import { Option, type Command } from 'commander';
import type { ControllerRevision } from '../../api/builtin-kinds.ts';
import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';
import { endUnchanged, errorUnchangedOption, type UnchangedOptions } from '../error-unchanged.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { connectToHub } from '../hub-client.ts';
import { parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { findWork } from '../works/find-work.ts';
import { patchTo } from '../works/restore-revision.ts';
import { waitUntilDelivered } from '../works/wait-until-delivered.ts';
import { addWorkOptions, parseWorkArgument, type WorkOptions } from '../works/work-argument.ts';
import { readRevisions } from '../works/work-revisions.ts';

export interface RollbackOptions extends WorkOptions, UnchangedOptions {
  dryRun: DryRun;
  wait?: boolean;
  timeout: number;
}

const fieldManager = 'drover-rollback';

export function defineRollback(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME [REVISION] | run/NAME')
    .argument(
      '<work-or-run...>',
      'which Work, and the revision to go back to (default: the one before the present one); or which run of a workflow',
    )
    .addOption(dryRunOption())
    .addOption(errorUnchangedOption())
    .option('--wait', 'wait until it is delivered and healthy')
    .addOption(new Option('--timeout <time>', 'how long to wait').argParser(parseSeconds).default(300_000, '5m'));
  addWorkOptions(command)
    .addHelpText(
      'after',
      '\nPuts the chart, values, manifests and options of an earlier revision back on the\n' +
        'Work, which delivers them like every change. Priority, order and the like stay.\n' +
        '"drover history" shows the revisions, "drover diff" what would change.\n\n' +
        'A run is undone by the way of its strategy, on every cluster that it changed.',
    )
    .action((words: string[], options: RollbackOptions) => rollback(words, options, terminal));
}

async function rollback(words: string[], options: RollbackOptions, terminal: Terminal): Promise<void> {
  const { rollBackRun, isRunWord } = await import('../workflows/roll-back-run.ts');
  if (isRunWord(words)) return rollBackRun(words, options, terminal);
  const { name, rest } = parseWorkArgument(words);
  const wanted = parseRevision(rest);
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const { work, namespace } = await findWork(hub, { name, cluster: options.cluster, namespace: options.namespace }, terminal);
  if (work.metadata.deletionTimestamp !== undefined) throw new CommandError(`work ${JSON.stringify(name)} is being deleted`);
  const kept = await readRevisions(hub.client, work, signal);
  const chosen = chooseRevision(kept, wanted, name);
  const patch = patchTo(isJsonObject(chosen['data']) ? chosen['data'] : {}, work);
  const { dryRun } = options;
  if (patch.length === 0) {
    terminal.out(`work.drover.io/${name} skipped rollback (it is at revision ${chosen.revision} already)\n`);
    return endUnchanged(options);
  }
  if (dryRun !== 'client') await putBack(hub.client, work, patch, { dryRun: dryRun === 'server', signal });
  terminal.out(`work.drover.io/${name} rolled back to revision ${chosen.revision}${dryRunMark(dryRun)}\n`);
  if (options.wait && dryRun === 'none') await waitUntilDelivered(hub.client, { namespace, name }, options.timeout, terminal);
}

async function putBack(
  hub: KubeClient,
  { metadata }: Work,
  patch: JsonObject[],
  options: { readonly dryRun: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const { namespace, name = '', generation } = metadata;
  try {
    await hub.patch(Work, { namespace, name }, { type: 'json', body: patch }, { fieldManager, ...options });
  } catch (cause) {
    const now = await hub.get(Work, { namespace, name }, { signal: options.signal });
    if (now?.metadata.generation === generation) throw cause;
    throw new CommandError(`work ${JSON.stringify(name)} was changed by somebody else at the same time`, {
      hint: 'look at it, and run the command again',
    });
  }
}

function parseRevision(words: readonly string[]): number | undefined {
  const [word, ...others] = words;
  if (others.length > 0) throw usageError(`${JSON.stringify(others[0])} is one word too many`);
  if (word === undefined) return undefined;
  if (!/^[0-9]{1,9}$/.test(word))
    throw usageError(`${JSON.stringify(word)} is not a revision`, 'write its number, as "drover history" shows it');
  // As with Helm, 0 is the one before.
  return Number(word) || undefined;
}

function chooseRevision(kept: readonly ControllerRevision[], wanted: number | undefined, name: string): ControllerRevision {
  const chosen = wanted === undefined ? kept.at(-2) : kept.find(({ revision }) => Number(revision) === wanted);
  if (chosen) return chosen;
  const hint = `"drover history work/${name}" lists those there are`;
  if (wanted !== undefined) throw new CommandError(`work ${JSON.stringify(name)} has no revision ${wanted}`, { hint });
  throw new CommandError(`work ${JSON.stringify(name)} has no revision before the present one`, { hint });
}
