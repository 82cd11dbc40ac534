import { decodeEscapes } from '../util/decode-escapes.ts';
import type { SourceTls } from './exchange.ts';

/** What a source may want to know of us. */
export interface SourceCredentials {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Certificates, as PEM. */
  readonly tls?: SourceTls | undefined;
  /** For git by SSH: the private key, and the lines of `known_hosts` by which the host is recognised. */
  readonly sshKey?: string | undefined;
  readonly knownHosts?: string | undefined;
}

/** The Authorization header for a source: from the credentials, or else from its address. */
export function basicAuthorization({ username, password }: SourceCredentials, address: URL): string | undefined {
  const user = username ?? decodeEscapes(address.username);
  const secret = password ?? (username === undefined ? decodeEscapes(address.password) : '');
  if (user === '' && secret === '') return undefined;
  return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
}
