import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { cordonedTaints, isDrained } from '../../api/cluster-taints.ts';
import { Work } from '../../api/work.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { changeTaints } from '../clusters/change-taints.ts';
import { addChangedClusters, findChangedClusters, type ChangedClusters } from '../clusters/cluster-arguments.ts';
import { clustersAtOnce, drainText, readDrains, type ClusterDrain } from '../clusters/read-drain.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { endUnchanged, errorUnchangedOption, type UnchangedOptions } from '../error-unchanged.ts';
import { CommandError, exitCodes, usageError } from '../exit-codes.ts';
import { connectToHub } from '../hub-client.ts';
import { askText } from '../login/ask-person.ts';
import { parseSeconds } from '../option-values.ts';
import { showProgress, type ProgressItem } from '../output/progress.ts';
import type { Terminal } from '../terminal.ts';

interface DrainOptions extends ChangedClusters, UnchangedOptions {
  dryRun: DryRun;
  yes?: boolean;
  wait: boolean;
  timeout: number;
}

const pollMs = 300;

export function defineDrain(command: Command, terminal: Terminal): void {
  addChangedClusters(command)
    .option('-y, --yes', 'do not ask')
    .option('--no-wait', 'do not wait until everything is gone')
    .addOption(new Option('--timeout <time>', 'how long to wait').argParser(parseSeconds).default(300_000, '5m'))
    .addOption(dryRunOption('tell what would go, and change nothing'))
    .addOption(errorUnchangedOption())
    .addHelpText(
      'after',
      '\nCordons the cluster, and takes away what services have placed on it, those first\n' +
        'that need others. What was made for this cluster alone stays: nobody would bring\n' +
        'it back. "drover uncordon" undoes it: what was taken away comes back.',
    )
    .action((words: string[], options: DrainOptions) => drain(words, options, terminal));
}

async function drain(words: string[], options: DrainOptions, terminal: Terminal): Promise<void> {
  const { dryRun } = options;
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const clusters = await findChangedClusters(hub, words, options, terminal);
  const drains = await readDrains(hub.client, clusters, signal);
  const isDone = drains.every(one => isDrained(one.cluster) && goingOf(one).length === 0);
  if (isDone) {
    for (const { name } of drains) terminal.out(`cluster/${name} already drained\n`);
    return endUnchanged(options);
  }
  for (const one of drains) terminal.err(drainText(one));
  if (dryRun === 'none' && !options.yes) await requireConsent(drains, terminal);
  const now = new Date();
  for (const { cluster } of drains)
    await changeTaints(hub.client, cluster, { decide: taints => cordonedTaints(taints, true, now), dryRun, signal });
  if (dryRun === 'none' && options.wait) await waitUntilGone(hub.client, drains, options.timeout, terminal);
  const word = dryRun === 'none' && !options.wait ? 'draining' : 'drained';
  for (const { name } of drains) terminal.out(`cluster/${name} ${word}${dryRunMark(dryRun)}\n`);
}

const goingOf = ({ works }: ClusterDrain) => works.filter(one => one.whyItStays === undefined);

async function requireConsent(drains: readonly ClusterDrain[], terminal: Terminal): Promise<void> {
  const wanted = drains.length === 1 ? drains[0]!.name : `${drains.length} clusters`;
  const answer = await askText(`Type ${JSON.stringify(wanted)} to drain ${drains.length === 1 ? 'it' : 'them'}: `, terminal);
  if (answer === undefined) throw usageError('there is nobody to ask whether that is meant', 'look at what would go, and say --yes');
  if (answer !== wanted) throw new CommandError('nothing was drained: that is not what was to be typed');
}

/** The hub does it, whether somebody waits or not. */
async function waitUntilGone(hub: KubeClient, drains: readonly ClusterDrain[], timeoutMs: number, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  using progress = showProgress(terminal);
  const deadline = performance.now() + timeoutMs;
  for (; ; await sleep(pollMs, undefined, { signal })) {
    const items = await mapBounded(drains, clustersAtOnce, one => lookAt(hub, one, signal));
    progress.show(items);
    const late = items.filter(one => !one.isDone);
    if (late.length === 0) return;
    if (performance.now() < deadline) continue;
    progress.clear();
    throw new CommandError(`not everything is gone: ${late.map(one => `${one.name}, ${one.state}`).join('; ')}`, {
      exitCode: exitCodes.timedOut,
      hint: `the hub goes on with it; "drover get works -C ${late[0]!.name}" shows what is left`,
    });
  }
}

async function lookAt(hub: KubeClient, drain: ClusterDrain, signal: AbortSignal): Promise<ProgressItem> {
  const going = new Set(goingOf(drain).map(({ work }) => work.metadata.uid));
  const { items } = await hub.list(Work, { namespace: clusterId(drain.cluster), signal });
  const left = items.filter(one => going.has(one.metadata.uid)).length;
  const gone = `${going.size - left} of ${going.size} releases are gone`;
  return { name: drain.name, state: left === 0 && going.size === 0 ? 'nothing was to go' : gone, isDone: left === 0 };
}
