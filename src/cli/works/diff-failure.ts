import { CommandError, exitCodes } from '../exit-codes.ts';
import { explainError } from '../explain-error.ts';
import type { Terminal } from '../terminal.ts';

/** What fails ends with 2 or more: 1 means differences. */
export async function orDiffFails<R>(doing: string, { signal }: Terminal, work: () => Promise<R>): Promise<R> {
  try {
    return await work();
  } catch (cause) {
    if (signal.aborted) throw cause;
    const { hint, exitCode } = explainError(cause);
    throw new CommandError(doing, {
      cause,
      exitCode: exitCode === exitCodes.error ? exitCodes.usage : exitCode,
      ...(hint !== undefined && { hint }),
    });
  }
}
