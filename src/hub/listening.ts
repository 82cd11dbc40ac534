import type { HttpsServer } from '../apiserver/http/https-server.ts';
import { urlHost } from '../util/url-host.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';

/** Listens, or says in plain words why it cannot. */
export async function listening(server: Pick<HttpsServer, 'listen'>, host: string, port: number): Promise<Address> {
  try {
    return await server.listen(host, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new Error(`${host}:${port} is in use by another program; choose another address with --listen`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new Error(`this machine has no address ${host}; choose another with --listen`);
    throw error;
  }
}

/** How programs on this machine reach it. */
export function publicUrl({ host, port }: Address): string {
  const reachable = isEverywhere(host) ? '127.0.0.1' : urlHost(host);
  return `https://${reachable}:${port}`;
}

/** The names that the serving certificate must have besides the usual ones. */
export function servingHosts(host: string, serverUrl: string | undefined): string[] {
  const named = serverUrl === undefined ? [] : [new URL(serverUrl).hostname.replace(/^\[|\]$/g, '')];
  return isEverywhere(host) ? named : [host, ...named];
}
