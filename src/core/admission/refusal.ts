import { StatusError } from '../../api/status.ts';
import type { AdmissionAnswer } from './admission-review.ts';

/** Something may not be, in words for whoever asked. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly warnings: readonly string[];

  constructor(message: string, warnings: readonly string[] = []) {
    super(message);
    this.warnings = warnings;
  }
}

export const forbid = (message: string, warnings: readonly string[] = []): AdmissionAnswer => ({
  refusal: new StatusError(403, 'Forbidden', message),
  warnings,
});
