import { Option, type Command } from 'commander';
import { newObject, type KindRef } from '../../api/define-kind.ts';
import type { KubeClient, WriteOptions } from '../../client/kube-client.ts';
import { ClusterRun } from '../../dialects/workflows/kinds/cluster-run.ts';
import { Pipeline, PipelineRun } from '../../dialects/workflows/kinds/pipeline.ts';
import { WorkflowRun, type ArtifactChoice } from '../../dialects/workflows/kinds/workflow-run.ts';
import { deliveryLabels } from '../../dialects/workflows/names.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { connectToHub, type HubConnection } from '../hub-client.ts';
import { collectList, collectPair, parseSeconds } from '../option-values.ts';
import type { Terminal } from '../terminal.ts';
import { addDeliveryOptions, parsePlan, titleOf, type DeliveryOptions, type NamedPlan } from '../workflows/delivery-argument.ts';
import { followRun, type FollowedRun } from '../workflows/follow-run.ts';
import { judgeEnd } from '../workflows/judge-end.ts';
import { previewText } from '../workflows/preview-text.ts';

interface RunOptions extends DeliveryOptions {
  readonly var: Readonly<Record<string, string>>;
  readonly artifact: readonly string[];
  readonly only: readonly string[];
  readonly exclude: readonly string[];
  readonly skipGate: readonly string[];
  readonly infrastructure?: string;
  readonly name?: string;
  readonly notes?: string;
  readonly preview?: boolean;
  readonly previewed?: string;
  readonly initialize?: boolean;
  readonly follow?: boolean;
  readonly timeout?: number;
  readonly dryRun: DryRun;
}

/** Not as the hub calls itself: where people have its credential, admission tells them apart by this. */
const fieldManager = 'cli-drover-run';

export function defineRun(command: Command, terminal: Terminal): void {
  command
    .usage('[options] WORKFLOW | pipeline/NAME')
    .argument('<workflow...>', 'the Workflow, or the Pipeline')
    .option('--var <name=value>', 'a value for a variable; may be repeated', collectPair, {})
    .option('--artifact <service=version>', 'which version of a service; may be repeated', collectList, [])
    .option('--only <clusters>', 'none but these clusters', collectList, [])
    .option('--exclude <clusters>', 'not these clusters', collectList, [])
    .option('--infrastructure <name>', 'another InfrastructureDefinition than that of the workflow')
    .option('--skip-gate <names>', 'gates that need not be passed; needs the right to bypass', collectList, [])
    .option('--name <name>', 'what the run is called (default: after the workflow)')
    .option('--notes <text>', 'why')
    .option('--preview', 'only tell what it would change, on every cluster')
    .option('--previewed <run>', 'refuse to do anything else than this preview said')
    .option('--initialize', 'plan it and wait for "drover resume"')
    .option('-f, --follow', 'show how it goes, and end with 0 only when all is well')
    .addOption(new Option('--timeout <time>', 'how long to follow it (default: as long as it takes)').argParser(parseSeconds))
    .addOption(dryRunOption('begin nothing'));
  addDeliveryOptions(command)
    .addHelpText(
      'after',
      '\nMakes a WorkflowRun, or a PipelineRun, and prints its name. While it goes, "drover\n' +
        'pause", "resume", "abort", "rollback" and "approve" steer it, "drover logs" shows what\n' +
        'its steps say. With --follow: 0 when all is well, 5 when it is done but not on every\n' +
        'cluster, 4 when --timeout has passed, 1 else.',
    )
    .action((words: string[], options: RunOptions) => run(words, options, terminal));
}

async function run(words: string[], options: RunOptions, terminal: Terminal): Promise<void> {
  const plan = parsePlan(words);
  checkOptions(plan, options);
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const namespace = options.namespace ?? hub.namespace;
  await requirePlan(hub, plan, namespace, signal);
  const { dryRun } = options;
  const kind = plan.kind.kind === Pipeline.kind ? PipelineRun : WorkflowRun;
  if (dryRun === 'client') return terminal.out(`${titleOf(kind, options.name ?? `${plan.name}-`)} created${dryRunMark(dryRun)}\n`);
  const name = await create(hub.client, plan, namespace, options, { fieldManager, signal, dryRun: dryRun === 'server' });
  const made: FollowedRun = { kind, namespace, name, title: titleOf(kind, name) };
  terminal.out(`${made.title} created${dryRunMark(dryRun)}\n`);
  if (dryRun === 'server' || (options.follow !== true && options.preview !== true)) return;
  const ended = await followRun(hub.client, made, terminal, { timeoutMs: options.timeout });
  if (options.preview === true) terminal.out(previewText(ended as WorkflowRun, await clusterRunsOf(hub, made, signal)));
  judgeEnd(ended, made.title, 'Succeeded');
}

