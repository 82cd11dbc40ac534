import assert from 'node:assert/strict';
import { rigProgramPath } from './rig.ts';
import { printCommand, runCommand, type CommandOptions, type CommandResult } from './run-command.ts';

/** The two kubectls that have to work: the server's own version and the oldest that people still have. */
export const kubectlPrograms = ['kubectl', 'kubectl-1.32'] as const;

/** What a command must do: an exit code (0 unless told) and text found in its output, error output included. */
export interface Expectation extends CommandOptions {
  readonly code?: number;
  readonly says?: string | RegExp | readonly (string | RegExp)[];
}

/** A command line program and the cluster it talks to, typed as a user would type it. */
export class CommandLine {
  readonly #program: string;
  readonly #first: readonly string[];
  readonly #options: CommandOptions;

  /** `first`: arguments that stand before those of every line. */
  constructor(program: string, options: CommandOptions, first: readonly string[] = []) {
    this.#program = program;
    this.#first = first;
    this.#options = options;
  }

  run(line: string, options: CommandOptions = {}): Promise<CommandResult> {
    return runCommand(this.#program, [...this.#first, ...words(line)], {
      ...this.#options,
      ...options,
      env: { ...this.#options.env, ...options.env },
    });
  }

  /** Runs a line, holds it to what is expected of it, and answers its standard output. */
  async expect(line: string, { code = 0, says = [], ...options }: Expectation = {}): Promise<string> {
    const result = await this.run(line, options);
    const all = result.stdout + result.stderr;
    const shown = `${printCommand(this.#program, words(line))}\nended with ${result.code}\n${all}`;
    assert.equal(result.code, code, shown);
    for (const wanted of [says].flat()) {
      const isSaid = typeof wanted === 'string' ? all.includes(wanted) : wanted.test(all);
      assert.ok(isSaid, `does not say ${String(wanted)}: ${shown}`);
    }
    return result.stdout;
  }
}

/** An unmodified kubectl with its own cache, so that nothing learned from another server is reused. */
export function kubectlFor(name: (typeof kubectlPrograms)[number], { kubeconfig, dir }: { kubeconfig: string; dir: string }): CommandLine {
  const env = { KUBECONFIG: kubeconfig, KUBECACHEDIR: `${dir}/cache-${name}`, HOME: dir, KUBE_EDITOR: '' };
  return new CommandLine(rigProgramPath(name), { env, cwd: dir });
}

/** Splits a line as a shell does, with single and double quotes and without anything else. */
export function words(line: string): string[] {
  const found = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return found.map(word => word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
}
