import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';
import { StatusError, tooManyRequests } from '../api/status.ts';
import { TokenBucket } from '../tunnel/token-bucket.ts';

const rate = { burst: 30, perSecond: 0.5 };
const remembered = 10_000;

/** Slows down those who guess tokens. Only failures count: a thousand agents behind one address may register at once. */
export function failureLimit(now: () => number = Date.now) {
  const buckets = new LRUCache<string, TokenBucket>({ max: remembered });

  return {
    /** Does the work unless its sender has failed too often lately; then throws 429. */
    guard: <R>(req: IncomingMessage, work: () => Promise<R>): Promise<R> =>
      guardKey(`address ${networkOf(req.socket.remoteAddress ?? '')}`, 'too many failed attempts from your address', work),
    /** The same for the name of somebody whose credentials are guessed, from wherever. */
    guardName: <R>(name: string, work: () => Promise<R>): Promise<R> =>
      guardKey(`name ${name}`, 'too many failed attempts for this user', work),
  };

  async function guardKey<R>(key: string, complaint: string, work: () => Promise<R>): Promise<R> {
    const waitMs = buckets.get(key)?.waitMs(now()) ?? 0;
    if (waitMs > 0) throw tooManyRequests(complaint, Math.ceil(waitMs / 1000));
    try {
      return await work();
    } catch (error) {
      if (!isFault(error)) throw error;
      let bucket = buckets.get(key);
      if (!bucket) buckets.set(key, (bucket = new TokenBucket(rate, now())));
      bucket.spend(now());
      throw error;
    }
  }
}

/** What the sender did wrong, not the hub. */
function isFault(error: unknown): boolean {
  return error instanceof StatusError && error.code >= 400 && error.code < 405;
}

/** One host has many IPv6 addresses: what it cannot choose is the network they are in. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = ''] = address.split('::');
  const groups = head.split(':');
  return [...groups, '0', '0', '0', '0'].slice(0, 4).join(':');
}
