import { createServer, type Server } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContext, SecureContextOptions } from 'node:tls';
import type { Pki } from '../../pki/ensure-pki.ts';
import { guardServer, serverLimits } from './server-limits.ts';

/** What answers the requests of a server. */
export interface WebHandler {
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** Whether a request that asks to leave HTTP goes to `upgrade`. Otherwise it is handled as if it had not asked. */
  wantsUpgrade(req: IncomingMessage): boolean;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface HttpsServer {
  readonly server: Server;
  listen(host: string, port: number): Promise<{ host: string; port: number }>;
  /** Waits for requests under way, two seconds at most. */
  close(): Promise<void>;
}

const closeGraceMs = 2000;

export interface HttpsServerOptions {
  /** PEM: whose client certificates are welcome besides those of the PKI. */
  readonly moreAuthorities?: readonly string[];
  /** Another certificate than that of the PKI, where there is one for the name that a client asks for. */
  certificateFor?(name: string, rest: SecureContextOptions): SecureContext | undefined;
}

/** HTTPS with the limits and the client certificates that the Kubernetes API wants. Clients are told whose certificates are welcome. */
export function httpsServer(pki: Pki, handler: WebHandler, { moreAuthorities = [], certificateFor }: HttpsServerOptions = {}): HttpsServer {
  const ca = [pki.authority.certificate, pki.frontProxyAuthority.certificate, ...moreAuthorities];
  const minVersion = 'TLSv1.2';
  const server = createServer(
    {
      cert: pki.server.certificate,
      key: pki.server.key,
      ca,
      requestCert: true,
      rejectUnauthorized: false,
      minVersion,
      ...(certificateFor && { SNICallback: (name, done) => done(null, certificateFor(name, { ca, minVersion })) }),
      ...serverLimits,
      shouldUpgradeCallback: req => handler.wantsUpgrade(req),
    },
    (req, res) => handler.handle(req, res),
  );
  guardServer(server);
  // The server forgets connections that have left HTTP, and would wait for them for ever when it closes.
  const upgraded = new Set<Duplex>();
  server.on('upgrade', (req, socket, head) => {
    upgraded.add(socket);
    socket.once('close', () => upgraded.delete(socket));
    handler.upgrade(req, socket, head);
  });

  return {
    server,
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      const address = server.address() as AddressInfo;
      return { host: address.address, port: address.port };
    },
    async close() {
      server.closeIdleConnections();
      const closed = new Promise<void>(resolve => server.close(() => resolve()));
      const force = setTimeout(() => {
        server.closeAllConnections();
        for (const socket of upgraded) socket.destroy();
      }, closeGraceMs);
      await closed;
      clearTimeout(force);
    },
  };
}
