import { isIP } from 'node:net';
import { SourceError } from './source-error.ts';

/** Where a bucket is, and what of it is wanted. */
export interface BucketAddress {
  /** `host` or `host:port`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly isPlainHttp: boolean;
  /** Whose store it is: Amazon has buckets in the name of the host. */
  readonly provider: 'generic' | 'aws';
  readonly region: string;
  readonly prefix: string;
  /** What to leave out, as .gitignore writes it. */
  readonly ignore: string;
  /** For all of it. */
  readonly timeoutMs: number;
}

const isFinal = { isFinal: true } as const;
export const defaultBucketTimeoutMs = 60_000;
const maxTimeoutMs = 600_000;

/** The address as one text: `s3+https://endpoint/bucket?…`. Throws SourceError when a part of it cannot be one. */
export function printBucketAddress({ endpoint, bucket, isPlainHttp, ...rest }: BucketAddress): string {
  checkedRegion(rest.region);
  const given = Object.entries(rest).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `s3+http${isPlainHttp ? '' : 's'}://${checkedEndpoint(endpoint)}/${checkedBucket(bucket)}?${query}`;
}

/** Throws SourceError. */
export function parseBucketAddress(text: string): BucketAddress {
  const [, scheme, endpoint = '', bucket = '', query = ''] = /^s3\+(https?):\/\/([^/?#]+)\/([^/?#]+)\/?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (scheme === undefined) throw new SourceError('a bucket has an address of the form s3+https://endpoint/bucket', isFinal);
  const params = new URLSearchParams(query);
  const provider = params.get('provider') ?? 'generic';
  if (provider !== 'generic' && provider !== 'aws')
    throw new SourceError(`buckets of the provider ${JSON.stringify(provider)} cannot be read here: "generic" and "aws" can`, isFinal);
  const timeoutMs = Number(params.get('timeoutMs')) || defaultBucketTimeoutMs;
  return {
    endpoint: checkedEndpoint(endpoint),
    bucket: checkedBucket(bucket),
    isPlainHttp: scheme === 'http',
    provider,
    region: checkedRegion(params.get('region') ?? ''),
    prefix: params.get('prefix') ?? '',
    ignore: params.get('ignore') ?? '',
    timeoutMs: Math.min(Math.max(timeoutMs, 1000), maxTimeoutMs),
  };
}

/** The address of the bucket itself, without a slash at its end, and the region that signatures are for. */
export function locateBucket({ endpoint, bucket, isPlainHttp, provider, region }: BucketAddress): { base: string; region: string } {
  const scheme = isPlainHttp ? 'http' : 'https';
  const [, inName] = /^s3[.-](?:dualstack\.)?([a-z]{2}(?:-[a-z]+)+-[0-9]+)\.amazonaws\.com/.exec(endpoint) ?? [];
  const signedFor = region || inName || 'us-east-1';
  if (provider !== 'aws') return { base: `${scheme}://${endpoint}/${bucket}`, region: signedFor };
  // The one for the whole world sends to the one of the region, and signatures do not go along.
  const host = endpoint === 's3.amazonaws.com' ? `s3.${signedFor}.amazonaws.com` : endpoint;
  // A certificate for *.endpoint is not for names with more dots.
  const isHost = !bucket.includes('.') && bucket === bucket.toLowerCase() && isIP(host.replace(/:\d+$/, '')) === 0 && !host.startsWith('[');
  return { base: isHost ? `${scheme}://${bucket}.${host}` : `${scheme}://${host}/${bucket}`, region: signedFor };
}

function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(`https://${endpoint}`) ? new URL(`https://${endpoint}`) : undefined;
  if (!url || url.username !== '' || url.password !== '' || url.host !== endpoint.toLowerCase().replace(/:443$/, ''))
    throw new SourceError('the endpoint of a bucket is a host, or a host and a port, and nothing else', isFinal);
  return endpoint.toLowerCase();
}

function checkedBucket(bucket: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{1,254}$/.test(bucket))
    throw new SourceError(`${JSON.stringify(bucket)} is no name of a bucket`, isFinal);
  return bucket;
}

function checkedRegion(region: string): string {
  if (!/^[A-Za-z0-9_-]{0,64}$/.test(region)) throw new SourceError(`${JSON.stringify(region)} is no region`, isFinal);
  return region;
}
