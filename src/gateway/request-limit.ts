import { LRUCache } from 'lru-cache';
import { tooManyRequests } from '../api/status.ts';
import { TokenBucket } from '../tunnel/token-bucket.ts';

const remembered = 10_000;

/** Slows down those who ask for something that costs the hub, whether or not they get it. */
export function requestLimit(rate: { burst: number; perSecond: number }, now: () => number = Date.now) {
  const buckets = new LRUCache<string, TokenBucket>({ max: remembered });
  return {
    /** Throws 429 when whoever the key stands for has asked too often lately. */
    spend(key: string, complaint: string): void {
      let bucket = buckets.get(key);
      if (!bucket) buckets.set(key, (bucket = new TokenBucket(rate, now())));
      const waitMs = bucket.waitMs(now());
      if (waitMs > 0) throw tooManyRequests(complaint, Math.ceil(waitMs / 1000));
      bucket.spend(now());
    },
  };
}
