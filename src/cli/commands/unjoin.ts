import { Option, type Command } from 'commander';
import { MemberLostError, NoSuchClusterError, rehearseUnjoin, StillLeavingError, unjoinMember } from '../../core/clusters/unjoin-member.ts';
import { connectToMember } from '../clusters/member-kubeconfig.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { addHubFileOption, connectToHub } from '../hub-client.ts';
import { parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

interface UnjoinOptions {
  kubeconfig?: string;
  context?: string;
  force?: boolean;
  timeout: number;
  dryRun: DryRun;
  hub?: string;
}

export function defineUnjoin(command: Command, terminal: Terminal): void {
  addHubFileOption(command)
    .argument('<cluster>', 'the cluster to remove')
    .option('--force', 'leave the cluster itself as it is, for one that is gone for good')
    .option('--kubeconfig <file>', 'kubeconfig of the cluster: clean up on it with your rights instead of those of the hub')
    .option('--context <name>', 'context of that kubeconfig (default: the current one)')
    .addOption(new Option('--timeout <time>', 'how long to wait until it is gone').argParser(parseSeconds).default(120_000, '2m'))
    .addOption(dryRunOption('look whether it could be removed, and change nothing'))
    .action((name: string, options: UnjoinOptions) => unjoin(name, options, terminal));
}

async function unjoin(name: string, options: UnjoinOptions, terminal: Terminal): Promise<void> {
  const { kubeconfig, context, force = false, timeout, dryRun } = options;
  await using member = kubeconfig === undefined ? undefined : connectToMember({ kubeconfig, context }, terminal);
  await using hub = await connectToHub({ ...(options.hub !== undefined && { hub: options.hub }) }, terminal);
  try {
    const request = { name, isForced: force, member: member?.client, timeoutMs: timeout, signal: terminal.signal };
    if (dryRun === 'none') await unjoinMember(hub.client, request);
    else await rehearseUnjoin(hub.client, request, { asksHub: dryRun === 'server' });
  } catch (cause) {
    throw explain(name, cause);
  }
  terminal.out(`cluster "${name}" unjoined${dryRunMark(dryRun)}\n`);
}

function explain(name: string, cause: unknown): Error {
  const message = `cannot unjoin "${name}"`;
  if (cause instanceof MemberLostError) {
    const hint = 'when it is gone for good, --force removes it from the hub alone; --kubeconfig FILE cleans up on it with your own rights';
    return new CommandError(message, { cause, hint });
  }
  if (cause instanceof StillLeavingError) {
    return new CommandError(message, {
      cause,
      exitCode: exitCodes.timedOut,
      hint: 'the hub goes on with it; run the command again to wait longer',
    });
  }
  if (cause instanceof NoSuchClusterError) return new CommandError(message, { cause, hint: '"drover get clusters" lists those there are' });
  return new CommandError(message, { cause });
}
