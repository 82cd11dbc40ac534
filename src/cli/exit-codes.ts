/** What the exit code of every command means. */
export const exitCodes = { ok: 0, error: 1, usage: 2, unchanged: 3, timedOut: 4, partial: 5, interrupted: 130 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

interface CommandErrorOptions {
  readonly cause?: unknown;
  /** What the person may do about it: one line that begins in lower case. */
  readonly hint?: string;
  /** Default 1. */
  readonly exitCode?: ExitCode;
}

/** An error with the next step and the exit code that goes with it. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;

  constructor(message: string, { cause, hint, exitCode = exitCodes.error }: CommandErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
    this.exitCode = exitCode;
  }
}

/** The command line itself is wrong. */
export const usageError = (message: string, hint?: string) =>
  new CommandError(message, { exitCode: exitCodes.usage, ...(hint !== undefined && { hint }) });

/** Ends the command when everything has been said already. */
export class EndWith extends Error {
  override name = 'EndWith';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super(`ends with exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}
