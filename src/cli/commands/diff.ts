import type { Command } from 'commander';
import { Work } from '../../api/work.ts';
import { openMember } from '../../core/delivery/member.ts';
import { createRenderPool } from '../../render/render-pool.ts';
import { CommandError, EndWith, exitCodes } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import { visibleLine } from '../output/visible-text.ts';
import { changedOwner } from '../services/changed-owner.ts';
import { diffServices } from '../services/diff-services.ts';
import { requireOwner } from '../services/find-owner.ts';
import { type NamedOwner } from '../services/owner-argument.ts';
import { addFileOptions, type FileOptions } from '../resources/given-objects.ts';
import { diffTargets, type DiffTarget } from '../works/diff-targets.ts';
import { wantsColor, type ColorChoice, type Terminal } from '../terminal.ts';
import { changedWork } from '../works/changed-work.ts';
import { runExternalDiff } from '../works/external-diff.ts';
import { orDiffFails } from '../works/diff-failure.ts';
import { findPlace, requireWork } from '../works/find-work.ts';
import { fileNameOf, planChanges, type ChangePlan } from '../../core/previews/plan-changes.ts';
import { printDiff } from '../works/print-diff.ts';
import { resolveSource } from '../works/resolve-source.ts';
import { objectsOfOthers } from '../../core/previews/objects-of-others.ts';
import { showPair, type ShownPair } from '../../core/previews/shown-object.ts';
import { wantDelivery } from '../../core/previews/wanted-delivery.ts';
import { addWorkOptions, type WorkOptions } from '../works/work-argument.ts';

interface DiffOptions extends WorkOptions, FileOptions {
  selector?: string;
  color: ColorChoice;
}

export function defineDiff(command: Command, terminal: Terminal): void {
  command
    .usage('[options] work/NAME | mcs/NAME | nmcs/NAME | cld/NAME | serviceset/NAME | -f FILE… | -k FOLDER')
    .argument('[work-or-owner...]', 'which Work, or which owner of services; all that the files of -f or -k have when it is left out')
    .option('-l, --selector <query>', 'only those objects of the files whose labels match');
  addFileOptions(command, 'the objects as they are to be, instead of as they are on the hub:');
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
  const { targets, notes } = await diffTargets(words, options, terminal);
  const found: Difference[] = [];
  await using hub = await orDiffFails('cannot ask the hub', terminal, () => connectToHub(options, terminal));
  for (const target of targets) found.push(await differenceOf(hub, target, options, terminal));
  for (const note of [...notes, ...found.flatMap(one => one.notes ?? [])]) terminal.err(`Note: ${visibleLine(note)}\n`);
  const hasDifferences = await show(new Map(found.flatMap(({ pairs }) => [...pairs])), options, terminal);
  const problems = found.flatMap(one => one.problems);
  for (const problem of problems) terminal.err(`${visibleLine(explainError(problem).message)}\n`);
  if (problems.length > 0) throw new EndWith(exitCodes.usage);
  if (hasDifferences) throw new EndWith(exitCodes.error);
}

function differenceOf(hub: HubConnection, target: DiffTarget, options: DiffOptions, terminal: Terminal): Promise<Difference> {
  const { owner, name } = target;
  return orDiffFails(`cannot tell what ${owner?.kind ?? 'work'} ${JSON.stringify(name)} would change`, terminal, () =>
    owner ? ofOwner(hub, { ...target, owner }, options, terminal) : ofWork(hub, target, options, terminal),
  );
}

async function ofOwner(
  hub: HubConnection,
  { owner: kind, name, given }: DiffTarget & { owner: NamedOwner['kind'] },
  { cluster, namespace }: DiffOptions,
  { signal }: Terminal,
): Promise<Difference> {
  const choice = { kind, name, namespace };
  const owner = await (given ? changedOwner(hub, given, choice, signal) : requireOwner(hub, choice, signal));
  return diffServices(hub, { owner, kind, cluster }, signal);
}

async function ofWork(hub: HubConnection, target: DiffTarget, options: DiffOptions, terminal: Terminal): Promise<Difference> {
  const { changes, problems, cluster } = await planFor(hub, target, options, terminal);
  const fileOf = (ref: Parameters<typeof fileNameOf>[0]) => `${target.isOneOfSeveral ? `${cluster}.` : ''}${fileNameOf(ref)}`;
  return { pairs: new Map(changes.map(({ ref, live, merged }) => [fileOf(ref), showPair(live, merged)])), problems };
}

async function planFor(
  hub: HubConnection,
  { name, given }: DiffTarget,
  options: DiffOptions,
  terminal: Terminal,
): Promise<ChangePlan & { cluster: string }> {
  const { signal } = terminal;
  const inFile = options.cluster === undefined ? given?.object.metadata.namespace : undefined;
  const choice = { name, cluster: options.cluster, namespace: options.namespace ?? inFile };
  const place = await findPlace(hub, choice, terminal);
  const { cluster, namespace, work: present } = place;
  if (cluster === undefined) throw new CommandError(`the hub has no cluster with id ${JSON.stringify(namespace)}`);
  const wanted = given ? await changedWork(hub.client, given, { name, namespace, present }, signal) : requireWork(place, name);
  const { work, readContent } = await resolveSource(hub.client, wanted, signal);
  if (work.status?.outrankedBy)
    terminal.err(`Note: work ${JSON.stringify(work.status.outrankedBy.work)} has the release; this is what would change if it left\n`);
  await using member = openMember(cluster, hub.source(cluster).client, { signal });
  await using renderer = createRenderPool({ size: 1 });
  const delivery = await wantDelivery(work, { member, readContent, renderer, signal });
  const { items: works } = await hub.client.list(Work, { namespace, signal });
  const wantedByOthers = objectsOfOthers(work, works);
  return { ...(await planChanges(member, delivery, { options: work.spec.options, wantedByOthers, signal })), cluster };
}

async function show(pairs: Difference['pairs'], { color }: DiffOptions, terminal: Terminal): Promise<boolean> {
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
