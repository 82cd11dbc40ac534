import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseGatewayUrl, readGatewayAddress } from '../../core/registration/gateway-address.ts';
import { importCluster, rehearseImport } from '../../core/registration/import-cluster.ts';
import { invitationText, invitationWords, type InvitationWords } from '../clusters/invitation.ts';
import { fetchManifest } from '../clusters/fetch-manifest.ts';
import { waitUntilReady } from '../clusters/wait-until-ready.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { CommandError } from '../exit-codes.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { collectLabel, parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';

interface ImportOptions extends HubOptions {
  label: Record<string, string>;
  serverUrl?: string;
  tokenTtl: number;
  output?: keyof typeof outputs;
  wait?: true;
  timeout: number;
  dryRun: DryRun;
}

const outputs = {
  url: ({ url }: InvitationWords) => `${url}\n`,
  json: (words: InvitationWords) => `${JSON.stringify(words, undefined, 2)}\n`,
  manifest: (words: InvitationWords, authorities: string, signal: AbortSignal) => fetchManifest(words.url, authorities, signal),
};

export function defineImport(command: Command, terminal: Terminal): void {
  addHubOptions(command)
    .argument('<name>', 'what the cluster will be called')
    .addOption(new Option('--label <key=value>', 'label for the cluster; may be repeated').argParser(collectLabel).default({}, 'none'))
    .option('--server-url <url>', 'address at which the cluster reaches the hub (default: what the hub was told)', parseUrlOption)
    .addOption(new Option('--token-ttl <time>', 'how long the printed address works').argParser(parseSeconds).default(86_400_000, '24h'))
    .addOption(new Option('-o, --output <form>', 'print the address, all facts, or the manifest itself').choices(Object.keys(outputs)))
    .option('--wait', 'wait until the cluster is ready')
    .addOption(new Option('--timeout <time>', 'how long to wait').argParser(parseSeconds).default(600_000, '10m'))
    .addOption(dryRunOption('look whether it could be imported, and change nothing'))
    .addHelpText(
      'after',
      '\nPrints what to run on the cluster. Its agent then dials the hub, so the cluster needs no address that the hub can reach. Run again, it prints a new address for a cluster whose agent is not connected.',
    )
    .action((name: string, options: ImportOptions) => runImport(name, options, terminal));
}

async function runImport(name: string, options: ImportOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const address = await readGatewayAddress(hub.client, { signal });
  const server = options.serverUrl ?? address.url;
  const request = { name, labels: options.label, lifetimeMs: options.tokenTtl, now: new Date(), signal };
  const failed = (cause: unknown): never => {
    throw new CommandError(`cannot import "${name}"`, { cause });
  };
  if (options.dryRun !== 'none') {
    await rehearseImport(hub.client, request, { asksHub: options.dryRun === 'server' }).catch(failed);
    return terminal.out(`cluster "${name}" imported${dryRunMark(options.dryRun)}\n`);
  }
  const invitation = await importCluster(hub.client, request).catch(failed);
  const words = invitationWords(invitation, server, address.authorities);
  const print = options.output === undefined ? undefined : outputs[options.output];
  terminal.out(print ? await print(words, address.authorities, signal) : invitationText(words));
  if (isLoopback(server))
    terminal.err(`Warning: ${server} is this machine only; --server-url names the address that the cluster can reach\n`);
  if (options.wait) await waitUntilReady(hub.client, name, options.timeout, terminal);
}

function parseUrlOption(text: string): string {
  try {
    return parseGatewayUrl(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function isLoopback(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
