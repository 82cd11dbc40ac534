import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { fixed } from '../../client/credential.ts';
import { httpsTransport } from '../../client/https-transport.ts';
import type { Transport } from '../../client/transport.ts';
import { urlHost } from '../../util/url-host.ts';

export interface TlsTarget {
  readonly host: string;
  readonly port: number;
  readonly servername: string;
  /** PEM. The system's authorities when absent. */
  readonly ca?: string;
  readonly insecure?: boolean;
  readonly cert?: string;
  readonly key?: string;
}

/** Connections to webhooks and aggregated servers, kept open between calls. */
export interface HttpsPools extends AsyncDisposable {
  get(target: TlsTarget): Transport;
}

export function httpsPools(): HttpsPools {
  // Made with the first call: thousands of clusters in one process never make one. What is forgotten closes its connections when they have been idle.
  let pools: LRUCache<string, Transport> | undefined;
  return {
    get(target) {
      pools ??= new LRUCache({ max: 256 });
      const key = keyOf(target);
      let pool = pools.get(key);
      if (!pool) pools.set(key, (pool = connect(target)));
      return pool;
    },
    async [Symbol.asyncDispose]() {
      const open = [...(pools?.values() ?? [])];
      pools?.clear();
      await Promise.all(open.map(pool => pool[Symbol.asyncDispose]()));
    },
  };
}

function connect({ host, port, servername, ca, insecure, cert, key }: TlsTarget): Transport {
  return httpsTransport({
    server: `https://${urlHost(host)}:${port}`,
    ca,
    insecureSkipTlsVerify: insecure,
    // An address cannot be asked for by name; the connection checks it by itself.
    tlsServerName: isIP(servername) === 0 ? servername : undefined,
    credentials: fixed({ ...(cert !== undefined && { certificate: cert }), ...(key !== undefined && { key }) }),
    maxConnections: 32,
    connectTimeoutMs: 30_000,
    answerTimeoutMs: Infinity,
  });
}

function keyOf({ host, port, servername, ca = '', insecure = false, cert = '', key = '' }: TlsTarget): string {
  const secrets = createHash('sha256').update(`${ca}\0${cert}\0${key}`).digest('base64');
  return `${host} ${port} ${servername} ${insecure} ${secrets}`;
}
