import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import type { KindRef } from '../../api/define-kind.ts';
import { rolloutAnnotations, type RolloutRequest, type RolloutState } from '../../api/rollout.ts';
import { rollbackTarget } from '../../core/rollouts/take-request.ts';
import { effectiveProvider, onlyPlans } from '../../dialects/k0rdent/effective-config.ts';
import type { MultiClusterService } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import { revisionOf } from '../../dialects/k0rdent/rollout-revisions.ts';
import type { JsonObject } from '../../util/json.ts';
import { dryRunMark, dryRunOption, type DryRun } from '../dry-run.ts';
import { errorUnchangedOption, type UnchangedOptions } from '../error-unchanged.ts';
import { CommandError, exitCodes, usageError } from '../exit-codes.ts';
import { addHubOptions, connectToHub, type HubConnection, type HubOptions } from '../hub-client.ts';
import { parseSeconds } from '../option-values.ts';
import { showProgress, type ProgressItem } from '../output/progress.ts';
import { visibleLine } from '../output/visible-text.ts';
import { requireOwner } from '../services/find-owner.ts';
import { parseOwner } from '../services/owner-argument.ts';
import { printRollout } from '../services/print-rollout.ts';
import type { Terminal } from '../terminal.ts';

interface RolloutOptions extends HubOptions {
  readonly namespace?: string;
}

interface ChangeOptions extends RolloutOptions, UnchangedOptions {
  readonly dryRun: DryRun;
}

interface StatusOptions extends RolloutOptions {
  readonly watch: boolean;
  readonly timeout?: number;
  readonly output?: 'json';
}

const fieldManager = 'drover-rollout';
const pollMs = 300;

export function defineRollout(command: Command, terminal: Terminal): void {
  command.addHelpText('after', '\nFor MultiClusterServices with spec.rollout, which name the waves in which their clusters get a change.');
  define('status', 'show how far it is, and wait until it ends')
    .option('--no-watch', 'do not wait')
    .addOption(new Option('--timeout <time>', 'how long to wait (default: as long as it takes)').argParser(parseSeconds))
    .addOption(new Option('-o, --output <form>', 'print it for programs, once').choices(['json']))
    .action((words: string[], options: StatusOptions) => status(words, options, terminal));
  defineChange('pause', 'let no further cluster get the change for now')
    .addOption(errorUnchangedOption())
    .action((words: string[], options: ChangeOptions) => setPaused(words, true, options, terminal));
  defineChange('resume', 'go on after a pause')
    .addOption(errorUnchangedOption())
    .action((words: string[], options: ChangeOptions) => setPaused(words, false, options, terminal));
  defineChange('abort', 'stop it, and leave every cluster as it is').action((words: string[], options: ChangeOptions) =>
    request(words, 'abort', options, terminal),
  );
  defineChange('retry', 'begin again with the same revision').action((words: string[], options: ChangeOptions) =>
    request(words, 'retry', options, terminal),
  );
  defineChange('undo', 'put clusters back to the last verified revision').action((words: string[], options: ChangeOptions) =>
    request(words, 'undo', options, terminal),
  );

  function defineChange(name: string, description: string): Command {
    return define(name, description).addOption(dryRunOption());
  }

  function define(name: string, description: string): Command {
    const sub = command.command(name).description(description).usage('[options] mcs/NAME');
    return addHubOptions(
      sub.argument('<mcs...>', 'which MultiClusterService').option('-n, --namespace <name>', 'its namespace, where it has one'),
    );
  }
}

interface Found {
  readonly mcs: MultiClusterService;
  readonly kind: KindRef<MultiClusterService>;
  /** As kubectl names it. */
  readonly title: string;
}

async function find(hub: HubConnection, words: readonly string[], { namespace }: RolloutOptions, terminal: Terminal): Promise<Found> {
  const named = parseOwner(words);
  if (!named || !named.kind.kind.endsWith('MultiClusterService'))
    throw usageError(`${JSON.stringify(words[0] ?? '')} has no rollout`, 'only MultiClusterServices have one: write mcs/NAME');
  const mcs = (await requireOwner(hub, { ...named, namespace }, terminal.signal)) as MultiClusterService;
  const kind = named.kind as unknown as KindRef<MultiClusterService>;
  if (!mcs.spec.rollout)
    throw new CommandError(`${named.kind.kind} ${JSON.stringify(named.name)} has no rollout: its clusters get every change at once`, {
      hint: 'spec.rollout names the waves; "kubectl explain mcs.spec.rollout" says how',
    });
  return { mcs, kind, title: `${kind.kind.toLowerCase()}.${kind.group}/${named.name}` };
}

