import type { Command } from 'commander';
import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import { isTerminal, type RunState } from '../../dialects/workflows/kinds/workflow-run.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { endUnchanged, errorUnchangedOption, type UnchangedOptions } from '../error-unchanged.ts';
import { CommandError } from '../exit-codes.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import type { Terminal } from '../terminal.ts';
import { addDeliveryOptions, parseRun, type ChangeOptions } from './delivery-argument.ts';
import { findRun, type FoundRun } from './find-run.ts';

/** Not as the hub calls itself: where people have its credential, admission tells them apart by this. */
const fieldManager = 'cli-drover-run';

/** A command that asks a run for a state and says so. */
export function defineState(command: Command, terminal: Terminal, change: StateChange): Command {
  command
    .usage('[options] run/NAME')
    .argument('<run...>', 'which run, of a workflow or of a pipeline')
    .addOption(dryRunOption())
    .addOption(errorUnchangedOption());
  return addDeliveryOptions(command).action(async (words: string[], options: ChangeOptions & UnchangedOptions) => {
    const named = parseRun(words);
    await using hub = await connectToHub(options, terminal);
    const found = await findRun(hub, named, options, terminal.signal);
    if (found.run.spec.state === change.state && options.errorUnchanged) {
      terminal.out(`${found.title} is ${change.done} already\n`);
      return endUnchanged(options);
    }
    await setState(hub, found, { ...change, dryRun: options.dryRun }, terminal);
  });
}

export interface StateChange {
  readonly state: RunState;
  /** What else is to be said in the spec. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly dryRun?: DryRun;
  /** What has then been done: `paused`. */
  readonly done: string;
  /** Why a run that is so far cannot be asked. */
  whyNot(phase: string, state: RunState): string | undefined;
}

export const notWhenOver = (verb: string) => (phase: string) =>
  isTerminal(phase) ? `a run that is ${phase} cannot be ${verb}` : undefined;

export async function setState(
  hub: HubConnection,
  found: FoundRun,
  { state, fields, dryRun = 'none', done, whyNot }: StateChange,
  terminal: Terminal,
): Promise<void> {
  const { kind, run, namespace, name, title } = found;
  const present = run.spec.state ?? 'Run';
  const refusal = whyNot(run.status?.phase ?? 'Queued', present);
  if (refusal !== undefined) throw new CommandError(`${title}: ${refusal}`);
  const body = { spec: { ...fields, state } };
  const write = { fieldManager, signal: terminal.signal, dryRun: dryRun === 'server' };
  if (dryRun !== 'client') await hub.client.patch(kind as KindRef<KubeObject>, { namespace, name }, { type: 'merge', body }, write);
  terminal.out(`${title} ${done}${dryRunMark(dryRun)}\n`);
}
