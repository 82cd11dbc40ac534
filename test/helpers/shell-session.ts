import { spawn } from 'node:child_process';

export interface ShellAnswer {
  readonly code: number;
  /** Standard output and error as a person sees them. */
  readonly output: string;
}

const endOfAnswer = /\u001e(\d+)\u001e\n$/;

/** One bash to type into, line after line: what a line sets, the next one sees. */
export class ShellSession implements AsyncDisposable {
  readonly #shell;
  #output = '';
  #onOutput = () => {};

  constructor({ env, cwd }: { env: Readonly<Record<string, string>>; cwd: string }) {
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env: { ...process.env, ...env } });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    this.#shell.stdin.on('error', () => {});
    this.#shell.stdin.write('exec 2>&1\n');
  }

  async run(command: string, { timeoutMs = 60_000 } = {}): Promise<ShellAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ShellAnswer>();
    this.#output = '';
    this.#onOutput = () => {
      const end = endOfAnswer.exec(this.#output);
      if (end) resolve({ code: Number(end[1]), output: this.#output.slice(0, end.index) });
    };
    const timer = setTimeout(() => reject(new Error(`"${command}" did not end within ${timeoutMs} ms\n${this.#output}`)), timeoutMs);
    // `$?` is that of the last command, and no command reads the next from our input.
    this.#shell.stdin.write(`{ (exit \${last:-0})\n${command}\n} </dev/null\nlast=$?; printf '\\036%d\\036\\n' $last\n`);
    return await promise.finally(() => clearTimeout(timer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    this.#shell.once('close', () => resolve());
    this.#shell.kill('SIGKILL');
    await promise;
  }
}
