/** A chart that cannot be rendered. */
export class RenderError extends Error {
  override name = 'RenderError';
  /** Whether trying again with the same inputs is in vain. What was asked of the cluster may be answered next time. */
  readonly isFinal: boolean;

  constructor(message: string, options: { isFinal: boolean; cause?: unknown }) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.isFinal = options.isFinal;
  }
}
