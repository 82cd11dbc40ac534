import { Command, CommanderError, Option } from 'commander';
import { commandTable, type CommandEntry } from './command-table.ts';
import { explainError } from './explain-error.ts';
import { exitCodes } from './exit-codes.ts';
import { movedBehindCommand } from './leading-options.ts';
import { processTerminal, wantsColor, type ColorChoice, type Terminal } from './terminal.ts';

/** Runs one command and answers its exit code: see exit-codes.ts. */
export async function main(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  const words = movedBehindCommand(args);
  const program = await programFor(words, terminal);
  try {
    await program.parseAsync([...words], { from: 'user' });
    return terminal.isInterrupted ? exitCodes.interrupted : Number(process.exitCode ?? exitCodes.ok);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.code.startsWith('commander.help') || error.exitCode === 0) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
      terminal.err(`  ${usageHint(error, askedCommand(program, words))}\n`);
      return exitCodes.usage;
    }
    if (terminal.isInterrupted) return exitCodes.interrupted;
    // Whoever read the output has gone; nobody is left to tell.
    if ((error as NodeJS.ErrnoException | undefined)?.code === 'EPIPE') return exitCodes.ok;
    return fail(error, terminal, colorOf(words));
  }
}

/** The command that the words lead to, as far as they do. */
function askedCommand(program: Command, words: readonly string[]): Command {
  const next = program.commands.find(one => [one.name(), ...one.aliases()].includes(words[0] ?? ''));
  return next ? askedCommand(next, words.slice(1)) : program;
}

/** What people try here, and kubectl does. */
const verbsOfKubectl: ReadonlySet<string> = new Set(
  `annotate api-resources api-versions apply attach auth autoscale cluster-info cp create debug delete edit events exec expose label patch port-forward
  proxy replace scale set taint top`.split(/\s+/),
);

function usageHint({ code, message }: CommanderError, command: Command): string {
  const help = command.createHelp();
  const path = help
    .commandUsage(command)
    .split(' ', command.parent ? 2 : 1)
    .join(' ');
  if (code === 'commander.unknownOption' && message.includes("'--kubeconfig"))
    return '--hub FILE names the kubeconfig of the hub; KUBECONFIG and DROVER_KUBECONFIG do, too';
  const [, word] = /unknown command '([^']+)'/.exec(message) ?? [];
  if (word !== undefined && verbsOfKubectl.has(word))
    return `"kubectl ${word}" does that on the hub, "drover kubectl CLUSTER -- ${word} …" on a member`;
  return command.parent ? `usage: ${help.commandUsage(command)}; --help tells more` : `"${path} --help" lists the commands`;
}

/** The whole program with one command loaded: the one that is asked for. */
export async function programFor(words: readonly string[], terminal: Terminal): Promise<Command> {
  const program = newProgram(terminal);
  for (const entry of commandTable) {
    const command = addCommand(program, entry);
    if (words[0] === entry.name || words[0] === entry.alias) (await entry.load())(command, terminal);
  }
  return program;
}

/** The whole program with every command loaded, for those who want to look at it. */
export async function wholeProgram(terminal: Terminal): Promise<Command> {
  const program = newProgram(terminal);
  await Promise.all(commandTable.map(async entry => (await entry.load())(addCommand(program, entry), terminal)));
  return program;
}

function newProgram(terminal: Terminal): Command {
  return new Command('drover')
    .description('Drives herds of Kubernetes clusters.')
    .usage('COMMAND [options]')
    .helpCommand(false)
    .helpOption('-h, --help', 'show help')
    .enablePositionalOptions()
    .configureHelp({ subcommandTerm: command => command.name() })
    .configureOutput({ writeOut: text => terminal.out(text), writeErr: text => terminal.err(text) })
    .exitOverride()
    .addHelpText('after', '\n"drover COMMAND --help" says more about one. Every command also works as "kubectl drover COMMAND".');
}

function addCommand(program: Command, { name, alias, summary, group, isHidden = false }: CommandEntry): Command {
  return program
    .command(name, { hidden: isHidden })
    .aliases(alias === undefined ? [] : [alias])
    .description(summary)
    .helpGroup(group)
    .addOption(
      new Option('--color <when>', 'whether errors and differences are coloured').choices(['auto', 'always', 'never']).default('auto'),
    );
}

function colorOf(words: readonly string[]): ColorChoice {
  const joined = words.findLast(word => word.startsWith('--color='))?.slice('--color='.length);
  const choice = joined ?? words[words.lastIndexOf('--color') + 1];
  return choice === 'always' || choice === 'never' ? choice : 'auto';
}

function fail(error: unknown, terminal: Terminal, color: ColorChoice): number {
  const { message, hint, exitCode } = explainError(error);
  const paint = (code: number, text: string) =>
    wantsColor(color, terminal.env, terminal.isErrorTty) ? `\u001b[${code}m${text}\u001b[0m` : text;
  const [head, ...rest] = message.split(': ');
  if (message !== '') terminal.err(`${[paint(31, head ?? ''), ...rest].join(': ')}\n`);
  if (hint !== undefined) terminal.err(`  ${paint(2, hint)}\n`);
  if (terminal.env['DROVER_DEBUG'] && error instanceof Error) terminal.err(`${error.stack}\n`);
  return exitCode;
}
