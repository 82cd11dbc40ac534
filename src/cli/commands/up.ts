import { accessSync, constants, openSync, writeSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseGatewayUrl } from '../../core/registration/gateway-address.ts';
import type { Hub, HubOptions } from '../../hub/hub-options.ts';
import { sendLogTo } from '../../runtime/log.ts';
import { subnetList } from '../../sources/address-rules.ts';
import { errorText } from '../../util/error-text.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { collectList, parseCount, parseSome } from '../option-values.ts';
import { startTracing } from '../start-tracing.ts';
import type { Terminal } from '../terminal.ts';
import { programVersion } from '../version.ts';
import { makeFolder } from '../../util/make-folder.ts';

interface UpOptions {
  data?: string;
  listen: string;
  serverUrl?: string;
  agentImage?: string;
  sandbox?: number;
  hub?: string;
  context?: string;
  advertise?: string;
  tlsCertFile?: string;
  tlsPrivateKeyFile?: string;
  apiOnly?: boolean;
  demo?: boolean;
  clustersAtOnce?: number;
  allowEgress: readonly string[];
}

export function defineUp(command: Command, terminal: Terminal): void {
  command
    .option('--data <dir>', 'where the hub keeps its data (default: ~/.drover)')
    .option('--listen <host:port>', 'address to listen on', '127.0.0.1:7443')
    .option('--sandbox <count>', 'see to it that there are so many sandbox clusters', parseCount)
    .option('--demo', 'show what it does: three sandbox clusters, and a service on those that match')
    .option('--server-url <url>', 'where members find the hub (default: where it listens)')
    .option('--tls-cert-file <file>', 'certificate for the names that it holds, instead of one of our own; read again when it changes')
    .option('--tls-private-key-file <file>', 'its key')
    .option('--agent-image <image>', 'image of the agent of imported clusters')
    .addOption(
      new Option('--allow-egress <cidr>', 'subnet that charts may be fetched from though it is not public; may be repeated')
        .argParser(collectSubnets)
        .default(subnetsOf(terminal.env['DROVER_ALLOW_EGRESS']), '$DROVER_ALLOW_EGRESS'),
    )
    .option('--clusters-at-once <count>', 'how many clusters workflows change at the same time, over all runs (default: 64)', parseSome)
    .option('--api-only', 'serve the Kubernetes API and nothing else: no clusters')
    .option('--hub <kubeconfig>', 'use the API server of this kubeconfig as the hub, instead of one of our own')
    .option('--context <name>', 'context of that kubeconfig (default: the current one)')
    .option('--advertise <host:port>', 'where other hubs on the API server of --hub reach this one (default: where it listens)')
    .action((options: UpOptions) => up(options, terminal));
}

/** Runs the hub until it is asked to stop. */
async function up(options: UpOptions, terminal: Terminal): Promise<void> {
  const startedAt = performance.now();
  if (options.context !== undefined && options.hub === undefined) {
    throw new CommandError('--context is about the kubeconfig of --hub', { hint: 'add --hub FILE' });
  }
  if (options.advertise !== undefined && options.hub === undefined) {
    throw new CommandError('--advertise is for hubs that share the API server of --hub', { hint: 'add --hub FILE' });
  }
  if ((options.tlsCertFile === undefined) !== (options.tlsPrivateKeyFile === undefined)) {
    throw new CommandError('a certificate and its key belong together', { hint: 'give both --tls-cert-file and --tls-private-key-file' });
  }
  if (options.apiOnly && (options.hub !== undefined || options.sandbox !== undefined || options.demo)) {
    throw new CommandError('--api-only cannot be combined with --hub, --sandbox or --demo');
  }
  const settings = readSettings(options);
  // The data hold every Secret: whatever the hub writes is for its own user only.
  process.umask(0o077);
  makeDataDir(settings.dataDir);
  if (options.demo) sendLogToFile(settings.dataDir);
  const traces = await startTracing(terminal, 'drover');
  const hub = await start(settings, options, terminal).catch((error: unknown) => {
    // What was begun may not end by itself, and nobody waits for it.
    setTimeout(() => process.exit(), 2_000).unref();
    throw error;
  });
  const created = await createSandboxes(hub, options.sandbox);

  const stopped = stopSignal();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
  // Whoever read the first lines may have gone; the hub goes on.
  process.stdout.on('error', () => {});
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(`Drover hub ready in ${seconds} s at ${hub.url}`);
  print(`  export KUBECONFIG=${hub.kubeconfig}`);
  print('  kubectl get namespaces');
  if (hub.newPassword !== undefined) print(`First admin password, shown once: ${hub.newPassword}`);
  if (created.length > 0) print(`New sandbox clusters: ${firstOf(created)}`);
  if (options.demo) await demo(hub, terminal, stopped.signal, print);
  if (!stopped.signal.aborted) print('Ctrl-C stops it.');

  const signal = await Promise.race([stopped.named, ...(hub.lost ? [hub.lost] : [])]);
  if (signal instanceof Error) {
    terminal.err(`error: this hub has stopped: ${signal.message}; started again, it stands by\n`);
    process.exit(exitCodes.error);
  }
  print(signal === 'SIGINT' ? '\nStopping.' : 'Stopping.');
  // A second signal does not wait.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(130));
  await hub.close();
  await traces?.[Symbol.asyncDispose]();
}

