import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { TestContext } from 'node:test';
import { listen } from './tunnel-rig.ts';

export interface ConnectProxy {
  readonly port: number;
  /** The targets that were asked for, with the credentials that came along. */
  readonly asked: { readonly target: string; readonly authorization: string | undefined }[];
}

/** An HTTP proxy that opens connections for those who know the user and the password. It takes every name for this machine. */
export async function startConnectProxy(t: TestContext, user: string, password: string): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = [];
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const server = createServer((_req, res) => res.writeHead(405).end());
  const sockets = new Set<{ destroy(): void }>();
  server.on('connect', (req, client) => {
    const authorization = req.headers['proxy-authorization'];
    asked.push({ target: req.url ?? '', authorization });
    if (authorization !== expected) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const { port } = new URL(`http://${req.url}`);
    const far = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.pipe(client);
      client.pipe(far);
    });
    for (const socket of [client, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
    }
    client.once('close', () => far.destroy());
    far.once('close', () => client.destroy());
  });
  const port = await listen(server);
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  return { port, asked };
}
