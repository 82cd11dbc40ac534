import { Option, type Command } from 'commander';
import { Secret } from '../../api/builtin-kinds.ts';
import { Cluster, clusterConditions } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { StatusError } from '../../api/status.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { adminSecret } from '../../sandbox/admin-secret.ts';
import { waitUntilReady } from '../clusters/wait-until-ready.ts';
import { waitUntilGone } from '../clusters/wait-until-gone.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { CommandError } from '../exit-codes.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { collectLabel, parseCount, parseSeconds } from '../option-values.ts';
import { TabWriter } from '../output/tab-writer.ts';
import type { Terminal } from '../terminal.ts';

interface WaitOptions extends HubOptions {
  wait?: boolean;
  timeout: number;
  dryRun: DryRun;
}

interface CreateOptions extends WaitOptions {
  label: Record<string, string>;
  nodes?: number;
}

export function defineSandbox(command: Command, terminal: Terminal): void {
  command.addHelpText('after', '\nA sandbox is a whole small cluster inside the hub: made for demos, tests and trying things out.');
  const timeout = () => new Option('--timeout <time>', 'how long to wait').argParser(parseSeconds).default(60_000, '1m');
  addHubOptions(command.command('create').description('make a sandbox cluster'))
    .argument('<name>', 'what the cluster will be called')
    .addOption(new Option('--label <key=value>', 'label for the cluster; may be repeated').argParser(collectLabel).default({}, 'none'))
    .option('--nodes <count>', 'how many nodes it has (default: 1)', parseCount)
    .option('--wait', 'wait until the cluster is ready')
    .addOption(dryRunOption())
    .addOption(timeout())
    .action((name: string, options: CreateOptions) => create(name, options, terminal));
  addHubOptions(command.command('delete').description('remove a sandbox cluster and everything in it'))
    .argument('<cluster>', 'which cluster')
    .option('--no-wait', 'do not wait until the cluster is gone')
    .addOption(dryRunOption())
    .addOption(timeout())
    .action((name: string, options: WaitOptions) => remove(name, options, terminal));
  addHubOptions(command.command('kubeconfig').description("print a kubeconfig of the cluster's administrator"))
    .argument('<cluster>', 'which cluster')
    .action((name: string, options: HubOptions) => kubeconfig(name, options, terminal));
  addHubOptions(command.command('list').description('show the sandbox clusters')).action((options: HubOptions) => list(options, terminal));
}

async function create(name: string, options: CreateOptions, terminal: Terminal): Promise<void> {
  await using hub = await connectToHub(options, terminal);
  const sandbox = options.nodes === undefined ? {} : { sandbox: { nodes: options.nodes } };
  const cluster = newObject(Cluster, { name, labels: options.label }, { connection: { mode: 'Sandbox' }, ...sandbox });
  const { dryRun } = options;
  if (dryRun === 'client') return terminal.out(`sandbox "${name}" created${dryRunMark(dryRun)}\n`);
  await hub.client.create(Cluster, cluster, { signal: terminal.signal, dryRun: dryRun === 'server' }).catch((cause: unknown) => {
    const isTaken = cause instanceof StatusError && cause.reason === 'AlreadyExists';
    throw isTaken
      ? new CommandError(`there is a cluster "${name}" already`, { hint: 'choose another name, or see it with "drover get clusters"' })
      : new CommandError(`cannot create sandbox "${name}"`, { cause });
  });
  terminal.out(`sandbox "${name}" created${dryRunMark(dryRun)}\n`);
  if (options.wait && dryRun === 'none') await waitUntilReady(hub.client, name, options.timeout, terminal);
}

async function remove(name: string, options: WaitOptions, terminal: Terminal): Promise<void> {
  await using hub = await connectToHub(options, terminal);
  const { metadata } = await findSandbox(hub.client, name, terminal);
  const preconditions = { ...(metadata.uid !== undefined && { uid: metadata.uid }) };
  const { dryRun } = options;
  if (dryRun !== 'client')
    await hub.client.delete(Cluster, { name }, { signal: terminal.signal, preconditions, dryRun: dryRun === 'server' });
  if (options.wait !== false && dryRun === 'none')
    await waitUntilGone(hub.client, { name, uid: metadata.uid ?? '' }, options.timeout, terminal);
  terminal.out(`sandbox "${name}" deleted${dryRunMark(dryRun)}\n`);
}

async function kubeconfig(name: string, options: HubOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const cluster = await findSandbox(hub.client, name, terminal);
  const secret = await hub.client.get(Secret, { namespace: clusterId(cluster), name: adminSecret.name }, { signal });
  const text = secret?.data?.[adminSecret.key];
  if (text === undefined)
    throw new CommandError(`sandbox "${name}" has no kubeconfig yet`, { hint: '"drover get clusters" shows whether it is ready' });
  terminal.out(Buffer.from(text, 'base64').toString());
}

async function list(options: HubOptions, terminal: Terminal): Promise<void> {
  await using hub = await connectToHub(options, terminal);
  const { items } = await hub.client.list(Cluster, { signal: terminal.signal });
  const sandboxes = items.filter(isSandbox);
  if (sandboxes.length === 0) return terminal.err('No sandbox clusters: "drover sandbox create NAME" makes one\n');
  const table = new TabWriter();
  table.line('NAME\tREADY\tNODES\tSERVER');
  for (const cluster of sandboxes) {
    const { metadata, spec, status } = cluster;
    const ready = findCondition(cluster, clusterConditions.ready)?.status ?? 'Unknown';
    table.line([metadata.name, ready, status?.nodes?.total ?? spec.sandbox?.nodes ?? 1, status?.server ?? '<none>'].join('\t'));
  }
  terminal.out(table.flush());
}

const isSandbox = ({ spec }: Cluster): boolean => spec.connection.mode === 'Sandbox';

async function findSandbox(hub: KubeClient, name: string, { signal }: Terminal): Promise<Cluster> {
  const cluster = await hub.get(Cluster, { name }, { signal });
  if (!cluster) throw new CommandError(`there is no sandbox "${name}"`, { hint: '"drover sandbox list" shows those there are' });
  if (isSandbox(cluster)) return cluster;
  throw new CommandError(`cluster "${name}" is no sandbox`, { hint: '"drover unjoin" removes members that live elsewhere' });
}
