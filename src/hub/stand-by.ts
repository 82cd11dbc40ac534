import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { joinStreams } from '../util/join-streams.ts';

/** Where a hub listens that waits for its turn: whoever comes is carried on to the one that leads, encryption and all. */
export interface StandBy extends AsyncDisposable {
  listen(host: string, port: number): Promise<{ host: string; port: number }>;
  /** HOST:PORT of the one that leads now; empty when nobody can be found. */
  follow(address: string): void;
}

const connectMs = 5_000;

export function standBy(): StandBy {
  const sockets = new Set<Socket>();
  let leader = '';
  const server: Server = createServer({ noDelay: true, keepAlive: true, allowHalfOpen: true }, socket => {
    keep(socket);
    const address = parseAddress(leader);
    if (!address) return void socket.destroy();
    const onward = keep(connect({ ...address, noDelay: true, keepAlive: true, allowHalfOpen: true }));
    onward.setTimeout(connectMs, () => onward.destroy());
    onward.once('connect', () => onward.setTimeout(0));
    void joinStreams(socket, onward);
  });
  function keep(socket: Socket): Socket {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    return socket;
  }

  return {
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      const bound = server.address() as AddressInfo;
      return { host: bound.address, port: bound.port };
    },
    follow: address => void (leader = address),
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      const closed = new Promise(resolve => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function parseAddress(text: string): { host: string; port: number } | undefined {
  const match = /^\[?([^\]]+?)\]?:([0-9]{1,5})$/.exec(text);
  return match ? { host: match[1]!, port: Number(match[2]) } : undefined;
}
