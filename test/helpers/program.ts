import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProgramOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly logFile: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const running = new Set<ChildProcess>();
// Whatever ends the test ends its children too; a signal by itself would not run the exit handlers.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));

/** A child process with its output in a file. Only this process id is ever signalled. */
export class Program implements AsyncDisposable {
  readonly name: string;
  readonly logFile: string;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly exited: Promise<number | null>;
  isRunning = true;
  #isAsked = false;

  constructor({ name, command, args, logFile, env, cwd }: ProgramOptions) {
    this.name = name;
    this.logFile = logFile;
    const log = openSync(logFile, 'a');
    this.#child = spawn(command, args, { stdio: ['ignore', log, log], env: { ...process.env, ...env }, ...(cwd ? { cwd } : {}) });
    closeSync(log);
    running.add(this.#child);
    this.pid = this.#child.pid ?? 0;
    this.exited = new Promise(resolve => {
      this.#child.once('error', () => this.#end(null, resolve));
      this.#child.once('exit', code => this.#end(code, resolve));
    });
  }

  /** Waits until `isReady` answers true. When the program dies or time runs out, throws with the end of its log. */
  async waitUntil(isReady: () => Promise<boolean>, { timeoutMs = 60_000, everyMs = 100 } = {}): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (!this.isRunning) throw new Error(`${this.name} ended before it was ready; ${this.logTail()}`);
      if (await isReady().catch(() => false)) return;
      if (Date.now() > deadline) throw new Error(`${this.name} was not ready within ${timeoutMs} ms; ${this.logTail()}`);
      await sleep(everyMs);
    }
  }

  logTail(lines = 30): string {
    const text = readFileSync(this.logFile, 'utf8');
    return `end of ${this.logFile}:\n${text.trimEnd().split('\n').slice(-lines).join('\n')}`;
  }

  kill(signal: NodeJS.Signals): void {
    this.#isAsked = true;
    if (this.isRunning) this.#child.kill(signal);
  }

  /** A program that ended without being told to fails the test that needed it: it is a crash that others would only see as refused connections. */
  assertNotEndedUnasked(): void {
    if (!this.isRunning && !this.#isAsked) throw new Error(`${this.name} ended by itself; ${this.logTail(60)}`);
  }

  async stop({ graceMs = 5_000 } = {}): Promise<void> {
    this.kill('SIGTERM');
    const forced = setTimeout(() => this.kill('SIGKILL'), graceMs);
    await this.exited;
    clearTimeout(forced);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #end(code: number | null, resolve: (code: number | null) => void): void {
    this.isRunning = false;
    running.delete(this.#child);
    resolve(code);
  }
}
