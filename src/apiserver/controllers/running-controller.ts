/** A controller at work inside the server's process. Disposing stops it. */
export interface RunningController extends Disposable {
  /** Resolves when it has nothing left to do for now. */
  idle(): Promise<void>;
}

export interface ControllerOptions {
  /** Default: the wall clock. */
  now?(): Date;
  /** Hears every failure; the work is tried again all the same. */
  onError?(key: string, error: unknown, failures: number): void;
}

/** How the API writes a point in time: whole seconds, UTC. */
export function timestamp(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
