/** A kustomization that cannot be built. Its words are kustomize's own where it has some. */
export class KustomizeError extends Error {}

/** The same fault with what was being done in front of it, as kustomize tells it: `doing this: that went wrong`. */
export function within<T>(doing: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof KustomizeError) || error instanceof BoundError) throw error;
    throw new KustomizeError(`${doing}: ${error.message}`, { cause: error });
  }
}

/** A bound was hit. No other way of reading the same input is tried after it. */
export class BoundError extends KustomizeError {}
