import type { Http2Session } from 'node:http2';

export interface KeepAliveOptions {
  readonly pingEveryMs: number;
  readonly pingDeadlineMs: number;
  onDead(): void;
}

export interface KeptAlive extends Disposable {
  /** The other side has answered something else that it was asked at that time, by `performance.now()`: as good as a ping if that is not long ago. */
  answered(askedAt: number): void;
}

/**
 * Pings the other side and says so when it has not answered for the deadline. Only an answer counts: bytes may still come from a peer that
 * does not hear us any more. Where it answers other questions anyway there are no pings.
 */
export function keepAlive(session: Http2Session, { pingEveryMs, pingDeadlineMs, onDead }: KeepAliveOptions): KeptAlive {
  let answers = 0;
  let isAskedAnyway = false;
  const deadline = setTimeout(() => lookAgain(answers), pingDeadlineMs);
  const pings = setInterval(() => {
    if (session.destroyed) return;
    if (isAskedAnyway) {
      isAskedAnyway = false;
      return;
    }
    session.ping(error => {
      if (!error) heard();
    });
  }, pingEveryMs);

  function heard(): void {
    answers++;
    deadline.refresh();
  }

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
    answered(askedAt) {
      if (performance.now() - askedAt > pingEveryMs) return;
      isAskedAnyway = true;
      heard();
    },
    [Symbol.dispose]() {
      clearInterval(pings);
      clearTimeout(deadline);
    },
  };
}
