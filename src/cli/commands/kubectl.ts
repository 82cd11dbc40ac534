import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { writeFileAtomic } from '../../util/write-file-atomic.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { requireMember } from '../clusters/require-cluster.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import { addHubOptions, connectToHub, type HubOptions } from '../hub-client.ts';
import { memberKubeconfig } from '../kubeconfig/member-kubeconfig-document.ts';
import type { Terminal } from '../terminal.ts';

export function defineKubectl(command: Command, terminal: Terminal): void {
  command
    .usage('[options] CLUSTER -- ARGUMENTS…')
    .argument('<cluster>', 'name of the member')
    .argument('[arguments...]', 'what kubectl is given')
    .passThroughOptions();
  addHubOptions(command)
    .addHelpText(
      'after',
      '\nRuns your own kubectl ($DROVER_KUBECTL, or the one in PATH) against a member, for example:\n  drover kubectl east -- logs -f deploy/web',
    )
    .action((name: string, args: string[], options: HubOptions) => kubectl(name, args, options, terminal));
}

async function kubectl(name: string, args: string[], options: HubOptions, terminal: Terminal): Promise<void> {
  const given = args[0] === '--' ? args.slice(1) : args;
  if (given.length === 0) throw usageError('kubectl is given nothing to do', `for example: drover kubectl ${name} -- get pods`);
  const { document, trouble } = await readDocument(name, options, terminal);
  using folder = privateFolder();
  const file = join(folder.path, 'kubeconfig');
  writeFileAtomic(file, document, 0o600);
  process.exitCode = await run(terminal.env['DROVER_KUBECTL'] ?? 'kubectl', given, { ...terminal.env, KUBECONFIG: file });
  // Of what the hub answers in place of the member, kubectl tells nothing.
  if (process.exitCode !== 0 && trouble !== undefined) terminal.err(`cluster ${JSON.stringify(name)} is not reached: ${trouble}\n`);
}

/** The connection to the hub is closed before kubectl begins, which may go on for hours. */
async function readDocument(
  name: string,
  options: HubOptions,
  terminal: Terminal,
): Promise<{ readonly document: string; readonly trouble: string | undefined }> {
  await using hub = await connectToHub(options, terminal);
  // Not the terminal's own signal: from here on signals are kubectl's.
  const member = await requireMember(hub, name, { signal: AbortSignal.timeout(30_000) });
  const connected = member?.status?.conditions?.find(one => one.type === 'Connected');
  const trouble = connected?.status === 'True' ? undefined : connected?.message;
  return { document: writeYaml(await memberKubeconfig(hub, name)), trouble };
}

function privateFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'drover-kubectl-'));
  const remove = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', remove);
  return {
    path,
    [Symbol.dispose]() {
      process.removeListener('exit', remove);
      remove();
    },
  };
}

/** The exit code of the program, or that of a shell when a signal ended it. */
function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const child = spawn(program, args, { stdio: 'inherit', env });
  const stopForwarding = forwardSignals(child);
  child.once('error', (cause: NodeJS.ErrnoException) => {
    stopForwarding();
    const hint = 'install kubectl, or name it with DROVER_KUBECTL';
    reject(
      new CommandError(`cannot run "${program}"`, { cause: cause.code === 'ENOENT' ? new Error('there is no such program') : cause, hint }),
    );
  });
  child.once('close', (code, signal) => {
    stopForwarding();
    resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
  return promise;
}

/** We outlive kubectl, to clean up. A terminal sends Ctrl-C to both of us; other signals come to us alone. */
function forwardSignals(child: ChildProcess): () => void {
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
  const forward = (name: NodeJS.Signals) => {
    if (!(name === 'SIGINT' && process.stdin.isTTY)) child.kill(name);
  };
  for (const name of names) process.on(name, forward);
  return () => names.forEach(name => process.removeListener(name, forward));
}
