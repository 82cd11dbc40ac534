import type { Command } from 'commander';
import type { Cluster } from '../../api/cluster.ts';
import { cordonedTaints, isCordoned, taintText, uncordonedTaints } from '../../api/cluster-taints.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { endUnchanged, errorUnchangedOption, type UnchangedOptions } from '../error-unchanged.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import { connectToHub } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';
import { changeTaints } from './change-taints.ts';
import { addChangedClusters, findChangedClusters, type ChangedClusters } from './cluster-arguments.ts';

export interface CordonOptions extends ChangedClusters, UnchangedOptions {
  dryRun: DryRun;
}

export type CordonWord = 'cordon' | 'uncordon';

/** `drover cordon` and `drover uncordon`, which differ in what they write. */
export function defineCordonOf(word: CordonWord, help: string): (command: Command, terminal: Terminal) => void {
  return (command, terminal) => {
    addChangedClusters(command)
      .addOption(dryRunOption())
      .addOption(errorUnchangedOption())
      .addHelpText('after', `\n${help}`)
      .action((words: string[], options: CordonOptions) => run(word, words, options, terminal));
  };
}

async function run(word: CordonWord, words: string[], options: CordonOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const clusters = await findChangedClusters(hub, words, options, terminal);
  const now = new Date();
  const decide = word === 'cordon' ? (taints: Cluster['spec']['taints']) => cordonedTaints(taints, false, now) : uncordonedTaints;
  let changed = 0;
  const failures: unknown[] = [];
  for (const cluster of clusters) {
    const name = `cluster/${cluster.metadata.name}`;
    try {
      const isChanged = await changeTaints(hub.client, cluster, {
        decide: taints => decide(taints as never),
        dryRun: options.dryRun,
        signal,
      });
      if (isChanged) changed++;
      terminal.out(`${name} ${isChanged ? '' : 'already '}${word}ed${isChanged ? dryRunMark(options.dryRun) : ''}\n`);
      if (word === 'uncordon') tellOthers(cluster, terminal);
    } catch (error) {
      signal.throwIfAborted();
      if (clusters.length === 1) throw error;
      failures.push(error);
      terminal.err(`${name}: ${explainError(error).message}\n`);
    }
  }
  if (failures.length > 0)
    throw new CommandError(`${failures.length} of ${clusters.length} clusters could not be ${word}ed`, { exitCode: exitCodes.partial });
  if (changed === 0) endUnchanged(options);
}

/** Who else keeps something away goes on with it. */
function tellOthers({ metadata, spec }: Cluster, terminal: Terminal): void {
  const others = uncordonedTaints(spec.taints).filter(({ effect }) => effect !== 'PreferNoSchedule');
  if (others.length === 0) return;
  const byKarmada = isCordoned({ spec: { ...spec, taints: [...others] } });
  const next = byKarmada ? `; "karmadactl uncordon ${metadata.name}" takes back what it cordoned` : '';
  terminal.err(`taints of others keep services away: ${others.map(taintText).join(', ')}${next}\n`);
}
