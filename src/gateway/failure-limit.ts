import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { StatusError, tooManyRequests } from '../api/status.ts';
import { TokenBucket } from '../tunnel/token-bucket.ts';

const rate = { burst: 30, perSecond: 0.5 };
const rememberedAddresses = 10_000;

/** Slows down those who guess tokens. Only failures count: a thousand agents behind one address may register at once. */
export function failureLimit(now: () => number = Date.now) {
  const buckets = new LRUCache<string, TokenBucket>({ max: rememberedAddresses });

  return {
    /** Does the work unless its sender has failed too often lately; then throws 429. */
    async guard(req: IncomingMessage, work: () => Promise<void>): Promise<void> {
      const address = networkOf(req.socket.remoteAddress ?? '');
      const waitMs = buckets.get(address)?.waitMs(now()) ?? 0;
      if (waitMs > 0) throw tooManyRequests('too many failed attempts from your address', Math.ceil(waitMs / 1000));
      try {
        await work();
      } catch (error) {
        if (!isFault(error)) throw error;
        let bucket = buckets.get(address);
        if (!bucket) buckets.set(address, (bucket = new TokenBucket(rate, now())));
        bucket.spend(now());
        throw error;
      }
    },
  };
}

/** What the sender did wrong, not the hub. */
function isFault(error: unknown): boolean {
  return error instanceof StatusError && error.code >= 400 && error.code < 405;
}

/** One host has many IPv6 addresses: what it cannot choose is the network they are in. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = ''] = address.split('::');
  const groups = head.split(':');
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':');
}
