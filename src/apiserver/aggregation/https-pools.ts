import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'undici';

// Loaded with the first call: most hubs start without one, and undici takes as long to load as much of the rest.
const load = createRequire(import.meta.url);

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
  get(target: TlsTarget): Pool;
}

export function httpsPools(): HttpsPools {
  // Made with the first call: thousands of clusters in one process never make one.
  let pools: LRUCache<string, Pool> | undefined;
  return {
    get(target) {
      pools ??= new LRUCache({ max: 256, dispose: (pool: Pool) => void pool.close().catch(() => undefined) });
      const key = keyOf(target);
      let pool = pools.get(key);
      if (!pool) pools.set(key, (pool = connect(target)));
      return pool;
    },
    async [Symbol.asyncDispose]() {
      const open = [...(pools?.values() ?? [])];
      pools?.clear();
      await Promise.all(open.map(pool => pool.destroy().catch(() => undefined)));
    },
  };
}

function connect({ host, port, servername, ca, insecure, cert, key }: TlsTarget): Pool {
  const undici = load('undici') as typeof import('undici');
  const authority = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return new undici.Pool(`https://${authority}`, {
    connections: 32,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: {
      // An address cannot be asked for by name; the connection checks it by itself.
      ...(isIP(servername) === 0 && { servername }),
      timeout: 30_000,
      rejectUnauthorized: insecure !== true,
      ...(ca !== undefined && { ca }),
      ...(cert !== undefined && { cert }),
      ...(key !== undefined && { key }),
    },
  });
}

function keyOf({ host, port, servername, ca = '', insecure = false, cert = '', key = '' }: TlsTarget): string {
  const secrets = createHash('sha256').update(`${ca}\0${cert}\0${key}`).digest('base64');
  return `${host} ${port} ${servername} ${insecure} ${secrets}`;
}
