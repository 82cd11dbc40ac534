export interface SourceErrorOptions {
  readonly cause?: unknown;
  /** A person must change something; trying again may help only when somebody else did. Default false. */
  readonly isFinal?: boolean;
}

/** Something could not be got from its source. The message is for people and holds no credentials. */
export class SourceError extends Error {
  override name = 'SourceError';
  readonly isFinal: boolean;

  constructor(message: string, { cause, isFinal = false }: SourceErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.isFinal = isFinal;
  }
}
