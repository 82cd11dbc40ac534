import { createHash, createHmac } from 'node:crypto';

export interface S3Key {
  readonly id: string;
  readonly secret: string;
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD';
  /** With its path and query as `encodeS3` writes them. */
  readonly url: URL;
  readonly region: string;
  /** Signed besides those that always are. Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface S3Signature {
  readonly authorization: string;
  /** To be sent along: they are part of what is signed. */
  readonly headers: Readonly<Record<string, string>>;
}

const algorithm = 'AWS4-HMAC-SHA256';
const emptyBody = sha256('');

/** Signs a request without a body for an object store: version 4 of Amazon's signatures, in the Authorization header. */
export function signS3({ method, url, region, headers = {} }: S3Request, key: S3Key, at: Date): S3Signature {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = time.slice(0, 8);
  const own = { 'x-amz-content-sha256': emptyBody, 'x-amz-date': time };
  const signed = Object.entries({ ...headers, ...own, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const lines = signed.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
  const request = [method, url.pathname, sortedQuery(url), lines, names, emptyBody].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = [algorithm, time, scope, sha256(request)].join('\n');
  const signingKey = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${key.secret}`);
  const signature = hmac(signingKey, text).toString('hex');
  return { authorization: `${algorithm} Credential=${key.id}/${scope},SignedHeaders=${names},Signature=${signature}`, headers: own };
}

/** A part of a path or a query in the one form that is signed: all but letters, digits and `-._~` is escaped. */
export function encodeS3(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sortedQuery({ search }: URL): string {
  const parts = search.slice(1).split('&').filter(Boolean);
  return parts
    .map(part => (part.includes('=') ? part : `${part}=`))
    .sort()
    .join('&');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
