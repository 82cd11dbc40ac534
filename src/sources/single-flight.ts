interface Flight<T> {
  readonly answer: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Work that many ask for at the same time and that is done once. It is given up when the last who waits for it has given up; each of them leaves with
 * the reason of its own signal. A failure is told to those who wait and is not kept.
 */
export class SingleFlight<T> {
  readonly #flights = new Map<string, Flight<T>>();

  async run(key: string, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    const flight = this.#flights.get(key) ?? this.#start(key, work);
    flight.waiting++;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal?.reason);
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([flight.answer, left.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
      if (--flight.waiting === 0) this.#end(key, flight);
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const stop = new AbortController();
    const flight: Flight<T> = { answer: Promise.try(work, stop.signal), stop, waiting: 0 };
    flight.answer.catch(() => {}).finally(() => this.#forget(key, flight));
    this.#flights.set(key, flight);
    return flight;
  }

  #end(key: string, flight: Flight<T>): void {
    this.#forget(key, flight);
    flight.stop.abort(new Error('nobody waits for it any more'));
  }

  #forget(key: string, flight: Flight<T>): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}
