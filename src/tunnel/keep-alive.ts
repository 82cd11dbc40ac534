import type { Http2Session } from 'node:http2';

export interface KeepAliveOptions {
  readonly pingEveryMs: number;
  readonly pingDeadlineMs: number;
  onDead(): void;
}

/**
 * Pings the other side and says so when it has not answered for the deadline. Only an answer counts: bytes may still come from a peer that
 * does not hear us any more.
 */
export function keepAlive(session: Http2Session, { pingEveryMs, pingDeadlineMs, onDead }: KeepAliveOptions): Disposable {
  let answers = 0;
  const deadline = setTimeout(() => lookAgain(answers), pingDeadlineMs);
  const pings = setInterval(() => {
    if (session.destroyed) return;
    session.ping(error => {
      if (error) return;
      answers++;
      deadline.refresh();
    });
  }, pingEveryMs);

  /** When it was this process that stood still, the answer waits to be read. */
  function lookAgain(seen: number): void {
    setImmediate(() =>
      setImmediate(() => {
        if (answers !== seen || session.destroyed) return;
        clearInterval(pings);
        onDead();
      }),
    );
  }

  return {
    [Symbol.dispose]() {
      clearInterval(pings);
      clearTimeout(deadline);
    },
  };
}
