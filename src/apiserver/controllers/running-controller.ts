/** A controller at work inside the server's process. Disposing stops it. */
export interface RunningController extends Disposable {
  /** Resolves when it has nothing left to do for now. */
  idle(): Promise<void>;
}

export interface ControllerOptions {
  /** Default: the wall clock. */
  now?(): Date;
  /** What is there already is as it should be, so that only changes need a look. */
  isSettled?: boolean;
  /** Hears every failure; the work is tried again all the same. */
  onError?(key: string, error: unknown, failures: number): void;
}
