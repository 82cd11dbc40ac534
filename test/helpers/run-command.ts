import { spawn } from 'node:child_process';

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
}

/** Runs a program to its end. A failing exit code is an answer, not an error; running out of time kills the program and throws. */
export async function runCommand(command: string, args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const { input = '', env = {}, cwd, timeoutMs = 60_000 } = options;
  const child = spawn(command, args, { env: { ...process.env, ...env }, ...(cwd ? { cwd } : {}) });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that does not read its input may be gone before we have written it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);

  const { promise, resolve, reject } = Promise.withResolvers<number | null>();
  child.once('error', reject);
  child.once('close', resolve);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, timeoutMs);
  const code = await promise.finally(() => clearTimeout(timer));
  const result = { code, stdout: Buffer.concat(stdout).toString('utf8'), stderr: Buffer.concat(stderr).toString('utf8') };
  if (isLate) throw new Error(`${printCommand(command, args)} did not end within ${timeoutMs} ms\n${result.stdout}${result.stderr}`);
  return result;
}

export function printCommand(command: string, args: readonly string[]): string {
  return [command.split('/').at(-1), ...args].map(word => (/[^\w@%+=:,./-]/.test(word ?? '') ? JSON.stringify(word) : word)).join(' ');
}
