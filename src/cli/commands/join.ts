import { Option, type Command } from 'commander';
import { joinMember, rehearseJoin } from '../../core/clusters/join-member.ts';
import type { KubeconfigContext } from '../../client/kubeconfig/kubeconfig.ts';
import { connectToMember } from '../clusters/member-kubeconfig.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { CommandError } from '../exit-codes.ts';
import { addHubFileOption, connectToHub } from '../hub-client.ts';
import { collectLabel, parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

interface JoinOptions {
  kubeconfig: string;
  context?: string;
  server?: string;
  label: Record<string, string>;
  timeout: number;
  dryRun: DryRun;
  hub?: string;
}

export function defineJoin(command: Command, terminal: Terminal): void {
  addHubFileOption(command)
    .argument('<name>', 'what the cluster will be called')
    .requiredOption('--kubeconfig <file>', 'kubeconfig of the cluster, as an administrator of it')
    .option('--context <name>', 'context of that kubeconfig (default: the current one)')
    .option('--server <url>', 'address of the API server as the hub sees it (default: that of the kubeconfig)')
    .addOption(new Option('--label <key=value>', 'label for the cluster; may be repeated').argParser(collectLabel).default({}, 'none'))
    .addOption(
      new Option('--timeout <time>', 'how long the hub may take to reach the cluster').argParser(parseSeconds).default(30_000, '30s'),
    )
    .addOption(dryRunOption('look whether it could be joined, and change nothing'))
    .addHelpText(
      'after',
      '\nMakes an account for the hub in namespace "drover-system" of the cluster. The hub keeps the token of that account and nothing of the kubeconfig.',
    )
    .action((name: string, options: JoinOptions) => join(name, options, terminal));
}

async function join(name: string, options: JoinOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  const { dryRun } = options;
  await using member = connectToMember(options, terminal);
  await using hub = await connectToHub({ ...(options.hub !== undefined && { hub: options.hub }) }, terminal);
  const connection = connectionOf(member.context, options.server);
  if (connection.insecureSkipTLSVerify) terminal.err(`Warning: the hub will believe any certificate of ${connection.server}\n`);
  try {
    const request = { name, labels: options.label, connection, timeoutMs: options.timeout, signal };
    const onStep = (what: string) => terminal.isErrorTty && terminal.err(`${what} …\n`);
    if (dryRun === 'none') await joinMember(hub.client, member.client, { ...request, onStep });
    else await rehearseJoin(hub.client, member.client, request, { asksHub: dryRun === 'server' });
  } catch (cause) {
    throw new CommandError(`cannot join "${name}"`, { cause });
  }
  terminal.out(`cluster "${name}" joined${dryRunMark(dryRun)}\n`);
}

/** How the hub is to reach what the kubeconfig leads to. */
function connectionOf({ connection }: KubeconfigContext, server = connection.server) {
  const { ca, insecureSkipTlsVerify, tlsServerName, proxyUrl } = connection;
  if (!/^https?:\/\/[^/]/.test(server) || !URL.canParse(server)) throw new CommandError(`"${server}" is not the URL of an API server`);
  return {
    server,
    ...(ca !== undefined && { caBundle: Buffer.from(ca).toString('base64') }),
    ...(insecureSkipTlsVerify === true && { insecureSkipTLSVerify: true }),
    ...(tlsServerName !== undefined && { tlsServerName }),
    ...(proxyUrl !== undefined && { proxyURL: proxyUrl }),
  };
}