async function status(words: string[], options: StatusOptions, terminal: Terminal): Promise<void> {
  const { signal } = terminal;
  await using hub = await connectToHub(options, terminal);
  const deadline = performance.now() + (options.timeout ?? Infinity);
  let found = await find(hub, words, options, terminal);
  if (options.output === 'json') return terminal.out(`${JSON.stringify(found.mcs.status?.rollout ?? null, undefined, 2)}\n`);
  const state = stateOf(found.mcs);
  if (state) terminal.out(printRollout(state));
  using progress = showProgress(terminal);
  for (let said = ''; ; await sleep(pollMs, undefined, { signal }), found = await find(hub, words, options, terminal)) {
    const now = stateOf(found.mcs);
    const message = now?.message ?? notBegun(found.mcs);
    if (message !== said) progress.clear();
    if (message !== said) terminal.out(`${visibleLine(message)}\n`);
    said = message;
    if (terminal.isErrorTty && options.watch && now) progress.show(progressOf(now));
    if (now?.phase === 'Succeeded' || !options.watch) return;
    if (now && hasEndedBadly(now)) throw new CommandError(`the rollout of ${found.title} is ${now.phase}`);
    if (performance.now() > deadline) throw new CommandError(`${found.title} was not rolled out in time`, { exitCode: exitCodes.timedOut });
  }
}

const progressOf = ({ waves }: RolloutState): ProgressItem[] =>
  waves.flatMap(({ clusters }) =>
    clusters.map(({ name, state }) => ({ name, state, isDone: state === 'Succeeded' || state === 'Skipped' })),
  );

/** Undefined while the hub has not looked at the present spec, and while that is only planned. */
function stateOf(mcs: MultiClusterService): RolloutState | undefined {
  const state = mcs.status?.rollout;
  return state?.revision === revisionOf(mcs) ? state : undefined;
}

const notBegun = ({ metadata, spec }: MultiClusterService): string =>
  onlyPlans(effectiveProvider(spec.serviceSpec ?? {}))
    ? `It only plans: the rollout goes on when it delivers; "drover diff ${metadata.namespace === undefined ? 'mcs' : 'nmcs'}/${metadata.name}" shows what would change`
    : 'The rollout has not begun yet';

const hasEndedBadly = ({ phase }: RolloutState): boolean =>
  phase === 'Failed' || phase === 'Aborted' || phase === 'RolledBack' || phase === 'RollbackFailed';

async function setPaused(words: string[], paused: boolean, options: ChangeOptions, terminal: Terminal): Promise<void> {
  await using hub = await connectToHub(options, terminal);
  const { mcs, kind, title } = await find(hub, words, options, terminal);
  const done = paused ? 'paused' : 'resumed';
  if ((mcs.spec.rollout?.paused ?? false) === paused)
    throw new CommandError(`${title} is ${paused ? 'paused already' : 'not paused'}`, {
      exitCode: options.errorUnchanged ? exitCodes.unchanged : exitCodes.error,
    });
  await patch(hub, { mcs, kind }, { spec: { rollout: { paused: paused ? true : null } } }, options.dryRun, terminal);
  terminal.out(`${title} ${done}${dryRunMark(options.dryRun)}\n`);
}

const doneWords: Readonly<Record<RolloutRequest, string>> = {
  abort: 'is asked to stop',
  retry: 'is asked to begin again',
  undo: 'is asked to go back',
};

async function request(words: string[], verb: RolloutRequest, options: ChangeOptions, terminal: Terminal): Promise<void> {
  await using hub = await connectToHub(options, terminal);
  const { mcs, kind, title } = await find(hub, words, options, terminal);
  const state = mcs.status?.rollout;
  if (!state) throw new CommandError(`the rollout of ${title} has not begun yet`);
  const why = whyNot(verb, state);
  if (why !== undefined)
    throw new CommandError(`${title}: ${why}`, { hint: `"drover rollout status ${words.join(' ')} --no-watch" shows how far it is` });
  const value = `${verb} ${state.revision} ${new Date().toISOString()}`;
  await patch(hub, { mcs, kind }, { metadata: { annotations: { [rolloutAnnotations.request]: value } } }, options.dryRun, terminal);
  const target = verb === 'undo' ? ` to revision ${rollbackTarget(state)}` : '';
  terminal.out(`${title} ${doneWords[verb]}${target}${dryRunMark(options.dryRun)}\n`);
}

function whyNot(verb: RolloutRequest, state: RolloutState): string | undefined {
  const { phase } = state;
  if (verb === 'undo') return rollbackTarget(state) === undefined ? 'there is no verified revision to go back to' : undefined;
  if (verb === 'retry')
    return phase === 'Succeeded' || phase === 'RollingBack' ? `a rollout that is ${phase} cannot begin again` : undefined;
  return ['Succeeded', 'Aborted', 'RollingBack', 'RolledBack'].includes(phase) ? `a rollout that is ${phase} cannot be aborted` : undefined;
}

async function patch(
  hub: HubConnection,
  { mcs, kind }: Omit<Found, 'title'>,
  body: JsonObject,
  dryRun: DryRun,
  { signal }: Terminal,
): Promise<void> {
  if (dryRun === 'client') return;
  const { namespace, name = '' } = mcs.metadata;
  await hub.client.patch(kind, { namespace, name }, { type: 'merge', body }, { fieldManager, signal, dryRun: dryRun === 'server' });
}