/** When somebody asks the hub to stop, and how. */
function stopSignal(): { readonly signal: AbortSignal; readonly named: Promise<NodeJS.Signals> } {
  const stopping = new AbortController();
  const named = new Promise<NodeJS.Signals>(done => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, done);
  });
  void named.then(() => stopping.abort(new Error('the hub stops')));
  return { signal: stopping.signal, named };
}

/** A demo that fails is told, and the hub goes on. */
async function demo(hub: Hub, terminal: Terminal, signal: AbortSignal, print: (line: string) => void): Promise<void> {
  const { runDemo } = await import('../demo/run-demo.ts');
  const { exampleFolder } = await import('../demo/make-demo.ts');
  const shown = relative('', exampleFolder);
  const examples = shown.startsWith('..') ? exampleFolder : shown;
  try {
    await hub.ready;
    print(`\n${await runDemo(hub.client, terminal, signal)}`);
    print(`The page, signed in by this link, once: ${await hub.signInLink()}`);
    print('Next, in another terminal:');
    print('  npx drover explain mcs/web                  who has what where, and why');
    print('  npx drover get pods --all-clusters -A       one table for all clusters');
    print(`  ${`kubectl apply -f ${examples}/priorities`.padEnd(42)}  and the other folders of examples/`);
  } catch (error) {
    if (!signal.aborted) terminal.err(`error: the demo was not made: ${errorText(error)}\n`);
  }
}

function readSettings(options: UpOptions): HubOptions {
  const { data, listen, serverUrl, agentImage, apiOnly = false, allowEgress, clustersAtOnce } = options;
  const { tlsCertFile: certificate, tlsPrivateKeyFile: key } = options;
  const version = programVersion();
  // Those of the environment have not been looked at yet.
  subnetList(allowEgress);
  return {
    dataDir: resolve(data ?? join(homedir(), '.drover')),
    ...parseListen(listen),
    serverUrl: serverUrl === undefined ? undefined : parseGatewayUrl(serverUrl),
    agentImage: agentImage ?? `drover/drover:${version}`,
    version,
    allowEgress,
    clustersAtOnce,
    isApiOnly: apiOnly,
    tls: certificate === undefined || key === undefined ? undefined : { certificate: resolve(certificate), key: resolve(key) },
  };
}

async function start(given: HubOptions, { hub, context, advertise }: UpOptions, { env }: Terminal): Promise<Hub> {
  const settings = { ...given, firstPassword: firstPassword(env) };
  if (hub === undefined) return (await import('../../hub/hub.ts')).startHub(settings);
  const { startExternalHub } = await import('../../hub/external-hub.ts');
  return startExternalHub({ ...settings, kubeconfig: resolve(hub), context, advertise, env });
}

const whyNoFolder: Readonly<Record<string, string>> = {
  EEXIST: 'there is a file of that name',
  ENOTDIR: 'there is a file on the way to it',
  EACCES: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'the disk is full',
};

function makeDataDir(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = whyNoFolder[code ?? ''] ?? errorText(error);
    throw new CommandError(`the hub cannot keep its data in "${dataDir}": ${reason}`, {
      hint: 'choose a folder of your own with --data DIR',
    });
  }
}

/** Whoever watches a demo reads tables, not JSON. */
function sendLogToFile(dataDir: string): void {
  const file = openSync(join(dataDir, 'hub.log'), 'a', 0o600);
  sendLogTo(line => void writeSync(file, line));
}

/** Rancher's name for it: installations put it into a Secret beforehand. */
function firstPassword({ CATTLE_BOOTSTRAP_PASSWORD: given = '' }: NodeJS.ProcessEnv): string | undefined {
  if (given !== '' && given.length < 12) throw new CommandError('CATTLE_BOOTSTRAP_PASSWORD has less than 12 characters');
  return given === '' ? undefined : given;
}

async function createSandboxes(hub: Hub, count = 0): Promise<string[]> {
  if (count === 0) return [];
  await hub.ready;
  const { createMissingSandboxes } = await import('../../sandbox/create-missing.ts');
  return createMissingSandboxes(hub.client, count);
}

function firstOf(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length <= 3 ? shown : `${shown} and ${names.length - 3} more`;
}

const subnetsOf = (text = ''): string[] => collectList(text, []);

function collectSubnets(text: string, all: readonly string[]): string[] {
  try {
    subnetList(subnetsOf(text));
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  return [...all, ...subnetsOf(text)];
}

function parseListen(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65535) throw new Error(`--listen ${JSON.stringify(text)} is not HOST:PORT`);
  return { host: match[1] ?? (match[2] === '' ? '0.0.0.0' : match[2]!), port };
}
