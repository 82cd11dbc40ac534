import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where the browser on this machine brings what the hub gave it for us. */
export interface Loopback extends AsyncDisposable {
  readonly port: number;
  /** Only whoever was told it can bring anything. */
  readonly state: string;
  readonly code: Promise<string>;
}

const page = (text: string) => `<!doctype html><meta charset="utf-8"><title>Drover</title><p>${text}</p>\n`;

/** Listens for one request from the browser, on this machine alone. */
export async function listenOnLoopback(): Promise<Loopback> {
  const state = randomBytes(24).toString('base64url');
  const { promise: code, resolve } = Promise.withResolvers<string>();
  const server = createServer((req, res) => answer(req, res));
  await new Promise<void>((listening, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', listening);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    state,
    code,
    async [Symbol.asyncDispose]() {
      server.closeIdleConnections();
      server.close();
    },
  };

  function answer(req: IncomingMessage, res: ServerResponse): void {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'http://127.0.0.1');
    const given = searchParams.get('code') ?? '';
    // Under another name it is a page of somebody else that asks.
    const isOurs = req.method === 'GET' && pathname === '/' && req.headers.host === `127.0.0.1:${port}`;
    const isMeant = isOurs && searchParams.get('state') === state && /^[A-Za-z0-9_-]{20,128}$/.test(given);
    res.writeHead(isMeant ? 200 : 400, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
      Connection: 'close',
    });
    res.end(
      page(isMeant ? 'Go back to the terminal. This page can be closed.' : 'Drover did not expect this. Start “drover login” again.'),
    );
    if (isMeant) resolve(given);
  }
}
