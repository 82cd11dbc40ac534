import type { HttpsServer, HttpsServerOptions } from '../apiserver/http/https-server.ts';
import { log } from '../runtime/log.ts';
import { urlHost } from '../util/url-host.ts';

import { givenCertificate } from './given-certificate.ts';
import type { HubOptions } from './hub-options.ts';

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

/** The certificate that people gave the hub, for those who ask for one of its names. Members know the hub by its own authority. */
export function shownCertificate({ tls, serverUrl }: Pick<HubOptions, 'tls' | 'serverUrl'>): Pick<HttpsServerOptions, 'certificateFor'> {
  if (!tls) return {};
  const given = givenCertificate(tls);
  if (serverUrl !== undefined && given.covers(new URL(serverUrl).hostname))
    log.warn('members reach the hub by a name of the given certificate: its authority must be one that their systems trust', {
      peer: serverUrl,
    });
  return { certificateFor: given.contextFor };
}
