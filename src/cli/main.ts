import { Command, CommanderError } from 'commander';
import { up } from './commands/up.ts';

/** Exit codes: 0 ok, 1 error, 2 usage. */
export async function main(args: readonly string[]): Promise<number> {
  const program = new Command('drover')
    .description('Drives herds of Kubernetes clusters.')
    .exitOverride()
    .showHelpAfterError('(add --help for usage)');
  program
    .command('up')
    .description('start the hub: a Kubernetes API in one process')
    .option('--data <dir>', 'where the hub keeps its data (default: ~/.drover)')
    .option('--listen <host:port>', 'address to listen on', '127.0.0.1:7443')
    .action(up);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`error: ${messages(error).join(': ')}\n`);
    return 1;
  }
}

function messages(error: unknown): string[] {
  if (!(error instanceof Error)) return [String(error)];
  return error.cause === undefined ? [error.message] : [error.message, ...messages(error.cause)];
}
