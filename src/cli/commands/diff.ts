import type { Command } from 'commander';
import { Work } from '../../api/work.ts';
import { openMember } from '../../core/delivery/member.ts';
import { createRenderPool } from '../../render/render-pool.ts';
import { CommandError, EndWith, exitCodes, usageError } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import { visibleLine } from '../output/visible-text.ts';
import { changedOwner } from '../services/changed-owner.ts';
import { diffServices } from '../services/diff-services.ts';
import { requireOwner } from '../services/find-owner.ts';
import { parseOwner, type NamedOwner } from '../services/owner-argument.ts';
import { wantsColor, type ColorChoice, type Terminal } from '../terminal.ts';
import { changedWork } from '../works/changed-work.ts';
import { runExternalDiff } from '../works/external-diff.ts';
import { findPlace, requireWork } from '../works/find-work.ts';
import { fileNameOf, planChanges, type ChangePlan } from '../../core/previews/plan-changes.ts';
import { printDiff } from '../works/print-diff.ts';
import { resolveSource } from '../works/resolve-source.ts';
import { objectsOfOthers } from '../../core/previews/objects-of-others.ts';
import { showPair, type ShownPair } from '../../core/previews/shown-object.ts';
import { wantDelivery } from '../../core/previews/wanted-delivery.ts';
import { addWorkOptions, isWorkType, parseOnlyWork, type WorkOptions } from '../works/work-argument.ts';

interface DiffOptions extends WorkOptions {
  filename?: string;
  color: ColorChoice;
}

export function defineDiff(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME | mcs/NAME | nmcs/NAME | cld/NAME | serviceset/NAME')
    .argument('<work-or-owner...>', 'which Work, or which owner of services')
    .option('-f, --filename <file>', 'the object as it is to be, instead of as it is on the hub; - is the standard input');
  addWorkOptions(command)
    .addHelpText(
      'after',
      '\nShows what a delivery would change on the member now. The member is asked with\n' +
        'your own rights and nothing is changed; values of Secrets are not shown.\n' +
        'Of a MultiClusterService or another owner of services, what all its services would\n' +
        'change on each of its clusters, or on the one that --cluster names.\n' +
        'Ends with 0 without differences, 1 with some, more than 1 after an error.\n' +
        'KUBECTL_EXTERNAL_DIFF names a program that compares instead.',
    )
    .action((words: string[], options: DiffOptions) => diff(words, options, terminal));
}

interface Difference {
  readonly pairs: ReadonlyMap<string, ShownPair>;
  readonly notes?: readonly string[];
  readonly problems: readonly unknown[];
}

async function diff(words: string[], options: DiffOptions, terminal: Terminal): Promise<void> {
  const owner = parseOwner(words);
  const [type = '', named] = (words[0] ?? '').split('/');
  if (!owner && named !== undefined && !isWorkType(type))
    throw usageError(
      `there is no telling what ${JSON.stringify(words[0])} would change`,
      'write work/NAME or mcs/NAME; "drover kubectl CLUSTER -- diff -f FILE" compares any object',
    );
  const name = owner ? owner.name : parseOnlyWork(words);
  let found: Difference;
  try {
    await using hub = await connectToHub(options, terminal);
    found = owner ? await ofOwner(hub, owner, options, terminal) : ofWork(await planFor(hub, name, options, terminal));
  } catch (cause) {
    if (terminal.signal.aborted) throw cause;
    // 1 means differences.
    const { hint, exitCode } = explainError(cause);
    throw new CommandError(`cannot tell what ${owner?.kind.kind ?? 'work'} ${JSON.stringify(name)} would change`, {
      cause,
      exitCode: exitCode === exitCodes.error ? exitCodes.usage : exitCode,
      ...(hint !== undefined && { hint }),
    });
  }
  for (const note of found.notes ?? []) terminal.err(`Note: ${visibleLine(note)}\n`);
  const hasDifferences = await show(found, options, terminal);
  for (const problem of found.problems) terminal.err(`${visibleLine(explainError(problem).message)}\n`);
  if (found.problems.length > 0) throw new EndWith(exitCodes.usage);
  if (hasDifferences) throw new EndWith(exitCodes.error);
}

async function ofOwner(hub: HubConnection, named: NamedOwner, options: DiffOptions, { signal }: Terminal): Promise<Difference> {
  const { cluster, namespace, filename } = options;
  const choice = { ...named, namespace };
  const owner = await (filename === undefined ? requireOwner(hub, choice, signal) : changedOwner(hub, filename, choice, signal));
  return diffServices(hub, { owner, kind: named.kind, cluster }, signal);
}

const ofWork = ({ changes, problems }: ChangePlan): Difference => ({
  pairs: new Map(changes.map(({ ref, live, merged }) => [fileNameOf(ref), showPair(live, merged)])),
  problems,
});

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
  await using renderer = createRenderPool({ size: 1 });
  const delivery = await wantDelivery(work, { member, readContent, renderer, signal });
  const { items: works } = await hub.client.list(Work, { namespace, signal });
  const wantedByOthers = objectsOfOthers(work, works);
  return await planChanges(member, delivery, { options: work.spec.options, wantedByOthers, signal });
}

async function show({ pairs }: Difference, { color }: DiffOptions, terminal: Terminal): Promise<boolean> {
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
