import { Option } from 'commander';
import { EndWith, exitCodes } from './exit-codes.ts';

export interface UnchangedOptions {
  readonly errorUnchanged?: boolean;
}

/** `--error-unchanged`, for scripts that go on only after a change. */
export const errorUnchangedOption = (): Option => new Option('--error-unchanged', 'end with 3 when there is nothing to change');

/** Ends a command that had nothing to change and has said so. */
export function endUnchanged({ errorUnchanged }: UnchangedOptions): void {
  if (errorUnchanged) throw new EndWith(exitCodes.unchanged);
}
