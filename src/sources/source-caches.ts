import { LRUCache } from 'lru-cache';
import type { FetchedChart } from './inspect-chart.ts';
import { SingleFlight } from './single-flight.ts';

/** An index.yaml as it was last fetched. */
export interface KeptIndex {
  readonly text: string;
  readonly fetchedAtMs: number;
  /** What to ask with whether it is still the same. */
  readonly validators: Readonly<Record<string, string>>;
}

/** What is kept between fetches, within bounds. Keys tell apart who asked: nobody gets what only others may see. */
export interface SourceCaches {
  readonly indexes: LRUCache<string, KeptIndex>;
  readonly indexFlights: SingleFlight<KeptIndex>;
  readonly chartFlights: SingleFlight<FetchedChart>;
  /** Objects of buckets by their tags: a look at a bucket that has not changed is a list and no more. */
  readonly objects: LRUCache<string, Buffer>;
}

const keptIndexBytes = 64 * 1024 * 1024;
const keptObjectBytes = 32 * 1024 * 1024;

export function createSourceCaches(): SourceCaches {
  return {
    // Strings of Node take one byte for each letter of ASCII.
    indexes: new LRUCache({ maxSize: keptIndexBytes, sizeCalculation: ({ text }) => text.length + 1024, ttl: 3_600_000 }),
    indexFlights: new SingleFlight(),
    chartFlights: new SingleFlight(),
    objects: new LRUCache({ maxSize: keptObjectBytes, sizeCalculation: bytes => bytes.length + 512, ttl: 3_600_000 }),
  };
}
