import { createServer } from 'node:http';
import { duplexPair } from 'node:stream';
import { httpsTransport } from '../../client/https-transport.ts';
import type { Transport } from '../../client/transport.ts';
import type { WebHandler } from './https-server.ts';
import { guardServer, serverLimits } from './server-limits.ts';

/** The way to a handler in the same process: HTTP without a network. */
export function inProcessTransport(handler: WebHandler): Transport {
  const server = createServer({ ...serverLimits, shouldUpgradeCallback: req => handler.wantsUpgrade(req) }, (req, res) =>
    handler.handle(req, res),
  );
  guardServer(server);
  server.on('upgrade', (req, socket, head) => handler.upgrade(req, socket, head));
  return httpsTransport({
    server: 'http://in-process',
    connect() {
      const [near, far] = duplexPair();
      // Unlike sockets, such a pair does not end as one; a server that never hears of the end keeps all that belongs to a request.
      near.once('close', () => far.destroy());
      server.emit('connection', far);
      return near;
    },
  });
}
