import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Direction = 'to server' | 'to client';

/** A TCP link with faults on request. Bytes that are held back are lost when the link is cut. */
export interface FaultyLink extends AsyncDisposable {
  readonly port: number;
  /** From now on nothing passes in this direction, and nobody is told. */
  drop(...directions: Direction[]): void;
  /** Delays every chunk. */
  delay(delayMs: number): void;
  /** Resets every connection; new ones are refused until `heal`. */
  cut(): void;
  /** Works again. Connections that were starved stay so: what was lost is lost. */
  heal(): void;
  readonly connections: number;
}

export async function startFaultyLink(serverPort: number): Promise<FaultyLink> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let dropped = new Set<Direction>();
  let delayMs = 0;
  let isCut = false;
  const server = createServer(client => {
    if (isCut) return void client.resetAndDestroy();
    const far = connect(serverPort, '127.0.0.1');
    const pair = [client, far] as const;
    pairs.add(pair);
    carry(client, far, 'to server');
    carry(far, client, 'to client');
    for (const socket of pair) socket.on('error', () => socket.destroy());
    client.once('close', () => pairs.delete(pair));
  });

  function carry(from: Socket, to: Socket, direction: Direction): void {
    let isStarved = false;
    from.on('data', chunk => {
      isStarved ||= dropped.has(direction);
      if (isStarved) return;
      const pass = () => {
        if (to.destroyed || to.write(chunk)) return;
        from.pause();
        to.once('drain', () => from.resume());
      };
      if (delayMs > 0) setTimeout(pass, delayMs);
      else pass();
    });
    from.once('close', () => {
      if (!isStarved && !dropped.has(direction)) to.destroy();
    });
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return pairs.size;
    },
    drop: (...directions) => void (dropped = new Set(directions)),
    delay: ms => void (delayMs = ms),
    cut() {
      isCut = true;
      for (const [client, far] of pairs) {
        client.resetAndDestroy();
        far.resetAndDestroy();
      }
    },
    heal() {
      isCut = false;
      dropped = new Set();
      delayMs = 0;
    },
    async [Symbol.asyncDispose]() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
