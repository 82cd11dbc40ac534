import { exitCodes } from './exit-codes.ts';

export type ColorChoice = 'auto' | 'always' | 'never';

/** Where a command reads its surroundings and writes its results: data to `out`, everything else to `err`. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C, SIGTERM, or a reader that has gone. Commands that never look at it keep the default behaviour of signals. */
  readonly signal: AbortSignal;
  /** True once Ctrl-C or SIGTERM came. */
  readonly isInterrupted: boolean;
  /** True when a person looks at what `err` says. */
  readonly isErrorTty: boolean;
  /** How wide the terminal of `err` is now. */
  readonly errorColumns?: number | undefined;
  /** True when a person looks at what `out` says. */
  readonly isOutputTty?: boolean;
  out(text: string): void;
  err(text: string): void;
}

/** Long enough to take back a join that was begun, on a hub whose namespaces go slowly. A second Ctrl-C does not wait. */
const graceMs = 40_000;

/** The terminal of this process. */
export function processTerminal(): Terminal {
  const interruption = new AbortController();
  let isInterrupted = false;
  let isListening = false;

  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `drover get pods | head -1`: the reader has what it wanted, and that is no error.
    if (error.code === 'EPIPE') return interruption.abort(error);
    process.stderr.write(`error: cannot write the output: ${error.message}\n`);
    process.exit(exitCodes.error);
  });
  process.stderr.on('error', () => {});

  function listen(): void {
    if (isListening) return;
    isListening = true;
    const stop = () => {
      if (isInterrupted) process.exit(exitCodes.interrupted);
      isInterrupted = true;
      interruption.abort(new Error('interrupted'));
      setTimeout(() => process.exit(exitCodes.interrupted), graceMs).unref();
    };
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
  }

  return {
    env: process.env,
    get signal() {
      listen();
      return interruption.signal;
    },
    get isInterrupted() {
      return isInterrupted;
    },
    isErrorTty: process.stderr.isTTY === true,
    get errorColumns() {
      return process.stderr.columns;
    },
    isOutputTty: process.stdout.isTTY === true,
    out(text) {
      if (!interruption.signal.aborted || isInterrupted) process.stdout.write(text);
    },
    err(text) {
      process.stderr.write(text);
    },
  };
}

/** Whether to colour a stream: the option wins, then `NO_COLOR`, then `FORCE_COLOR`, then whether a person is looking. */
export function wantsColor(choice: ColorChoice, env: Terminal['env'], isTty: boolean): boolean {
  if (choice !== 'auto') return choice === 'always';
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTty && env['TERM'] !== 'dumb';
}
