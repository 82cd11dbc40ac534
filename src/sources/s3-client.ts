import { locateBucket, type BucketAddress } from './bucket-address.ts';
import { checkStatus } from './check-status.ts';
import type { EgressAnswer } from './egress.ts';
import { bareEtag, readS3Page, s3ErrorCode, type S3Object } from './s3-listing.ts';
import { encodeS3, signS3, type S3Key } from './s3-signature.ts';
import { cacheKey, type SourceContext } from './source-context.ts';
import { SourceError } from './source-error.ts';

/** A bucket as it can be read. */
export interface S3Client {
  /** For messages. */
  readonly place: string;
  /** All objects whose keys begin so. */
  list(prefix: string): Promise<S3Object[]>;
  /** Undefined: there is none. */
  get(key: string, known?: S3Object): Promise<Buffer | undefined>;
}

const isFinal = { isFinal: true } as const;
const maxPageBytes = 8 * 1024 * 1024;
/** Those that are left out count as well: somebody has to look at them. */
export const maxListed = 100_000;
const maxUnknownBytes = 1024 * 1024;

export function s3Client(address: BucketAddress, ctx: SourceContext): S3Client {
  const { egress, credentials, signal } = ctx;
  const { objects: kept } = ctx.caches;
  const { base, region } = locateBucket(address);
  const key = keyOf(ctx);
  const place = base;
  return { place, list, get };

  async function list(prefix: string): Promise<S3Object[]> {
    const objects: S3Object[] = [];
    const tokens = new Set<string>();
    for (let token: string | undefined; ;) {
      const page = await fetchPage(prefix, token);
      objects.push(...page.objects);
      if (objects.length > maxListed) throw new SourceError(`the bucket "${place}" has more than ${maxListed} objects`, isFinal);
      if (page.nextToken === undefined) return objects;
      if (tokens.has(page.nextToken) || page.objects.length === 0)
        throw new SourceError(`the list of "${place}" does not come to an end`, isFinal);
      tokens.add((token = page.nextToken));
    }
  }

  async function fetchPage(prefix: string, token: string | undefined) {
    const query = {
      ...(token !== undefined && { 'continuation-token': token }),
      'encoding-type': 'url',
      'list-type': '2',
      ...(prefix !== '' && { prefix }),
    };
    const search = Object.entries(query).map(([name, value]) => `${name}=${encodeS3(value)}`);
    const answer = await ask(`${base}/?${search.join('&')}`, maxPageBytes);
    checkAnswer(answer, place);
    try {
      return readS3Page(answer.body.toString());
    } catch (cause) {
      throw new SourceError(`the answer of "${place}" cannot be used`, { cause, ...isFinal });
    }
  }

  async function get(name: string, known?: S3Object): Promise<Buffer | undefined> {
    const keptAs = known && known.etag !== '' ? cacheKey(ctx, base, name, known.etag, String(known.sizeBytes)) : undefined;
    const present = keptAs === undefined ? undefined : kept.get(keptAs);
    if (present) return present;
    const answer = await ask(`${base}/${name.split('/').map(encodeS3).join('/')}`, known?.sizeBytes ?? maxUnknownBytes);
    if (answer.status === 404 && s3ErrorCode(answer.body.toString()) !== 'NoSuchBucket') return undefined;
    checkAnswer(answer, `${place}/${name}`);
    const { body, headers } = answer;
    const isOther = headers.etag !== undefined && known !== undefined && known.etag !== '' && bareEtag(headers.etag) !== known.etag;
    if (known && (body.length !== known.sizeBytes || isOther))
      throw new SourceError(`${JSON.stringify(name)} of "${place}" changed while it was read`);
    if (keptAs !== undefined) kept.set(keptAs, body);
    return body;
  }

  function ask(url: string, maxBytes: number): Promise<EgressAnswer> {
    const signed = key && signS3({ method: 'GET', url: new URL(url), region }, key, new Date());
    // An object that is refused is answered with an explanation, which may be longer than the object.
    return egress.fetch({ url, ...signed, tls: credentials.tls, maxBytes: Math.max(maxBytes, 64 * 1024), signal });
  }

  function checkAnswer({ status, headers, body }: EgressAnswer, what: string): void {
    if (status >= 200 && status < 300) return;
    const words = refusals.get(s3ErrorCode(body.toString()) ?? '');
    if (words !== undefined) throw new SourceError(`"${place}": ${words} (${status})`, isFinal);
    if (status >= 300 && status < 400) {
      const [, other] = /^([a-z0-9-]{2,32})$/.exec(String(headers['x-amz-bucket-region'])) ?? [];
      const where = other !== undefined && other !== 'undefined' ? `: it is in "${other}"` : '';
      throw new SourceError(`the bucket "${place}" is not in the region "${region}"${where} (${status})`, isFinal);
    }
    checkStatus(status, what, key !== undefined);
  }
}

/** Only what is said here in our own words is passed on: what a server writes may repeat what it was sent. */
const refusals = new Map(
  Object.entries({
    NoSuchBucket: 'there is no such bucket',
    AccessDenied: 'access is denied',
    AllAccessDisabled: 'access is denied',
    InvalidAccessKeyId: 'the access key is not known there',
    SignatureDoesNotMatch: 'the secret key is not that of the access key',
    AuthorizationHeaderMalformed: 'the region of the bucket is another one',
    RequestTimeTooSkewed: 'the clock of the hub and that of the store differ too much',
  }),
);

function keyOf({ credentials: { username, password } }: SourceContext): S3Key | undefined {
  const [id, secret] = [username ?? '', password ?? ''];
  if (id === '' && secret === '') return undefined;
  if (id === '' || secret === '') throw new SourceError('a bucket needs both an access key and a secret key', isFinal);
  if (!/^[\x21-\x7e]{1,256}$/.test(id)) throw new SourceError('the access key of the bucket cannot be one', isFinal);
  return { id, secret };
}
