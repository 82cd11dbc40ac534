import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { eventually } from './eventually.ts';

export interface TypedShellOptions {
  /** Such as `zsh -f -i`. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** An interactive shell at a terminal of its own, which a test types into key by key: tabs are tabs, and Ctrl-C is `\u0003`. */
export class TypedShell implements AsyncDisposable {
  readonly #shell;
  #shown = '';

  constructor({ command, env, cwd }: TypedShellOptions) {
    // The program "script" belongs to every Debian, and gives what it runs a terminal.
    this.#shell = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: { ...process.env, TERM: 'xterm', LINES: '50', COLUMNS: '160', ...env },
    });
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.#shown += text));
    this.#shell.stdin.on('error', () => {});
  }

  /** What is on the terminal since the last line was typed, without colours and movements. */
  get shown(): string {
    return stripVTControlCharacters(this.#shown).replaceAll('\r', '');
  }

  type(keys: string): void {
    this.#shown = '';
    this.#shell.stdin.write(keys);
  }

  async shows(expected: RegExp, timeoutMs = 30_000): Promise<void> {
    await eventually(
      () => this.shown,
      text => expected.test(text),
      { timeoutMs, everyMs: 30, what: `${expected} at the terminal` },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null) return;
    this.#shell.once('close', () => resolve());
    this.#shell.stdin.destroy();
    this.#shell.kill('SIGTERM');
    const forced = setTimeout(() => this.#shell.kill('SIGKILL'), 3_000);
    await promise;
    clearTimeout(forced);
  }
}