async function create(client: KubeClient, plan: NamedPlan, namespace: string, options: RunOptions, write: WriteOptions): Promise<string> {
  const label = plan.name.slice(0, 63).replace(/[^a-zA-Z0-9]+$/, '');
  const labels = plan.kind.kind === Pipeline.kind ? {} : { labels: { [deliveryLabels.workflow]: label } };
  const metadata = { namespace, ...labels, ...(options.name === undefined ? { generateName: `${plan.name}-` } : { name: options.name }) };
  const shared = {
    ...(Object.keys(options.var).length > 0 && { variables: { ...options.var } }),
    ...(options.artifact.length > 0 && { artifacts: options.artifact.map(parseArtifact) }),
    ...(options.notes !== undefined && { notes: options.notes }),
  };
  if (plan.kind.kind === Pipeline.kind) {
    const made = await client.create(PipelineRun, newObject(PipelineRun, metadata, { pipelineRef: { name: plan.name }, ...shared }), write);
    return made.metadata.name!;
  }
  const { only, exclude, infrastructure, previewed, skipGate, preview, initialize } = options;
  const clusters = { ...(only.length > 0 && { only: [...only] }), ...(exclude.length > 0 && { exclude: [...exclude] }) };
  const spec = {
    workflowRef: { name: plan.name },
    ...shared,
    ...(preview === true && { mode: 'Preview' as const }),
    ...(initialize === true && { state: 'Initialize' as const }),
    ...(Object.keys(clusters).length > 0 && { clusters }),
    ...(infrastructure !== undefined && { infrastructureRef: infrastructure }),
    ...(previewed !== undefined && { previewRef: previewed.replace(/^.*\//, '') }),
    ...(skipGate.length > 0 && { skipGates: [...skipGate] }),
  };
  return (await client.create(WorkflowRun, newObject(WorkflowRun, metadata, spec), write)).metadata.name!;
}

/** `checkout=1.4.2`, `checkout=sha256:…`, or the version alone for the service of the workflow. */
export function parseArtifact(text: string): ArtifactChoice {
  const at = text.indexOf('=');
  const service = at < 0 ? undefined : text.slice(0, at);
  const version = text.slice(at + 1);
  if (version === '' || service === '') throw usageError(`${JSON.stringify(text)} names no version`, 'write SERVICE=VERSION');
  return { ...(service !== undefined && { service }), ...(version.startsWith('sha256:') ? { digest: version } : { tag: version }) };
}

function checkOptions({ kind }: NamedPlan, options: RunOptions): void {
  if (options.preview === true && options.initialize === true) throw usageError('--preview and --initialize do not go together');
  if (kind.kind !== Pipeline.kind) return;
  const { only, exclude, infrastructure, previewed, skipGate, preview, initialize } = options;
  const isOfWorkflow = [preview, initialize, infrastructure, previewed].some(one => one !== undefined);
  if (isOfWorkflow || only.length + exclude.length + skipGate.length > 0)
    throw usageError('a pipeline takes only --var, --artifact, --name and --notes', 'the rest is said in its stages and workflows');
}

/** A run of nothing would be made and fail: better to say so at once. */
async function requirePlan(hub: HubConnection, { kind, name }: NamedPlan, namespace: string, signal: AbortSignal): Promise<void> {
  if (await hub.client.get(kind as KindRef, { namespace, name }, { signal })) return;
  const what = kind.kind.toLowerCase();
  throw new CommandError(`there is no ${what} ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)}`, {
    hint: `"drover get ${kind.resource} -n ${namespace}" lists those there are`,
  });
}

async function clusterRunsOf(hub: HubConnection, { namespace, name }: FollowedRun, signal: AbortSignal): Promise<ClusterRun[]> {
  const { items } = await hub.client.list(ClusterRun, { namespace, signal });
  return items.filter(one => one.spec.runRef.name === name);
}
