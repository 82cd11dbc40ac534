import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { httpsServer, type WebHandler } from '../apiserver/http/https-server.ts';
import type { Pki } from '../pki/ensure-pki.ts';

const host = '127.0.0.1';

/** A port on which one cluster is served. */
export interface ServedPort {
  readonly port: number;
  /** Takes no new connections and ends those there are. */
  close(): Promise<void>;
}

export interface SandboxServer {
  /**
   * Serves a cluster on a port of its own, any free one when it is 0. `handler` is asked for with every connection and may take its time.
   * Rejects when the port is taken.
   */
  serve(port: number, handler: () => Promise<WebHandler>): Promise<ServedPort>;
  close(): Promise<void>;
}

/** One HTTPS server for all clusters of the process: the port on which a connection came says which cluster is meant. */
export async function startSandboxServer(pki: Pki, onError: (what: string, error: unknown) => void): Promise<SandboxServer> {
  const handlers = new WeakMap<object, WebHandler>();
  const byPort = new Map<number, WebHandler>();
  const handlerOf = ({ socket }: IncomingMessage): WebHandler | undefined => {
    const known = handlers.get(socket) ?? byPort.get(socket.localPort ?? 0);
    // The port is no longer known once the connection is closed, but its requests may still be.
    if (known) handlers.set(socket, known);
    return known;
  };
  const shared = httpsServer(pki, {
    handle: (req, res) => (handlerOf(req) ?? nobody).handle(req, res),
    wantsUpgrade: req => handlerOf(req)?.wantsUpgrade(req) ?? false,
    upgrade: (req, socket, head) => (handlerOf(req) ?? nobody).upgrade(req, socket, head),
  });
  // Only a server that listens watches over the time its connections take.
  await shared.listen(host, 0);

  return {
    async serve(wantedPort, handler) {
      const sockets = new Set<Socket>();
      // Nothing is read from a connection before the cluster is there to answer.
      const server = createServer({ pauseOnConnect: true }, socket => {
        sockets.add(socket);
        socket.once('close', () => sockets.delete(socket));
        socket.on('error', () => socket.destroy());
        handler().then(
          found => {
            byPort.set(port, found);
            if (!socket.destroyed) shared.server.emit('connection', socket);
          },
          (error: unknown) => {
            onError('connection', error);
            socket.destroy();
          },
        );
      });
      const port = await listen(server, wantedPort);
      return {
        port,
        async close() {
          byPort.delete(port);
          const closed = new Promise<void>(resolve => server.close(() => resolve()));
          for (const socket of sockets) socket.destroy();
          await closed;
        },
      };
    },
    close: () => shared.close(),
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isOutOfFiles = error.code === 'EMFILE' || error.code === 'ENFILE';
      reject(isOutOfFiles ? new Error('no file descriptor is left for another cluster; raise "ulimit -n"', { cause: error }) : error);
    });
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

const nobody: WebHandler = {
  handle(_req: IncomingMessage, res: ServerResponse) {
    res.writeHead(404, { 'Content-Type': 'text/plain' }).end('no cluster is served here\n');
  },
  wantsUpgrade: () => false,
  upgrade: (_req, socket) => void socket.destroy(),
};
