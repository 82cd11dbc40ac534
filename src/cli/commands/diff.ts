import type { Command } from 'commander';
import { Work } from '../../api/work.ts';
import { openMember } from '../../core/delivery/member.ts';
import { refKey } from '../../core/delivery/object-ref.ts';
import { isLeaving } from '../../core/works/claims.ts';
import { isChart } from '../../core/works/work-indexes.ts';
import { CommandError, EndWith, exitCodes } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import { visibleLine } from '../output/visible-text.ts';
import { wantsColor, type ColorChoice, type Terminal } from '../terminal.ts';
import { changedWork } from '../works/changed-work.ts';
import { runExternalDiff } from '../works/external-diff.ts';
import { findPlace, requireWork } from '../works/find-work.ts';
import { fileNameOf, planChanges, type ChangePlan } from '../works/plan-changes.ts';
import { printDiff } from '../works/print-diff.ts';
import { resolveSource } from '../works/resolve-source.ts';
import { showPair } from '../works/shown-object.ts';
import { wantDelivery } from '../works/wanted-delivery.ts';
import { addWorkOptions, parseOnlyWork, type WorkOptions } from '../works/work-argument.ts';

interface DiffOptions extends WorkOptions {
  filename?: string;
  color: ColorChoice;
}

export function defineDiff(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME')
    .argument('<work...>', 'which Work')
    .option('-f, --filename <file>', 'the Work as it is to be, instead of as it is on the hub; - is the standard input');
  addWorkOptions(command)
    .addHelpText(
      'after',
      '\nShows what a delivery would change on the member now. The member is asked with\n' +
        'your own rights and nothing is changed; values of Secrets are not shown.\n' +
        'Ends with 0 without differences, 1 with some, more than 1 after an error.\n' +
        'KUBECTL_EXTERNAL_DIFF names a program that compares instead.',
    )
    .action((words: string[], options: DiffOptions) => diff(words, options, terminal));
}

async function diff(words: string[], options: DiffOptions, terminal: Terminal): Promise<void> {
  const name = parseOnlyWork(words);
  let plan: ChangePlan;
  try {
    await using hub = await connectToHub(options, terminal);
    plan = await planFor(hub, name, options, terminal);
  } catch (cause) {
    if (terminal.signal.aborted) throw cause;
    // 1 means differences.
    const { hint, exitCode } = explainError(cause);
    throw new CommandError(`cannot tell what work ${JSON.stringify(name)} would change`, {
      cause,
      exitCode: exitCode === exitCodes.error ? exitCodes.usage : exitCode,
      ...(hint !== undefined && { hint }),
    });
  }
  const hasDifferences = await show(plan, options, terminal);
  for (const problem of plan.problems) terminal.err(`${visibleLine(explainError(problem).message)}\n`);
  if (plan.problems.length > 0) throw new EndWith(exitCodes.usage);
  if (hasDifferences) throw new EndWith(exitCodes.error);
}

async function planFor(hub: HubConnection, name: string, options: DiffOptions, terminal: Terminal): Promise<ChangePlan> {
  const { signal } = terminal;
  const { filename } = options;
  const place = await findPlace(hub, { name, cluster: options.cluster, namespace: options.namespace }, terminal);
  const { cluster, namespace, work: present } = place;
  if (cluster === undefined) throw new CommandError(`the hub has no cluster with id ${JSON.stringify(namespace)}`);
  const given =
    filename === undefined ? requireWork(place, name) : await changedWork(hub.client, filename, { name, namespace, present }, signal);
  const { work, readContent } = await resolveSource(hub.client, given, signal);
  if (work.status?.outrankedBy)
    terminal.err(`Note: work ${JSON.stringify(work.status.outrankedBy.work)} has the release; this is what would change if it left\n`);
  await using member = openMember(cluster, hub.source(cluster).client, { signal });
  const delivery = await wantDelivery(work, { member, readContent, signal });
  const wantedByOthers = await objectsOfOthers(hub, work, signal);
  return await planChanges(member, delivery, { options: work.spec.options, wantedByOthers, signal });
}

/** An object that another Work without a chart wants too passes to it instead of being deleted. */
async function objectsOfOthers(hub: HubConnection, work: Work, signal: AbortSignal): Promise<Set<string>> {
  if (isChart(work)) return new Set();
  const { namespace = '', uid } = work.metadata;
  const { items } = await hub.client.list(Work, { namespace, signal });
  const others = items.filter(one => one.metadata.uid !== uid && !isLeaving(one) && !isChart(one));
  return new Set(others.flatMap(({ status }) => status?.objects ?? []).map(refKey));
}

async function show({ changes }: ChangePlan, { color }: DiffOptions, terminal: Terminal): Promise<boolean> {
  const pairs = new Map(changes.map(({ ref, live, merged }) => [fileNameOf(ref), showPair(live, merged)]));
  const external = terminal.env['KUBECTL_EXTERNAL_DIFF'];
  if (external === undefined || external.trim() === '') {
    const text = printDiff(pairs, wantsColor(color, terminal.env, terminal.isOutputTty ?? false));
    terminal.out(text);
    return text !== '';
  }
  const code = await runExternalDiff(external, pairs, terminal);
  if (code > 1) throw new CommandError(`"${external}" ended with ${code}`, { exitCode: exitCodes.usage });
  return code === 1;
}
